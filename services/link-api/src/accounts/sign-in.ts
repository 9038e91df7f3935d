import { randomBytes } from 'node:crypto';
import { type Actor, accountGone, DomainError } from '@waypost/domain';
import { aboutAccount } from '../audit/index.ts';
import { countAttempt, type SignInAttempts } from '../platform/attempts.ts';
import { actorOf, type Caller } from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { ATTEMPTS, type TurnsByName } from '../platform/limits.ts';
import type { Account, Accounts } from './accounts.port.ts';
import { assertEmail } from './accounts.ts';
import type { OwnerProof } from './deletions.port.ts';
import { hashPassword, isPassword } from './passwords.ts';
import type { Sessions } from './sessions.port.ts';

export interface SignInDeps {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly attempts: SignInAttempts;
  readonly turns: Pick<TurnsByName, 'passwords'>;
  readonly now: () => Date;
}

export const SESSION_SECONDS = 14 * 24 * 3600;
/** Strangers share one queue for hashing, so they do not delay owners who have a session. */
const STRANGERS = 'strangers';
const OWNERS = 'owners';
/**
 * For 15 minutes after a sign-in by link, the owner can set a password without the old one. An account without a
 * password can be deleted within 15 minutes of any sign-in.
 */
const FRESH_MS = 15 * 60_000;

export interface SignedIn {
  readonly account: Account;
  /** Only the cookie gets this token; the store keeps its hash. */
  readonly token: string;
}

/** Each sign-in gets a new token, which prevents session fixation. */
function newSession({ now }: Pick<SignInDeps, 'now'>) {
  const token = randomBytes(32).toString('base64url');
  const at = now();
  const expiresAt = new Date(at.getTime() + SESSION_SECONDS * 1000);
  return { token, session: { tokenHash: hashSecret(token), at, expiresAt } };
}

/** Throws `credentials_wrong` if the password has changed since `passwordHash` was read. */
export async function startSession(deps: SignInDeps, account: Account, passwordHash?: string): Promise<SignedIn> {
  const { token, session } = newSession(deps);
  if (!(await deps.sessions.start({ ...session, accountId: account.id, passwordHash })))
    throw passwordHash === undefined ? accountGone() : credentialsWrong();
  return { account, token };
}

/** Throws `too_many_attempts`. Throws `credentials_wrong` with the same message after the same work for every cause. */
export async function signIn(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  signal: AbortSignal,
): Promise<SignedIn> {
  const subject = toSignIn(email);
  const release = await deps.turns.passwords.take(STRANGERS, signal);
  try {
    // Each attempt is a row. Counting only after the turn limits how many rows strangers can create.
    await countTry(deps, subject);
    const account = await deps.accounts.credentials({ email });
    const right = await isPassword(password, account?.passwordHash);
    if (account?.passwordHash == null || !right) throw credentialsWrong();
    await deps.attempts.clear(subject);
    return await startSession(deps, account, account.passwordHash);
  } finally {
    release();
  }
}

const credentialsWrong = () => new DomainError('credentials_wrong', 'The e-mail address or the password is wrong.');

/** Sessions have their own attempt counter, so strangers cannot lock the owner out. */
const toSignIn = (email: string) => hashSecret(`sign-in ${email.toLowerCase()}`);
const ofSession = (accountId: string) => hashSecret(`password of ${accountId}`);

/** This counts before the password is checked, so parallel attempts cannot exceed the limit. */
const countTry = (deps: SignInDeps, subject: Buffer) =>
  countAttempt(deps, subject, ATTEMPTS.passwords, 'Too many attempts. Wait, or ask an operator for a sign-in link.');

/** Resolves to undefined if the link is unknown, used, replaced or expired. */
export async function signInByLink(deps: SignInDeps, linkToken: string): Promise<SignedIn | undefined> {
  const { token, session } = newSession(deps);
  const account = await deps.accounts.useSignInLink(hashSecret(linkToken), session);
  return account && { account, token };
}

/** Returns a token with which a person can create the first account. Undefined if an account exists. */
export async function newFirstRun(accounts: Accounts): Promise<string | undefined> {
  if (await accounts.any()) return undefined;
  const token = randomBytes(32).toString('base64url');
  await accounts.putFirstRun(hashSecret(token));
  return token;
}

const FIRST_RUN: Actor = { accountId: null, via: 'first_run', credential: null };

/** Creates the first account, which is an administrator's, and signs it in. Throws `first_run_over`. */
export async function firstRun(
  deps: SignInDeps,
  { token, email, password }: { token: string; email: string; password: string },
  signal: AbortSignal,
): Promise<SignedIn> {
  const tokenHash = hashSecret(token);
  const over = () => new DomainError('first_run_over', 'This address does not make an account any more: sign in.');
  if (!(await deps.accounts.findFirstRun(tokenHash))) throw over();
  assertEmail(email);
  const release = await deps.turns.passwords.take(OWNERS, signal);
  const passwordHash = await hashPassword(password).finally(release);
  const account = await deps.accounts.createFirst({ tokenHash, email, passwordHash }, ({ id }) => [
    aboutAccount(FIRST_RUN, 'account.created', id),
  ]);
  if (account === undefined) throw over();
  return startSession(deps, account);
}

const isFresh = ({ now }: SignInDeps, { startedAt }: NonNullable<Caller['session']>) =>
  now().getTime() - startedAt.getTime() < FRESH_MS;

/**
 * Checks the password or a recent sign-in. The proof can expire before it is used. Throws `validation_failed` and
 * `too_many_attempts`.
 */
export async function proveOwner(
  deps: SignInDeps,
  { accountId, session }: Caller,
  { email, current }: { email: string; current: string | undefined },
  signal: AbortSignal,
): Promise<OwnerProof> {
  const account = await deps.accounts.credentials({ id: accountId });
  if (session === undefined) throw new Error('a caller without a session');
  if (account === undefined) throw accountGone();
  if (email.toLowerCase() !== account.email) throw invalid({ email: 'is not that of this account' });
  const proof = { session: session.tokenHash, passwordHash: account.passwordHash };
  if (account.passwordHash === null) {
    if (!isFresh(deps, session))
      throw invalid({ current_password: 'is not set: sign in again, then ask within 15 minutes' });
    return proof;
  }
  const subject = ofSession(accountId);
  await countTry(deps, subject);
  const release = await deps.turns.passwords.take(OWNERS, signal);
  const right = await isPassword(current ?? '', account.passwordHash).finally(release);
  if (!right) throw passwordWrong();
  await deps.attempts.clear(subject);
  return proof;
}

const passwordWrong = () => invalid({ current_password: 'is wrong' });

export async function notProven(deps: SignInDeps, session: Buffer): Promise<never> {
  if (await deps.sessions.authenticate(session, deps.now())) throw passwordWrong();
  throw new DomainError('credentials_wrong', 'The session has ended: sign in again.');
}

/** Ends all other sessions. Throws `validation_failed`, `credentials_wrong` and `too_many_attempts`. */
export async function changePassword(
  deps: SignInDeps,
  caller: Caller,
  { current, replacement }: { current: string | undefined; replacement: string },
  signal: AbortSignal,
): Promise<void> {
  const { accountId, session } = caller;
  const account = await deps.accounts.credentials({ id: accountId });
  if (session === undefined) throw new Error('a caller without a session');
  if (account === undefined) throw accountGone();
  const recovers = session.byLink && isFresh(deps, session);
  const subject = ofSession(accountId);
  await countTry(deps, subject);
  const release = await deps.turns.passwords.take(OWNERS, signal);
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
