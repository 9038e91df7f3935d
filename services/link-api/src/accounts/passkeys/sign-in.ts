import { DomainError } from '@waypost/domain';
import type { Origin } from '../../platform/place.ts';
import type { Account } from '../accounts.port.ts';
import { type SignedIn, type SignInDeps, startSession } from '../start-session.ts';
import { challengeOf, type PasskeyDeps, useUp } from './answered-challenge.ts';
import { newChallenge } from './challenges.ts';
import type { CeremonyOptions, PasskeyAssertion } from './passkeys.port.ts';

export async function beginSignInByPasskey(deps: PasskeyDeps): Promise<CeremonyOptions> {
  return deps.ceremonies.signInOptions(await newChallenge(deps.secret, null, deps.now()));
}

/** Resolves to undefined, whatever is wrong. */
export async function accountOfPasskey(deps: PasskeyDeps, passkey: PasskeyAssertion): Promise<Account | undefined> {
  const challenge = await challengeOf(deps, passkey, null);
  const credential = challenge && (await deps.passkeys.find(passkey.id));
  const counter = challenge && credential && (await deps.ceremonies.asserted(passkey, challenge.text, credential));
  if (challenge === undefined || credential === undefined || counter === undefined) return undefined;
  if (!(await useUp(deps, challenge))) return undefined;
  // The store checks the counter, too.
  return (await deps.passkeys.use(passkey.id, counter, deps.now())) ? credential.account : undefined;
}

/** Throws `credentials_wrong`, with one message for every cause. */
export async function signInByPasskey(
  deps: PasskeyDeps & SignInDeps,
  passkey: PasskeyAssertion,
  origin: Origin,
): Promise<SignedIn> {
  const account = await accountOfPasskey(deps, passkey);
  if (account === undefined)
    throw new DomainError('credentials_wrong', 'This passkey was not accepted. Try again, or sign in another way.');
  return startSession(deps, account, { via: 'passkey', origin });
}
