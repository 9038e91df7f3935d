import type { NotesOf } from '../audit/index.ts';
import type { NewSession } from './sessions.port.ts';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly admin: boolean;
  readonly creationsPerHour: number | null;
}

export interface AccountDetails extends Account {
  readonly createdAt: Date;
  readonly suspendedAt: Date | null;
  readonly suspensionReason: string | null;
}

export interface Credentials extends Account {
  readonly passwordHash: string | null;
}

export interface SignInLink {
  readonly tokenHash: Buffer;
  readonly expiresAt: Date;
}

export interface Accounts {
  /** Creates the account and its sign-in link together. Throws `account_exists`, whatever the case of its letters. */
  create(
    account: { email: string; admin: boolean; passwordHash: string | null; signInLink?: SignInLink | undefined },
    notes: NotesOf<Account>,
  ): Promise<Account>;
  /** Returns the newest accounts first. `search` matches any part of the e-mail address. */
  list(query: {
    readonly page: number;
    readonly limit: number;
    readonly search?: string;
    readonly suspended?: boolean;
  }): Promise<{ readonly accounts: readonly AccountDetails[]; readonly total: number }>;
  find(id: string): Promise<AccountDetails | undefined>;
  any(): Promise<boolean>;
  findByEmail(email: string): Promise<Account | undefined>;
  credentials(email: string): Promise<Credentials | undefined>;
  /** Returns the account of a caller. Throws `credentials_wrong` if it was deleted. */
  own(id: string): Promise<Credentials>;
  /**
   * Sets the password and ends all sessions of the account except `session` (the hash of its token). Returns false and
   * changes nothing if `session` has ended or the password is no longer `from` (null: no password).
   */
  setPassword(
    accountId: string,
    change: { readonly from: string | null; readonly to: string; readonly session: Buffer },
    notes: NotesOf<void>,
  ): Promise<boolean>;
  /** Replaces the earlier token. The token can create the first account while there is no account. */
  putFirstRun(token: SignInLink): Promise<void>;
  findFirstRun(tokenHash: Buffer, now: Date): Promise<boolean>;
  /**
   * Creates an administrator. Resolves to undefined if an account exists or a newer token replaced this one. Only one
   * of several concurrent calls succeeds.
   */
  createFirst(
    account: { tokenHash: Buffer; email: string; passwordHash: string },
    notes: NotesOf<Account>,
  ): Promise<Account | undefined>;
  setLimit(email: string, creationsPerHour: number | null, notes: NotesOf<Account>): Promise<Account>;
  /** Replaces any earlier sign-in link of the account. */
  putSignInLink(accountId: string, link: SignInLink, notes: NotesOf<void>): Promise<void>;
  findSignInLink(tokenHash: Buffer, now: Date): Promise<Account | undefined>;
  /** Uses the link up and starts the session, both or neither. Of several concurrent calls, one gets the account. */
  useSignInLink(tokenHash: Buffer, session: NewSession, notes: NotesOf<Account>): Promise<Account | undefined>;
}
