import type { SignInWay } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import type { Caller } from '../platform/caller.ts';
import type { Origin } from '../platform/place.ts';

export interface NewSession {
  readonly tokenHash: Buffer;
  readonly via: SignInWay;
  readonly origin: Origin;
  readonly at: Date;
  readonly expiresAt: Date;
}

export interface Session {
  /** The first characters of the hash of its token, as in the audit log. */
  readonly id: string;
  readonly via: SignInWay;
  readonly origin: Origin;
  readonly startedAt: Date;
  /** The stored time may be a few minutes too early. */
  readonly usedAt: Date;
}

/** A kind of browser that began sessions of an account. */
export interface Device {
  readonly id: string;
  readonly origin: Origin;
  readonly firstAt: Date;
  readonly lastAt: Date;
  /** Whether the owner said so. The first device of an account is known. */
  readonly known: boolean;
}

/** Stores sessions of the dashboard, with only the SHA-256 of each token. */
export interface Sessions {
  /** Returns false and starts no session if the account is gone or has another password hash than `passwordHash`. */
  start(
    session: NewSession & { readonly accountId: string; readonly passwordHash: string | undefined },
    notes: NotesOf<void>,
  ): Promise<boolean>;
  /** Resolves to undefined if the session is unknown, ended, expired or was not used for a week. */
  authenticate(tokenHash: Buffer, now: Date): Promise<Caller | undefined>;
  /** Gives the session another token, as its owner proved who they are. Returns false if the session has ended. */
  prove(tokenHash: Buffer, newHash: Buffer, at: Date): Promise<boolean>;
  /** Returns the sessions of an account that still work, the newest first. */
  list(accountId: string, now: Date): Promise<readonly Session[]>;
  end(tokenHash: Buffer): Promise<void>;
  /** Throws `session_not_found`, also for a session of another account. */
  endOne(accountId: string, id: string, notes: NotesOf<void>): Promise<void>;
  endAll(accountId: string, notes: NotesOf<void>): Promise<void>;
  /** Ends all sessions and the sign-in link. Also deletes the password if `password` is true. */
  secure(accountId: string, change: { readonly password: boolean }, notes: NotesOf<void>): Promise<void>;
  devices(accountId: string): Promise<readonly Device[]>;
  /** Throws `device_not_found`, also for a device of another account and for the one of `session` itself. */
  confirmDevice(device: { readonly accountId: string; readonly id: string; readonly session: Buffer }): Promise<void>;
  /** Deletes expired sessions, devices unused for long, and attempts whose 15 minutes are over. */
  forget(now: Date): Promise<void>;
}

/** Proves that the owner makes the request. Both values are hashes; `passwordHash` is null if there is no password. */
export interface OwnerProof {
  readonly session: Buffer;
  readonly passwordHash: string | null;
}
