import type { Actor } from '@waypost/domain';
import type { Account, Caller } from './accounts.ts';

export interface NewSession {
  readonly tokenHash: Buffer;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Of the dashboard. Tokens are known by their SHA-256 alone. */
export interface Sessions {
  /**
   * False, without a session, if there is no such account any more, or its password is not that of `passwordHash`. One
   * by a link is begun with the use of the link (`Accounts.useSignInLink`).
   */
  start(
    session: NewSession & { readonly accountId: string; readonly passwordHash: string | undefined },
  ): Promise<boolean>;
  /** Who holds it; undefined for an unknown, ended or expired one. Its keyId is null. */
  authenticate(tokenHash: Buffer, now: Date): Promise<Caller | undefined>;
  end(tokenHash: Buffer): Promise<void>;
  /** All of an account; noted in the audit log. */
  endAll(accountId: string, by: Actor): Promise<void>;
  /** Drops the expired ones and the attempts whose window is over. */
  forget(now: Date): Promise<void>;
}

export interface Credentials extends Account {
  /** Null: the account has no password yet. */
  readonly passwordHash: string | null;
}

export interface SignInAttempts {
  /** Counts one, exactly under concurrency and over all replicas. Resolves to how many the window has, and its end. */
  count(subject: Buffer, now: Date): Promise<{ readonly attempts: number; readonly windowEnds: Date }>;
  /** After a success. */
  clear(subject: Buffer): Promise<void>;
}
