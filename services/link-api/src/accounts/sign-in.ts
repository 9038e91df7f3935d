import { randomBytes } from 'node:crypto';
import { type Actor, accountGone, DomainError, type SignInWay } from '@waypost/domain';
import { type AuditLog, type AuditNote, aboutAccount } from '../audit/index.ts';
import { countAttempt, type SignInAttempts } from '../platform/attempts.ts';
import {
  actorOf,
  type Caller,
  isProven,
  ownSession,
  proofNeeded,
  sessionEnded,
  sessionId,
} from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { ATTEMPTS, type TurnsByName } from '../platform/limits.ts';
import type { Origin, Place } from '../platform/place.ts';
import type { InstallationSecret } from '../platform/signed.ts';
import type { Account, Accounts } from './accounts.port.ts';
import { assertEmail } from './accounts.ts';
import { deviceOf } from './device.ts';
import { hashPassword, isPassword } from './passwords.ts';
import type { NewSession, OwnerProof, Sessions } from './sessions.port.ts';

export interface SignInDeps {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly attempts: SignInAttempts;
  readonly audit: Pick<AuditLog, 'refused'>;
  readonly turns: Pick<TurnsByName, 'passwords' | 'guesses'>;
  readonly secret: InstallationSecret;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

export const SESSION_SECONDS = 14 * 24 * 3600;
/** Owners with a session, and browsers that signed in before, have their own queue for hashing. */
const OWNERS = 'owners';
export interface SignedIn {
  readonly account: Account;
  /** Only the cookie gets this token; the store keeps its hash. */
  readonly token: string;
}

export const newToken = () => randomBytes(32).toString('base64url');

/** Each sign-in gets a new token, which prevents session fixation. */
function newSession({ now }: Pick<SignInDeps, 'now'>, via: SignInWay, origin: Origin) {
  const token = newToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + SESSION_SECONDS * 1000);
  return { token, session: { tokenHash: hashSecret(token), via, origin, at, expiresAt } };
}

function sessionStarted(accountId: string, { tokenHash, via, origin }: NewSession): AuditNote {
  const { browser, system, country } = origin;
  const id = sessionId(tokenHash);
  const by = { accountId, via, credential: id };
  return { by, action: 'session.started', subject: id, accountId, detail: `${browser} on ${system}, ${country}` };
}

/** Throws `too_many_attempts`, and `credentials_wrong` if the password has changed since `passwordHash` was read. */
export async function startSession(deps: SignInDeps, account: Account, how: Beginning): Promise<SignedIn> {
  const begun = hashSecret(`sessions of ${account.id}`);
  await countAttempt(deps, begun, ATTEMPTS.sessions, 'This account was signed in to too often. Wait some minutes.');
  return beginSession(deps, account, how);
}

interface Beginning {
  readonly via: SignInWay;
  readonly origin: Origin;
  readonly passwordHash?: string;
}

/** Counts nothing, so nobody who signs in too often can stop it. */
export async function beginSession(
  deps: Pick<SignInDeps, 'sessions' | 'now'>,
  account: Account,
  { via, origin, passwordHash }: Beginning,
): Promise<SignedIn> {
  const { token, session } = newSession(deps, via, origin);
  const started = { ...session, accountId: account.id, passwordHash };
  if (!(await deps.sessions.start(started, () => [sessionStarted(account.id, session)])))
    throw passwordHash === undefined ? accountGone() : credentialsWrong();
  return { account, token };
}

/**
 * A flood of guesses leaves at most three entries for each 15 minutes, since most of it is refused. Nobody waits for
 * the entry, because the time of the answer would tell that the account exists.
 */
function noteWrongPassword(deps: SignInDeps, account: Account | undefined, attempts: number, most: number): void {
  if (account === undefined || ![1, ATTEMPTS.passwords, most].includes(attempts)) return;
  const { id } = account;
  const by: Actor = { accountId: null, via: 'password', credential: null };
  const refused = attempts === most ? ': no more are tried for a while.' : ' within 15 minutes.';
  const detail = attempts === 1 ? 'A wrong password.' : `${attempts} wrong passwords${refused}`;
  void deps.audit
    .refused({ by, action: 'session.started', subject: id, accountId: id, detail })
    .catch(deps.onLateError);
}

/** Where an attempt to sign in comes from. */
export interface From {
  readonly place: Pick<Place, 'site' | 'shared' | 'leave'>;
  /** The value of the device cookie, before any check. */
  readonly device: string | undefined;
  readonly origin: Origin;
}

/** Throws `too_many_attempts`. Throws `credentials_wrong` with the same message after the same work for every cause. */
export async function signIn(
  deps: SignInDeps,
  { email, password }: { email: string; password: string },
  { place, device: cookie, origin }: From,
  signal: AbortSignal,
): Promise<SignedIn> {
  const device = await deviceOf(deps.secret, email, cookie);
  place.leave();
  const { passwords, guesses } = deps.turns;
  const release = await (device === undefined ? guesses.take(place.site, signal) : passwords.take(OWNERS, signal));
  try {
    // Each attempt is a row. Counting only after the turn limits how many rows strangers can create.
    const counts = countsOf(email, place, device);
    let attempts = 0;
    for (const { subject, most } of counts) attempts = await countTry(deps, subject, most);
    const account = await deps.accounts.credentials({ email });
    const right = await isPassword(password, account?.passwordHash);
    if (account?.passwordHash == null || !right) {
      noteWrongPassword(deps, account, attempts, counts.at(-1)!.most);
      throw credentialsWrong();
    }
    for (const { subject } of counts) await deps.attempts.clear(subject);
    return await startSession(deps, account, { via: 'password', origin, passwordHash: account.passwordHash });
  } finally {
    release();
  }
}

const credentialsWrong = () => new DomainError('credentials_wrong', 'The e-mail address or the password is wrong.');

interface Count {
  readonly subject: Buffer;
  readonly most: number;
}

/**
 * One network is refused before it can use up the attempts of all networks, which come last. Behind a proxy that is not
 * trusted there is one network for all people, so only the e-mail address counts.
 */
function countsOf(email: string, { site, shared }: From['place'], device: string | undefined): readonly Count[] {
  if (device !== undefined) return [{ subject: hashSecret(`sign-in by ${device}`), most: ATTEMPTS.passwords }];
  const ofAll = { subject: toSignIn(email), most: ATTEMPTS.passwordsOfAll };
  const ofSite = hashSecret(`sign-in ${email.toLowerCase()} from ${site}`);
  return shared ? [ofAll] : [{ subject: ofSite, most: ATTEMPTS.passwords }, ofAll];
}

/** Sessions have their own attempt counter, so strangers cannot lock the owner out. */
const toSignIn = (email: string) => hashSecret(`sign-in ${email.toLowerCase()}`);
const ofSession = (accountId: string) => hashSecret(`password of ${accountId}`);

/** This counts before the password is checked, so parallel attempts cannot exceed the limit. */
const countTry = (deps: SignInDeps, subject: Buffer, most: number = ATTEMPTS.passwords) =>
  countAttempt(deps, subject, most, 'Too many attempts. Wait, or ask an operator for a sign-in link.');

/** Resolves to undefined if the link is unknown, used, replaced or expired. */
export async function signInByLink(deps: SignInDeps, linkToken: string, origin: Origin): Promise<SignedIn | undefined> {
  const { token, session } = newSession(deps, 'sign_in_link', origin);
  const account = await deps.accounts.useSignInLink(hashSecret(linkToken), session, ({ id }) => [
    sessionStarted(id, session),
  ]);
  return account && { account, token };
}

/** The start prints the token, perhaps into a log that is kept. So it expires. */
const FIRST_RUN_MS = 3_600_000;

/** Returns a token with which a person can create the first account within an hour. Undefined if an account exists. */
export async function newFirstRun(accounts: Accounts, now: Date): Promise<string | undefined> {
  if (await accounts.any()) return undefined;
  const token = newToken();
  await accounts.putFirstRun({ tokenHash: hashSecret(token), expiresAt: new Date(now.getTime() + FIRST_RUN_MS) });
  return token;
}

const FIRST_RUN: Actor = { accountId: null, via: 'first_run', credential: null };

/** Creates the first account, which is an administrator's, and signs it in. Throws `first_run_over`. */
export async function firstRun(
  deps: SignInDeps,
  { token, email, password, origin }: { token: string; email: string; password: string; origin: Origin },
  signal: AbortSignal,
): Promise<SignedIn> {
  const tokenHash = hashSecret(token);
  const over = () =>
    new DomainError(
      'first_run_over',
      'This address does not make an account any more: sign in, or start Waypost again for a new one.',
    );
  if (!(await deps.accounts.findFirstRun(tokenHash, deps.now()))) throw over();
  assertEmail(email);
  const release = await deps.turns.passwords.take(OWNERS, signal);
  const passwordHash = await hashPassword(password).finally(release);
  const account = await deps.accounts.createFirst({ tokenHash, email, passwordHash }, ({ id }) => [
    aboutAccount(FIRST_RUN, 'account.created', id),
  ]);
  if (account === undefined) throw over();
  return startSession(deps, account, { via: 'first_run', origin });
}

/** Throws `validation_failed` if it is not the password of the account, and `too_many_attempts`. */
export async function checkOwnPassword(
  deps: SignInDeps,
  { id, passwordHash }: { readonly id: string; readonly passwordHash: string | null },
  password: string,
  signal: AbortSignal,
): Promise<void> {
  const subject = ofSession(id);
  await countTry(deps, subject);
  const release = await deps.turns.passwords.take(OWNERS, signal);
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
  const account = await deps.accounts.credentials({ id: accountId });
  if (account === undefined) throw accountGone();
  if (email.toLowerCase() !== account.email) throw invalid({ email: 'is not that of this account' });
  const proof = { session: session.tokenHash, passwordHash: account.passwordHash };
  if (account.passwordHash !== null) await checkOwnPassword(deps, account, current ?? '', signal);
  else if (!isProven(caller, deps.now())) throw proofNeeded();
  return proof;
}

const passwordWrong = () => invalid({ current_password: 'is wrong' });

export async function notProven(deps: SignInDeps, session: Buffer): Promise<never> {
  if (await deps.sessions.authenticate(session, deps.now())) throw passwordWrong();
  throw sessionEnded();
}

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
  const account = await deps.accounts.credentials({ id: accountId });
  if (account === undefined) throw accountGone();
  if (account.passwordHash === null && !isProven(caller, deps.now())) throw proofNeeded();
  // Whoever gets a link has probably forgotten the password.
  const recovers = session.via === 'sign_in_link' && isProven(caller, deps.now());
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
