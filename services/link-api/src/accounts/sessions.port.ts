import type { NotesOf } from '../audit/index.ts';
import type { Caller } from '../platform/caller.ts';
import type { Account } from './accounts.port.ts';

export interface NewSession {
  readonly tokenHash: Buffer;
  readonly at: Date;
  readonly expiresAt: Date;
}

/** Stores sessions of the dashboard, with only the SHA-256 of each token. */
export interface Sessions {
  /** Returns false and starts no session if the account is gone or has another password hash than `passwordHash`. */
  start(
    session: NewSession & { readonly accountId: string; readonly passwordHash: string | undefined },
  ): Promise<boolean>;
  /** Resolves to undefined if the session is unknown, ended or expired. The caller's `keyId` is null. */
  authenticate(tokenHash: Buffer, now: Date): Promise<Caller | undefined>;
  end(tokenHash: Buffer): Promise<void>;
  endAll(accountId: string, notes: NotesOf<void>): Promise<void>;
  /** Deletes expired sessions, and attempts whose 15 minutes are over. */
  forget(now: Date): Promise<void>;
}

export interface Credentials extends Account {
  readonly passwordHash: string | null;
}
