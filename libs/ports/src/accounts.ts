import type { ApiKey, QuotaWindow, Scope } from '@waypost/domain';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly admin: boolean;
  /** Null means the default. */
  readonly creationsPerHour: number | null;
}

export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  /** Whether the account is an administrator's. */
  readonly admin: boolean;
  /** The account's limit (its own, else the default) and its window, read with the key. */
  readonly creations: { readonly limit: number; readonly window: QuotaWindow | undefined };
}

export interface Accounts {
  /** Throws `account_exists`. Ignores the case of e-mail addresses. */
  create(account: { email: string; admin: boolean; passwordHash: string | null }): Promise<Account>;
  /** Whether any account exists. */
  any(): Promise<boolean>;
  findByEmail(email: string): Promise<Account | undefined>;
  setLimit(email: string, creationsPerHour: number | null): Promise<Account>;
  /** Replaces any earlier sign-in link of the account. */
  putSignInLink(accountId: string, tokenHash: Buffer, expiresAt: Date): Promise<void>;
  /** The account of a sign-in link that is unused and not expired. */
  findSignInLink(tokenHash: Buffer, now: Date): Promise<Account | undefined>;
  /** Uses the link up: of several concurrent callers, one gets the account. */
  useSignInLink(tokenHash: Buffer, now: Date): Promise<Account | undefined>;
}

export interface ApiKeys {
  /** Throws `too_many_keys` at 20 active keys, exact under concurrency. */
  create(key: {
    accountId: string;
    name: string;
    scopes: readonly Scope[];
    keyHash: Buffer;
    hint: string;
  }): Promise<ApiKey>;
  /**
   * The caller who holds the key with this SHA-256; undefined for an unknown key, and for a deleted one from the moment
   * of deletion.
   */
  authenticate(keyHash: Buffer): Promise<Caller | undefined>;
  /** Immediate and permanent. Throws `key_not_found`. */
  delete(id: string): Promise<{ id: string; deletedAt: Date }>;
}
