import { randomBytes } from 'node:crypto';
import { accountGone, DomainError, type SignInWay } from '@waypost/domain';
import type { AuditLog, AuditNote } from '../audit/index.ts';
import { countAttempt, type SignInAttempts } from '../platform/attempts.ts';
import { sessionId } from '../platform/caller.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { SlotsOf } from '../platform/limits.ts';
import type { Origin } from '../platform/place.ts';
import type { InstallationSecret } from '../platform/signed.ts';
import type { Account, Accounts } from './accounts.port.ts';
import { ATTEMPTS } from './limits.ts';
import type { NewSession, Sessions } from './sessions.port.ts';

export interface SignInDeps {
  readonly accounts: Accounts;
  readonly sessions: Sessions;
  readonly attempts: SignInAttempts;
  readonly audit: Pick<AuditLog, 'refused'>;
  readonly slotsOf: SlotsOf;
  readonly secret: InstallationSecret;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

export const SESSION_SECONDS = 14 * 24 * 3600;

export interface SignedIn {
  readonly account: Account;
  /** Only the cookie gets this token; the store keeps its hash. */
  readonly token: string;
}

export const newToken = () => randomBytes(32).toString('base64url');

/** Each sign-in gets a new token, which prevents session fixation. */
export function newSession({ now }: Pick<SignInDeps, 'now'>, via: SignInWay, origin: Origin) {
  const token = newToken();
  const at = now();
  const expiresAt = new Date(at.getTime() + SESSION_SECONDS * 1000);
  return { token, session: { tokenHash: hashSecret(token), via, origin, at, expiresAt } };
}

export function sessionStarted(accountId: string, { tokenHash, via, origin }: NewSession): AuditNote {
  const { browser, system, country } = origin;
  const id = sessionId(tokenHash);
  const by = { accountId, via, credential: id };
  return { by, action: 'session.started', subject: id, accountId, detail: `${browser} on ${system}, ${country}` };
}

/** Throws `too_many_attempts`, and `credentials_wrong` if the password has changed since `passwordHash` was read. */
export async function startSession(deps: SignInDeps, account: Account, how: Beginning): Promise<SignedIn> {
  const subject = hashSecret(`sessions of ${account.id}`);
  await countAttempt(
    deps,
    subject,
    ATTEMPTS.sessions,
    'Too many sign-ins to this account. Try again in a few minutes.',
  );
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

export const credentialsWrong = () =>
  new DomainError('credentials_wrong', 'The e-mail address or the password is wrong.');
