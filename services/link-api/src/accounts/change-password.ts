import { aboutAccount } from '../audit/index.ts';
import { actorOf, type Caller, isProven, ownSession, proofNeeded } from '../platform/caller.ts';
import { PASSWORDS } from './limits.ts';
import { countTry, OWNERS, ofSession, toSignIn } from './password-attempts.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { notProven, passwordWrong } from './prove-owner.ts';
import type { SignInDeps } from './start-session.ts';

/**
 * Ends all other sessions. Throws `validation_failed` if the current password is wrong or the new one is too short or
 * long, `proof_needed` for a first password unless the session is proven, `credentials_wrong` if the account or the
 * session ended meanwhile, and `too_many_attempts`.
 */
export async function changePassword(
  deps: SignInDeps,
  caller: Caller,
  { current, replacement }: { current: string | undefined; replacement: string },
  signal: AbortSignal,
): Promise<void> {
  const { accountId } = caller;
  const session = ownSession(caller);
  const account = await deps.accounts.own(accountId);
  if (account.passwordHash === null && !isProven(caller, deps.now())) throw proofNeeded();
  // A person who gets a link has probably forgotten the password.
  const recovers = session.via === 'sign_in_link' && isProven(caller, deps.now());
  const subject = ofSession(accountId);
  await countTry(deps, subject);
  const release = await deps.slotsOf(PASSWORDS).take(OWNERS, signal);
  try {
    const from = account.passwordHash;
    if (from !== null && !recovers && !(await isPassword(current ?? '', from))) throw passwordWrong();
    const to = await hashPassword(replacement, 'new_password');
    // This precedes the change, so that the old password stays valid for a retry if this step fails.
    await deps.attempts.clear(subject);
    // A person who forgot the password has probably used up the attempts to sign in.
    await deps.attempts.clear(toSignIn(account.email));
    const change = { from, to, session: session.tokenHash };
    const by = actorOf(caller);
    const notes = () => [
      aboutAccount(by, 'account.password_changed', accountId),
      aboutAccount(by, 'account.sessions_ended', accountId),
    ];
    if (await deps.accounts.setPassword(accountId, change, notes)) return;
  } finally {
    release();
  }
  await notProven(deps, session.tokenHash);
}
