import { randomBytes } from 'node:crypto';
import { type Actor, DomainError } from '@waypost/domain';
import { aboutAccount } from '../audit/index.ts';
import { invalid } from '../platform/checks.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import type { Account, Accounts } from './accounts.port.ts';
import { hashPassword } from './passwords.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly baseUrl: string;
  readonly now: () => Date;
}

const SIGN_IN_LINK_MS = 3_600_000;
const EMAIL = /^[^\s@\p{Cc}<>",;]{1,64}@[^\s@\p{Cc}<>",;]+\.[^\s@.\p{Cc}<>",;]+$/u;
export const EMAIL_MAX = 254;

/** Only this result contains `sign_in_url`: the store keeps a hash of its token. */
export async function createAccount(
  deps: Deps,
  request: { email: string; admin: boolean; password?: string | undefined; signInLink?: boolean },
  by: Actor,
) {
  const { email, admin, password } = request;
  assertEmail(email);
  const passwordHash = password === undefined ? null : await hashPassword(password);
  const link = request.signInLink ? newSignInLink(deps) : undefined;
  const account = await deps.accounts.create({ email, admin, passwordHash, signInLink: link?.stored }, ({ id }) => [
    aboutAccount(by, 'account.created', id, admin ? 'administrator' : ''),
    ...(link === undefined ? [] : [aboutAccount(by, 'account.sign_in_link_made', id)]),
  ]);
  return { ...account, ...link?.shown };
}

export async function createSignInLink(deps: Deps, email: string, by: Actor) {
  const account = await accountOf(deps, email);
  const { stored, shown } = newSignInLink(deps);
  await deps.accounts.putSignInLink(account.id, stored, () => [
    aboutAccount(by, 'account.sign_in_link_made', account.id),
  ]);
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

export async function accountOf(
  deps: { readonly accounts: Pick<Accounts, 'findByEmail'> },
  email: string,
): Promise<Account> {
  const account = await deps.accounts.findByEmail(email);
  if (account === undefined)
    throw new DomainError('account_not_found', `There is no account with the e-mail address ${email}.`);
  return account;
}

export function assertEmail(email: string): void {
  if (email.length > EMAIL_MAX || !EMAIL.test(email)) throw invalid({ email: 'must be an e-mail address' });
}
