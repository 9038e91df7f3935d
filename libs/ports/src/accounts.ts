import type { Actor, ApiKey, QuotaWindow, Scope } from '@waypost/domain';
import type { Credentials, NewSession } from './sessions.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly admin: boolean;
  /** Null means the default. */
  readonly creationsPerHour: number | null;
}

export interface AccountDetails extends Account {
  readonly createdAt: Date;
  /** Null: it is not suspended. */
  readonly suspendedAt: Date | null;
  readonly suspensionReason: string | null;
}

export interface Caller {
  readonly accountId: string;
  /** Null: by a session. */
  readonly keyId: string | null;
  /** Of the session, if there is one. */
  readonly session?: { readonly tokenHash: Buffer; readonly startedAt: Date; readonly byLink: boolean };
  readonly scopes: readonly Scope[];
  /** Whether the account is an administrator's. */
  readonly admin: boolean;
  /** Only of a suspended account, which may do nothing. */
  readonly suspension?: { readonly reason: string | null };
  /** The account's limit (its own, else the default) and its window, read with the key. */
  readonly creations: { readonly limit: number; readonly window: QuotaWindow | undefined };
}

export interface SignInLink {
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
}

/** What changes an account or a key notes it in the audit log, in the same transaction. */
export interface Accounts {
  /** With its sign-in link, or neither. Throws `account_exists`. Ignores the case of e-mail addresses. */
  create(
    account: { email: string; admin: boolean; passwordHash: string | null; signInLink?: SignInLink | undefined },
    by: Actor,
  ): Promise<Account>;
  /** The newest first. `search`: part of the e-mail address. */
  list(query: {
    readonly page: number;
    readonly limit: number;
    readonly search?: string;
    readonly suspended?: boolean;
  }): Promise<{ readonly accounts: readonly AccountDetails[]; readonly total: number }>;
  /** Holds from the next request on. Of a suspended account the reason changes, but not the time. */
  suspend(email: string, suspension: { reason: string | null; at: Date }, by: Actor): Promise<AccountDetails>;
  /** Changes nothing else than the suspension, and nothing on an account that is not suspended. */
  resume(email: string, by: Actor): Promise<AccountDetails>;
  /** Whether any account exists. */
  any(): Promise<boolean>;
  findByEmail(email: string): Promise<Account | undefined>;
  /** By what a session or a person who signs in is known. */
  credentials(by: { id: string } | { email: string }): Promise<Credentials | undefined>;
  /**
   * Also ends all sessions of the account but `session`, a token's hash, in the same transaction. False, with nothing
   * changed, if that one has ended or the password is no longer `from` (null: none).
   */
  setPassword(
    accountId: string,
    change: { readonly from: string | null; readonly to: string; readonly session: Buffer },
    by: Actor,
  ): Promise<boolean>;
  /** Replaces the earlier one: with this token the first account may be made, while there is none. */
  putFirstRun(tokenHash: Buffer): Promise<void>;
  /** Whether the token would still make the first account. */
  findFirstRun(tokenHash: Buffer): Promise<boolean>;
  /** An administrator; undefined when there is an account or the token is not the newest. Of several callers at once, one gets it. */
  createFirst(account: { tokenHash: Buffer; email: string; passwordHash: string }): Promise<Account | undefined>;
  setLimit(email: string, creationsPerHour: number | null, by: Actor): Promise<Account>;
  /** Replaces any earlier sign-in link of the account. */
  putSignInLink(accountId: string, link: SignInLink, by: Actor): Promise<void>;
  /** The account of a sign-in link that is unused and not expired. */
  findSignInLink(tokenHash: Buffer, now: Date): Promise<Account | undefined>;
  /**
   * Uses the link up and starts this session of its account, or neither: of several concurrent callers, one gets the
   * account. Whoever opened the session proved nothing but that an operator sent them a link.
   */
  useSignInLink(tokenHash: Buffer, session: NewSession): Promise<Account | undefined>;
}

export interface ListedKey extends ApiKey {
  /** Its first characters. */
  readonly hint: string;
  /** To within a minute. */
  readonly lastUsedAt: Date | null;
}

export interface ApiKeys {
  /** Throws `too_many_keys` at 20 active keys, exact under concurrency. */
  create(
    key: Pick<ListedKey, 'accountId' | 'name' | 'scopes' | 'hint' | 'expiresAt'> & { readonly keyHash: Buffer },
    by: Actor,
  ): Promise<ApiKey>;
  /**
   * The caller who holds the key with this SHA-256; undefined for an unknown key, and for one that is deleted or has
   * expired, from that moment on.
   */
  authenticate(keyHash: Buffer): Promise<Caller | undefined>;
  /** The active ones of an account, the newest first. */
  list(accountId: string): Promise<readonly ListedKey[]>;
  /** Immediate and permanent. Throws `key_not_found`, also if it belongs to another account than `accountId`. */
  delete(id: string, accountId: string | undefined, by: Actor): Promise<{ id: string; deletedAt: Date }>;
  /** Drops those that are deleted or have expired. */
  forget(): Promise<void>;
}
