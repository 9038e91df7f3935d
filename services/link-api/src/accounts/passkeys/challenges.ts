/** A challenge says itself when it was made and for whom, so nothing is stored until a passkey has answered it. */
import { randomBytes } from 'node:crypto';
import { type InstallationSecret, isSignature, signatureOf } from '../../platform/signed.ts';

/** A person may need this long to find a phone or a security key. */
export const CHALLENGE_MS = 5 * 60_000;

const TIME_BYTES = 6;
/** The time, and ten random bytes. */
const SIGNED_BYTES = 16;

const purposeOf = (accountId: string | null) =>
  accountId === null ? (['passkey sign-in'] as const) : (['passkey creation', accountId] as const);

export async function newChallenge(secret: InstallationSecret, accountId: string | null, now: Date): Promise<Buffer> {
  const signed = randomBytes(SIGNED_BYTES);
  signed.writeUIntBE(now.getTime(), 0, TIME_BYTES);
  const [purpose, ...account] = purposeOf(accountId);
  return Buffer.concat([signed, await signatureOf(secret, purpose, [...account, signed.toString('hex')])]);
}

/** Returns when it expires. Undefined if it has expired, or was not made for this account, or not here. */
export async function expiryOf(
  challenge: Buffer,
  secret: InstallationSecret,
  accountId: string | null,
  now: Date,
): Promise<Date | undefined> {
  if (challenge.length <= SIGNED_BYTES) return undefined;
  const signed = challenge.subarray(0, SIGNED_BYTES);
  const expiresAt = new Date(signed.readUIntBE(0, TIME_BYTES) + CHALLENGE_MS);
  const [purpose, ...account] = purposeOf(accountId);
  const isOurs = await isSignature(challenge.subarray(SIGNED_BYTES), secret, purpose, [
    ...account,
    signed.toString('hex'),
  ]);
  return isOurs && expiresAt > now ? expiresAt : undefined;
}
