/** Passkeys of an account, and signing in with one. A challenge is used up by the first answer to it, right or wrong. */
import { DomainError, LIMITS } from '@waypost/domain';
import type {
  Caller,
  Ceremonies,
  CeremonyOptions,
  Passkey,
  PasskeyAssertion,
  PasskeyCreation,
  Passkeys,
} from '@waypost/ports';
import { invalid, nameProblem } from './accounts.ts';
import { actorOf } from './actor.ts';
import { hashSecret } from './hash-secret.ts';
import { type SignedIn, type SignInDeps, startSession } from './sign-in.ts';

interface Deps {
  readonly accounts: SignInDeps['accounts'];
  readonly passkeys: Passkeys;
  readonly ceremonies: Ceremonies;
  readonly now: () => Date;
}

const CHALLENGE_MS = 5 * 60_000;

async function challenged(deps: Deps, options: CeremonyOptions, accountId: string | null): Promise<CeremonyOptions> {
  const at = deps.now();
  const expiresAt = new Date(at.getTime() + CHALLENGE_MS);
  await deps.passkeys.putChallenge({ hash: hashSecret(options.challenge), accountId, at, expiresAt });
  return options;
}

/** The challenge of the answer, if it is one of ours; it is used up. */
async function challengeOf(
  deps: Deps,
  answer: PasskeyCreation | PasskeyAssertion,
  accountId: string | null,
): Promise<string | undefined> {
  const challenge = deps.ceremonies.challengeOf(answer);
  if (challenge === undefined) return undefined;
  const isOurs = await deps.passkeys.useChallenge(hashSecret(challenge), accountId, deps.now());
  return isOurs ? challenge : undefined;
}

/** What the browser needs to make a passkey, or to find one that is there. */
export async function beginPasskey(deps: Deps, accountId: string): Promise<CeremonyOptions> {
  const account = await deps.accounts.credentials({ id: accountId });
  if (account === undefined) throw new Error('a session without an account');
  const known = await deps.passkeys.list(accountId);
  const ids = known.map(({ credentialId }) => credentialId);
  return challenged(deps, await deps.ceremonies.creationOptions(account, ids), accountId);
}

/** Throws `validation_failed`, `too_many_passkeys` and `passkey_exists`. */
export async function createPasskey(
  deps: Deps,
  caller: Caller,
  { name, passkey }: { readonly name: string; readonly passkey: PasskeyCreation },
): Promise<Passkey> {
  const { accountId } = caller;
  const problem = nameProblem(name);
  if (problem !== undefined) throw invalid({ name: problem });
  const challenge = await challengeOf(deps, passkey, accountId);
  const made = challenge === undefined ? undefined : await deps.ceremonies.created(passkey, challenge);
  if (made === undefined) throw invalid({ passkey: 'was not made for this page just now' });
  const named = { accountId, name: name.trim(), max: LIMITS.passkeysPerAccount, ...made };
  return deps.passkeys.create(named, actorOf(caller));
}

export async function beginSignInByPasskey(deps: Deps): Promise<CeremonyOptions> {
  return challenged(deps, await deps.ceremonies.signInOptions(), null);
}

/** Throws `credentials_wrong`, in the same words whatever is wrong. */
export async function signInByPasskey(deps: Deps & SignInDeps, passkey: PasskeyAssertion): Promise<SignedIn> {
  const challenge = await challengeOf(deps, passkey, null);
  const known = challenge === undefined ? undefined : await deps.passkeys.find(passkey.id);
  const counter =
    challenge === undefined || known === undefined
      ? undefined
      : await deps.ceremonies.asserted(passkey, challenge, known);
  // Counted by the store, so that of two requests with one signature at most one passes.
  if (known === undefined || counter === undefined || !(await deps.passkeys.use(passkey.id, counter, deps.now())))
    throw new DomainError('credentials_wrong', 'This passkey signs nobody in here. Try again, or use another way.');
  return startSession(deps, known.account);
}
