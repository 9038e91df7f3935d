import type { Actor } from '@waypost/domain';
import type { Account, Caller } from './accounts.ts';

/** Of the dashboard. Tokens are known by their SHA-256 alone. */
export interface Sessions {
  /** `byLink`: whoever opened it proved nothing but that an operator sent them a link. */
  start(session: { tokenHash: Buffer; accountId: string; byLink: boolean; at: Date; expiresAt: Date }): Promise<void>;
  /** Who holds it; undefined for an unknown, ended or expired one. Its keyId is null. */
  authenticate(tokenHash: Buffer, now: Date): Promise<Caller | undefined>;
  end(tokenHash: Buffer): Promise<void>;
  /** All of an account, but for one; noted in the audit log. */
  endAll(accountId: string, by: Actor, except?: Buffer): Promise<void>;
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
