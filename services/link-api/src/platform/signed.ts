/** Signs what a browser brings back, so that nothing about it has to be stored. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A secret of this installation, which all replicas know. */
export type InstallationSecret = () => Promise<Buffer>;

const BYTES = 16;

/** `purpose` keeps a signature from being valid for anything else. */
export async function signatureOf(
  secret: InstallationSecret,
  purpose: string,
  signed: readonly string[],
): Promise<Buffer> {
  const text = JSON.stringify([purpose, ...signed]);
  return createHmac('sha256', await secret())
    .update(text)
    .digest()
    .subarray(0, BYTES);
}

export async function isSignature(
  signature: Buffer,
  secret: InstallationSecret,
  purpose: string,
  signed: readonly string[],
): Promise<boolean> {
  return signature.length === BYTES && timingSafeEqual(signature, await signatureOf(secret, purpose, signed));
}
