/** How a person gets a session of the dashboard, and what it allows beyond a key. */
import { randomBytes } from 'node:crypto';
import { accountGone, DomainError } from '@waypost/domain';
import type { Account, Accounts, Caller, OwnerProof, Sessions, SignInAttempts } from '@waypost/ports';
import { ATTEMPTS, type TurnsByName } from '../limits.ts';
import { assertEmail, invalid } from './accounts.ts';
import { actorOf } from './actor.ts';
import { countAttempt } from './attempts.ts';
import { hashSecret } from './hash-secret.ts';
import { hashPassword, isPassword } from './passwords.ts';

export interface SignInDeps {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly attempts: SignInAttempts;
  readonly turns: Pick<TurnsByName, 'passwords'>;
  readonly now: () => Date;
}

export const SESSION_SECONDS = 14 * 24 * 3600;
/** Who waits for a turn to hash: strangers among themselves, so that they hold up nobody who has a session. */
const STRANGERS = 'strangers';
const OWNERS = 'owners';
/**
 * So long after a sign-in by link a password is set without the old one: that is how a forgotten one is replaced. So long
 * after any sign-in an account without a password is deleted.
 */
const FRESH_MS = 15 * 60_000;

export interface SignedIn {
  readonly account: Account;
  /** For the cookie; it is nowhere else. */
  readonly token: string;
}

/** A new token each time: nobody's session goes on under a token that was there before the sign-in. */
function newSession({ now }: Pick<SignInDeps, 'now'>) {
  const token = randomBytes(32).toString('base64url');
  const at = now();
  const expiresAt = new Date(at.getTime() + SESSION_SECONDS * 1000);
  return { token, session: { tokenHash: hashSecret(token), at, expiresAt } };
}

/**
 * With `passwordHash`, `credentials_wrong` if that is no longer the account's: a change of the password ends what the
 * earlier one began.
 */
export async function startSession(deps: SignInDeps, account: Account, passwordHash?: string): Promise<SignedIn> {
  const { token, session } = newSession(deps);
  if (!(await deps.sessions.start({ ...session, accountId: account.id, passwordHash })))
    throw passwordHash === undefined ? accountGone() : credentialsWrong();
  return { account, token };
}

/** Throws `credentials_wrong`, in the same words and after the same work whatever is wrong, and `too_many_attempts`. */
export async function signIn(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  gone: AbortSignal,
): Promise<SignedIn> {
  const subject = toSignIn(email);
  const release = await deps.turns.passwords.take(STRANGERS, gone);
  try {
    // Here, since each is a row: strangers store no more of them than their turns.
    await countTry(deps, subject);
    const known = await deps.accounts.credentials({ email });
    const right = await isPassword(password, known?.passwordHash);
    if (known?.passwordHash == null || !right) throw credentialsWrong();
    await deps.attempts.clear(subject);
    return await startSession(deps, known, known.passwordHash);
  } finally {
    release();
  }
}

const credentialsWrong = () => new DomainError('credentials_wrong', 'The e-mail address or the password is wrong.');

/** That of a session is its own: else strangers could keep an owner from a new password. */
const toSignIn = (email: string) => hashSecret(`sign-in ${email.toLowerCase()}`);
const ofSession = (accountId: string) => hashSecret(`password of ${accountId}`);

/** Counted before the password is looked at, so that many at once are not more than one after the other. */
const countTry = (deps: SignInDeps, subject: Buffer) =>
  countAttempt(deps, subject, ATTEMPTS.passwords, 'Too many attempts. Wait, or ask an operator for a sign-in link.');

/** Undefined for a link that was used, replaced or is too old. */
export async function signInByLink(deps: SignInDeps, linkToken: string): Promise<SignedIn | undefined> {
  const { token, session } = newSession(deps);
  const account = await deps.accounts.useSignInLink(hashSecret(linkToken), session);
  return account && { account, token };
}

/** The token of a new address for the first account, or undefined when there is an account. */
export async function newFirstRun(accounts: Accounts): Promise<string | undefined> {
  if (await accounts.any()) return undefined;
  const token = randomBytes(32).toString('base64url');
  await accounts.putFirstRun(hashSecret(token));
  return token;
}

/** Makes the first account, an administrator, and signs it in. Throws `first_run_over`. */
export async function firstRun(
  deps: SignInDeps,
  { token, email, password }: { token: string; email: string; password: string },
  gone: AbortSignal,
): Promise<SignedIn> {
  const tokenHash = hashSecret(token);
  const over = () => new DomainError('first_run_over', 'This address does not make an account any more: sign in.');
  if (!(await deps.accounts.findFirstRun(tokenHash))) throw over();
  assertEmail(email);
  const release = await deps.turns.passwords.take(OWNERS, gone);
  const passwordHash = await hashPassword(password).finally(release);
  const account = await deps.accounts.createFirst({ tokenHash, email, passwordHash });
  if (account === undefined) throw over();
  return startSession(deps, account);
}

const isFresh = ({ now }: SignInDeps, { startedAt }: NonNullable<Caller['session']>) =>
  now().getTime() - startedAt.getTime() < FRESH_MS;

/**
 * That the owner asks, and means this account: what that rests on, which may end before it is used. Throws
 * `validation_failed` for a wrong address, a wrong password and, of an account without one, an older sign-in; and
 * `too_many_attempts`.
 */
export async function proveOwner(
  deps: SignInDeps,
  { accountId, session }: Caller,
  { email, current }: { email: string; current: string | undefined },
  gone: AbortSignal,
): Promise<OwnerProof> {
  const known = await deps.accounts.credentials({ id: accountId });
  if (session === undefined) throw new Error('a caller without a session');
  if (known === undefined) throw accountGone();
  if (email.toLowerCase() !== known.email) throw invalid({ email: 'is not that of this account' });
  const proof = { session: session.tokenHash, passwordHash: known.passwordHash };
  if (known.passwordHash === null) {
    if (!isFresh(deps, session))
      throw invalid({ current_password: 'is not set: sign in again, then ask within 15 minutes' });
    return proof;
  }
  const subject = ofSession(accountId);
  await countTry(deps, subject);
  const release = await deps.turns.passwords.take(OWNERS, gone);
  const right = await isPassword(current ?? '', known.passwordHash).finally(release);
  if (!right) throw passwordWrong();
  await deps.attempts.clear(subject);
  return proof;
}

const passwordWrong = () => invalid({ current_password: 'is wrong' });

/** Throws why what an owner proved does not hold any more. */
export async function notProven(deps: SignInDeps, session: Buffer): Promise<never> {
  if (await deps.sessions.authenticate(session, deps.now())) throw passwordWrong();
  throw new DomainError('credentials_wrong', 'The session has ended: sign in again.');
}

/**
 * Ends all other sessions of the account. Throws `validation_failed` for a wrong current password, `credentials_wrong`
 * if the session ended meanwhile, and `too_many_attempts`.
 */
export async function changePassword(
  deps: SignInDeps,
  caller: Caller,
  { current, wanted }: { current: string | undefined; wanted: string },
  gone: AbortSignal,
): Promise<void> {
  const { accountId, session } = caller;
  const known = await deps.accounts.credentials({ id: accountId });
  if (session === undefined) throw new Error('a caller without a session');
  if (known === undefined) throw accountGone();
  const recovers = session.byLink && isFresh(deps, session);
  const subject = ofSession(accountId);
  await countTry(deps, subject);
  const release = await deps.turns.passwords.take(OWNERS, gone);
  try {
    const from = known.passwordHash;
    if (from !== null && !recovers && !(await isPassword(current ?? '', from))) throw passwordWrong();
    const to = await hashPassword(wanted, 'new_password');
    // Before the change: whoever is told that one of these failed tries again, with the password until now.
    await deps.attempts.clear(subject);
    // Whoever forgot it has tried before.
    await deps.attempts.clear(toSignIn(known.email));
    const change = { from, to, session: session.tokenHash };
    if (await deps.accounts.setPassword(accountId, change, actorOf(caller))) return;
  } finally {
    release();
  }
  await notProven(deps, session.tokenHash);
}
