/** Accounts, their sign-in links and their API keys, for the operator commands. */
import { argon2, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type ApiKey, DomainError, formatApiKey, type Scope, scopesProblem } from '@waypost/domain';
import type { Account, Accounts, ApiKeys } from '@waypost/ports';
import { hashSecret } from './hash-secret.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly keys: ApiKeys;
  readonly baseUrl: string;
  readonly now: () => Date;
}

const SIGN_IN_LINK_MS = 3_600_000;
const EMAIL = /^[^\s@\p{Cc}<>",;]{1,64}@[^\s@\p{Cc}<>",;]+\.[^\s@.\p{Cc}<>",;]+$/u;
export const EMAIL_MAX = 254;
const PASSWORD_MIN = 12;

export interface SignInLink {
  readonly email: string;
  readonly sign_in_url: string;
  readonly expires_at: string;
}

export async function createAccount(
  deps: Deps,
  request: { email: string; admin: boolean; password?: string },
): Promise<Account & { readonly signInUrl: string }> {
  assertEmail(request.email);
  const passwordHash = request.password === undefined ? null : await hashPassword(request.password);
  const account = await deps.accounts.create({ email: request.email, admin: request.admin, passwordHash });
  const { sign_in_url } = await newSignInLink(deps, account);
  return { ...account, signInUrl: sign_in_url };
}

/** A new sign-in link for an existing account; the earlier one stops working. */
export async function createSignInLink(deps: Deps, email: string): Promise<SignInLink> {
  return newSignInLink(deps, await accountOf(deps, email));
}

async function newSignInLink(deps: Deps, account: Account): Promise<SignInLink> {
  const token = randomBytes(32).toString('base64url');
  const expiresAt = new Date(deps.now().getTime() + SIGN_IN_LINK_MS);
  await deps.accounts.putSignInLink(account.id, hashSecret(token), expiresAt);
  return { email: account.email, sign_in_url: `${deps.baseUrl}/sign-in/${token}`, expires_at: expiresAt.toISOString() };
}

/** The key itself is in the result and nowhere else: only its SHA-256 is stored. */
export async function createApiKey(
  deps: Deps,
  request: { email: string; name: string; scopes: readonly string[] },
): Promise<ApiKey & { readonly key: string }> {
  const details: Record<string, string> = {};
  const scopes = scopesProblem(request.scopes);
  if (scopes !== undefined) details.scopes = scopes;
  const name = request.name.trim();
  if (name === '' || [...name].length > 100 || /\p{Cc}/u.test(name))
    details.name = 'must be 1 to 100 characters, without control characters';
  if (Object.keys(details).length > 0) throw invalid(details);
  const { id: accountId } = await accountOf(deps, request.email);
  const key = formatApiKey(randomBytes(32), crc32);
  const stored = await deps.keys.create({
    accountId,
    name,
    scopes: request.scopes as readonly Scope[],
    keyHash: hashSecret(key),
    hint: key.slice(0, 10),
  });
  return { ...stored, key };
}

export async function setLimit(deps: Deps, email: string, creationsPerHour: number | null): Promise<Account> {
  if (
    creationsPerHour !== null &&
    !(Number.isInteger(creationsPerHour) && creationsPerHour >= 0 && creationsPerHour <= 1e9)
  ) {
    throw invalid({ creations_per_hour: 'must be a whole number from 0 to 1000000000' });
  }
  return deps.accounts.setLimit(email, creationsPerHour);
}

async function accountOf(deps: Deps, email: string): Promise<Account> {
  const account = await deps.accounts.findByEmail(email);
  if (account === undefined)
    throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
  return account;
}

function assertEmail(email: string): void {
  if (email.length > EMAIL_MAX || !EMAIL.test(email)) throw invalid({ email: 'is not an e-mail address' });
}

function invalid(details: Record<string, string>): DomainError {
  const words = Object.entries(details).map(([field, problem]) => `${field} ${problem}`);
  return new DomainError('validation_failed', `${words.join('; ')}.`, { details });
}

/** Argon2id with OWASP's parameters (19 MiB, 2 passes), in PHC's string format. */
async function hashPassword(password: string): Promise<string> {
  if ([...password].length < PASSWORD_MIN) throw invalid({ password: `must be at least ${PASSWORD_MIN} characters` });
  const nonce = randomBytes(16);
  const [memory, passes, parallelism, tagLength] = [19_456, 2, 1, 32];
  const tag = await promisify(argon2)('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength });
  const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}
