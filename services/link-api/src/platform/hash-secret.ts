import { hash } from 'node:crypto';

/** Keys and tokens have 256 random bits, so a plain SHA-256 is enough: they need no salt and no slow hash. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
