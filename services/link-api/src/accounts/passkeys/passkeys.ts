/** Creates passkeys and signs people in with them. The first right answer to a challenge uses it up. */
import { type Actor, DomainError, LIMITS } from '@waypost/domain';
import { actorOf, type Caller } from '../../platform/caller.ts';
import { invalid, nameProblem } from '../../platform/checks.ts';
import { hashSecret } from '../../platform/hash-secret.ts';
import type { Origin } from '../../platform/place.ts';
import type { InstallationSecret } from '../../platform/signed.ts';
import type { Account } from '../accounts.port.ts';
import { type SignedIn, type SignInDeps, startSession } from '../start-session.ts';
import { expiryOf, newChallenge } from './challenges.ts';
import type {
  Ceremonies,
  CeremonyOptions,
  Passkey,
  PasskeyAssertion,
  PasskeyCreation,
  Passkeys,
} from './passkeys.port.ts';

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

async function challengeOf(
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
const use = ({ passkeys, now }: PasskeyDeps, { text, expiresAt }: Challenge): Promise<boolean> =>
  passkeys.useChallenge(hashSecret(text), expiresAt, now());

export async function beginPasskey(deps: PasskeyDeps, accountId: string): Promise<CeremonyOptions> {
  const account = await deps.accounts.credentials({ id: accountId });
  if (account === undefined) throw new Error('a session without an account');
  const existing = await deps.passkeys.list(accountId);
  const ids = existing.map(({ credentialId }) => credentialId);
  return deps.ceremonies.creationOptions(account, ids, await newChallenge(deps.secret, accountId, deps.now()));
}

/** Throws `validation_failed`, `too_many_passkeys` and `passkey_exists`. */
export async function createPasskey(
  deps: PasskeyDeps,
  caller: Caller,
  { name, passkey }: { readonly name: string; readonly passkey: PasskeyCreation },
): Promise<Passkey> {
  const { accountId } = caller;
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalid({ name: problem });
  const challenge = await challengeOf(deps, passkey, accountId);
  const credential = challenge && (await deps.ceremonies.created(passkey, challenge.text));
  if (challenge === undefined || credential === undefined || !(await use(deps, challenge)))
    throw invalid({ passkey: 'must answer an unused challenge of the last 5 minutes' });
  const named = { accountId, name: name.trim(), max: LIMITS.passkeysPerAccount, ...credential };
  return deps.passkeys.create(named, ({ id }) => [
    { by: actorOf(caller), action: 'passkey.created', subject: id, accountId, detail: named.name },
  ]);
}

/** Throws `passkey_not_found`. */
export function deletePasskey(
  deps: Pick<PasskeyDeps, 'passkeys'>,
  accountId: string,
  id: string,
  by: Actor,
): Promise<void> {
  return deps.passkeys.delete(id, accountId, (passkey) => [
    { by, action: 'passkey.deleted', subject: passkey.id, accountId, detail: passkey.name },
  ]);
}

export async function beginSignInByPasskey(deps: PasskeyDeps): Promise<CeremonyOptions> {
  return deps.ceremonies.signInOptions(await newChallenge(deps.secret, null, deps.now()));
}

/** Resolves to undefined, whatever is wrong. */
export async function accountOfPasskey(deps: PasskeyDeps, passkey: PasskeyAssertion): Promise<Account | undefined> {
  const challenge = await challengeOf(deps, passkey, null);
  const credential = challenge && (await deps.passkeys.find(passkey.id));
  const counter = challenge && credential && (await deps.ceremonies.asserted(passkey, challenge.text, credential));
  if (challenge === undefined || credential === undefined || counter === undefined) return undefined;
  if (!(await use(deps, challenge))) return undefined;
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
