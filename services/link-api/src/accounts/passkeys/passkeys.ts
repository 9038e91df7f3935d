/** Creates passkeys and signs people in with them. The first answer to a challenge uses it up, even a wrong one. */
import { type Actor, DomainError, LIMITS } from '@waypost/domain';
import { actorOf, type Caller } from '../../platform/caller.ts';
import { invalid, nameProblem } from '../../platform/checks.ts';
import { hashSecret } from '../../platform/hash-secret.ts';
import type { Account } from '../accounts.port.ts';
import type { Origin } from '../sessions.port.ts';
import { type SignedIn, type SignInDeps, startSession } from '../sign-in.ts';
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
  readonly now: () => Date;
}

const CHALLENGE_MS = 5 * 60_000;

async function storeChallenge(deps: PasskeyDeps, options: CeremonyOptions, accountId: string | null) {
  const at = deps.now();
  const expiresAt = new Date(at.getTime() + CHALLENGE_MS);
  await deps.passkeys.putChallenge({ hash: hashSecret(options.challenge), accountId, at, expiresAt });
  return options;
}

async function challengeOf(
  deps: PasskeyDeps,
  answer: PasskeyCreation | PasskeyAssertion,
  accountId: string | null,
): Promise<string | undefined> {
  const challenge = deps.ceremonies.challengeOf(answer);
  if (challenge === undefined) return undefined;
  const isOurs = await deps.passkeys.useChallenge(hashSecret(challenge), accountId, deps.now());
  return isOurs ? challenge : undefined;
}

export async function beginPasskey(deps: PasskeyDeps, accountId: string): Promise<CeremonyOptions> {
  const account = await deps.accounts.credentials({ id: accountId });
  if (account === undefined) throw new Error('a session without an account');
  const existing = await deps.passkeys.list(accountId);
  const ids = existing.map(({ credentialId }) => credentialId);
  return storeChallenge(deps, await deps.ceremonies.creationOptions(account, ids), accountId);
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
  const credential = challenge === undefined ? undefined : await deps.ceremonies.created(passkey, challenge);
  if (credential === undefined) throw invalid({ passkey: 'was not made for this page just now' });
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
  return storeChallenge(deps, await deps.ceremonies.signInOptions(), null);
}

/** Resolves to undefined, whatever is wrong. */
export async function accountOfPasskey(deps: PasskeyDeps, passkey: PasskeyAssertion): Promise<Account | undefined> {
  const challenge = await challengeOf(deps, passkey, null);
  const credential = challenge === undefined ? undefined : await deps.passkeys.find(passkey.id);
  if (challenge === undefined || credential === undefined) return undefined;
  const counter = await deps.ceremonies.asserted(passkey, challenge, credential);
  if (counter === undefined) return undefined;
  // The store checks the counter, so only one of two requests with the same signature passes.
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
    throw new DomainError('credentials_wrong', 'This passkey signs nobody in here. Try again, or use another way.');
  return startSession(deps, account, { via: 'passkey', origin });
}
