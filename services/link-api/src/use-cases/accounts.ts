/** Accounts, their sign-in links and their API keys, for the operator commands and the dashboard. */
import { randomBytes } from 'node:crypto';
import { type Actor, type ApiKey, DomainError, formatApiKey, type Scope, scopesProblem } from '@waypost/domain';
import type { Account, AccountDetails, Accounts, ApiKeys } from '@waypost/ports';
import { hashSecret } from './hash-secret.ts';
import { hashPassword } from './passwords.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly baseUrl: string;
  readonly now: () => Date;
}

const SIGN_IN_LINK_MS = 3_600_000;
const EMAIL = /^[^\s@\p{Cc}<>",;]{1,64}@[^\s@\p{Cc}<>",;]+\.[^\s@.\p{Cc}<>",;]+$/u;
export const EMAIL_MAX = 254;
/** Of a key or a passkey. */
export const NAME_MAX = 100;

/** With a link, its owner may sign in: `sign_in_url`, which is in the result and nowhere else. */
export async function createAccount(
  deps: Deps,
  request: { email: string; admin: boolean; password?: string; signInLink?: boolean },
  by: Actor,
) {
  const { email, admin, password } = request;
  assertEmail(email);
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const link = request.signInLink ? newSignInLink(deps) : undefined;
  const account = await deps.accounts.create({ email, admin, passwordHash, signInLink: link?.stored }, by);
  return { ...account, ...link?.shown };
}

/** A new sign-in link for an existing account; the earlier one stops working. */
export async function createSignInLink(deps: Deps, email: string, by: Actor) {
  const account = await accountOf(deps, email);
  const { stored, shown } = newSignInLink(deps);
  await deps.accounts.putSignInLink(account.id, stored, by);
  return { email: account.email, ...shown };
}

function newSignInLink({ baseUrl, now }: Pick<Deps, 'baseUrl' | 'now'>) {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(now().getTime() + SIGN_IN_LINK_MS);
  return {
    stored: { tokenHash: hashSecret(token), expiresAt },
    shown: { sign_in_url: `${baseUrl}/sign-in/${token}`, expires_at: expiresAt.toISOString() },
  };
}

/** The key itself is in the result and nowhere else: only its SHA-256 is stored. */
export async function createApiKey(
  deps: Pick<Deps, 'keys' | 'now'>,
  accountId: string,
  request: { name: string; scopes: readonly string[]; expiresAt?: Date | undefined },
  by: Actor,
): Promise<ApiKey & { readonly key: string; readonly hint: string }> {
  const details: Record<string, string> = {};
  const scopes = scopesProblem(request.scopes);
  if (scopes !== undefined) details.scopes = scopes;
  const name = request.name.trim();
  const problem = nameProblem(request.name);
  if (problem !== undefined) details.name = problem;
  const { expiresAt = null } = request;
  if (expiresAt !== null && expiresAt <= deps.now()) details.expires_at = 'must be in the future';
  if (Object.keys(details).length > 0) throw invalid(details);
  const key = formatApiKey(randomBytes(32));
  const hint = key.slice(0, 10);
  const stored = await deps.keys.create(
    { accountId, name, scopes: request.scopes as readonly Scope[], keyHash: hashSecret(key), hint, expiresAt },
    by,
  );
  return { ...stored, key, hint };
}

export async function setLimit(
  deps: Pick<Deps, 'accounts'>,
  email: string,
  creationsPerHour: number | null,
  by: Actor,
): Promise<Account> {
  if (
    creationsPerHour !== null &&
    !(Number.isInteger(creationsPerHour) && creationsPerHour >= 0 && creationsPerHour <= 1e9)
  ) {
    throw invalid({ creations_per_hour: 'must be a whole number from 0 to 1000000000' });
  }
  return deps.accounts.setLimit(email, creationsPerHour, by);
}

/** Its keys and sessions are refused from the next request on; its links stay as they are. Nobody suspends themselves. */
export async function suspendAccount(
  deps: Pick<Deps, 'accounts' | 'now'>,
  email: string,
  reason: string | null,
  by: Actor,
): Promise<AccountDetails> {
  const account = await accountOf(deps, email);
  if (account.id === by.accountId) throw invalid({ email: 'is your own account' });
  return deps.accounts.suspend(email, { reason, at: deps.now() }, by);
}

export async function accountOf(deps: Pick<Deps, 'accounts'>, email: string): Promise<Account> {
  const account = await deps.accounts.findByEmail(email);
  if (account === undefined)
    throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
  return account;
}

/** Of a key or a passkey, as its owner calls it. */
export function nameProblem(given: string): string | undefined {
  const name = given.trim();
  const isName = name !== '' && [...given.slice(0, 2 * NAME_MAX + 1)].length <= NAME_MAX && !/\p{Cc}/u.test(name);
  return isName ? undefined : `must be 1 to ${NAME_MAX} characters, without control characters`;
}

export function assertEmail(email: string): void {
  if (email.length > EMAIL_MAX || !EMAIL.test(email)) throw invalid({ email: 'is not an e-mail address' });
}

export function invalid(details: Record<string, string>): DomainError {
  const words = Object.entries(details).map(([field, problem]) => `${field} ${problem}`);
  return new DomainError('validation_failed', `${words.join('; ')}.`, { details });
}
