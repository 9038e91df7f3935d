/** The challenge that a passkey has answered. The first right answer uses it up. */
import { hashSecret } from '../../platform/hash-secret.ts';
import type { InstallationSecret } from '../../platform/signed.ts';
import type { SignInDeps } from '../start-session.ts';
import { expiryOf } from './challenges.ts';
import type { Ceremonies, PasskeyAssertion, PasskeyCreation, Passkeys } from './passkeys.port.ts';

export interface PasskeyDeps {
  readonly accounts: SignInDeps['accounts'];
  readonly passkeys: Passkeys;
  readonly ceremonies: Ceremonies;
  readonly secret: InstallationSecret;
  readonly now: () => Date;
}

interface Challenge {
  readonly text: string;
  readonly expiresAt: Date;
}

export async function challengeOf(
  { ceremonies, secret, now }: PasskeyDeps,
  answer: PasskeyCreation | PasskeyAssertion,
  accountId: string | null,
): Promise<Challenge | undefined> {
  const text = ceremonies.challengeOf(answer);
  if (text === undefined) return undefined;
  const expiresAt = await expiryOf(Buffer.from(text, 'base64url'), secret, accountId, now());
  return expiresAt && { text, expiresAt };
}

/** Returns false for a challenge that was used before. Only one of several concurrent calls gets true. */
export const useUp = ({ passkeys, now }: PasskeyDeps, { text, expiresAt }: Challenge): Promise<boolean> =>
  passkeys.useChallenge(hashSecret(text), expiresAt, now());
