import { type Actor, DomainError } from '@waypost/domain';
import { aboutAccount } from '../audit/index.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { Origin } from '../platform/place.ts';
import type { Accounts } from './accounts.port.ts';
import { assertEmail } from './accounts.ts';
import { PASSWORDS } from './limits.ts';
import { OWNERS } from './password-attempts.ts';
import { hashPassword } from './passwords.ts';
import { newToken, type SignedIn, type SignInDeps, startSession } from './start-session.ts';

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
    new DomainError('first_run_over', 'This setup link has expired. Sign in, or restart Waypost to get a new one.');
  if (!(await deps.accounts.findFirstRun(tokenHash, deps.now()))) throw over();
  assertEmail(email);
  const release = await deps.slotsOf(PASSWORDS).take(OWNERS, signal);
  const passwordHash = await hashPassword(password).finally(release);
  const account = await deps.accounts.createFirst({ tokenHash, email, passwordHash }, ({ id }) => [
    aboutAccount(FIRST_RUN, 'account.created', id),
  ]);
  if (account === undefined) throw over();
  return startSession(deps, account, { via: 'first_run', origin });
}
