/**
 * A device cookie (OWASP) proves that this browser has signed in to an account before. Strangers who guess the password
 * of that account can then neither lock this browser out nor stand in line before it.
 */
import { randomBytes } from 'node:crypto';
import { type InstallationSecret, isSignature, signatureOf } from '../platform/signed.ts';

const PURPOSE = 'device';

export async function newDevice(secret: InstallationSecret, email: string): Promise<string> {
  const device = randomBytes(16).toString('base64url');
  const signature = await signatureOf(secret, PURPOSE, [email.toLowerCase(), device]);
  return `${device}.${signature.toString('base64url')}`;
}

/** Returns what tells this browser from others. Undefined if it never signed in with this e-mail address. */
export async function deviceOf(
  secret: InstallationSecret,
  email: string,
  cookie: string | undefined,
): Promise<string | undefined> {
  const [device, signature] = cookie?.split('.') ?? [];
  if (device === undefined || signature === undefined) return undefined;
  const bytes = Buffer.from(signature, 'base64url');
  return (await isSignature(bytes, secret, PURPOSE, [email.toLowerCase(), device])) ? device : undefined;
}
