import { type Caller, isProven, ownSession, proofNeeded, sessionEnded } from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';
import { PASSWORDS } from './limits.ts';
import { countTry, OWNERS, ofSession } from './password-attempts.ts';
import { isPassword } from './passwords.ts';
import type { OwnerProof } from './sessions.port.ts';
import type { SignInDeps } from './start-session.ts';

/** Throws `validation_failed` if it is not the password of the account, and `too_many_attempts`. */
export async function checkOwnPassword(
  deps: SignInDeps,
  { id, passwordHash }: { readonly id: string; readonly passwordHash: string | null },
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const subject = ofSession(id);
  await countTry(deps, subject);
  const release = await deps.slotsOf(PASSWORDS).take(OWNERS, signal);
  const right = await isPassword(password, passwordHash).finally(release);
  if (!right) throw passwordWrong();
  await deps.attempts.clear(subject);
}

/**
 * Checks the password, or of an account without one that the session is proven. The proof can expire before it is
 * used. Throws `validation_failed`, `proof_needed` and `too_many_attempts`.
 */
export async function proveOwner(
  deps: SignInDeps,
  caller: Caller,
  { email, current }: { email: string; current: string | undefined },
  signal: AbortSignal,
): Promise<OwnerProof> {
  const { accountId } = caller;
  const session = ownSession(caller);
  const account = await deps.accounts.own(accountId);
  if (email.toLowerCase() !== account.email) throw invalid({ email: 'must be the e-mail address of this account' });
  const proof = { session: session.tokenHash, passwordHash: account.passwordHash };
  if (account.passwordHash !== null) await checkOwnPassword(deps, account, current ?? '', signal);
  else if (!isProven(caller, deps.now())) throw proofNeeded();
  return proof;
}

export const passwordWrong = () => invalid({ current_password: 'is wrong' });

export async function notProven(deps: SignInDeps, session: Buffer): Promise<never> {
  if (await deps.sessions.authenticate(session, deps.now())) throw passwordWrong();
  throw sessionEnded();
}
