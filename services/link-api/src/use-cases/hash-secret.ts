import { hash } from 'node:crypto';

/** Keys and sign-in tokens are stored as their SHA-256: 256 random bits need no salt and no slow hash. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
