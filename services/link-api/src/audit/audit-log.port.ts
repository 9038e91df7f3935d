import type { Actor, AuditAction } from '@waypost/domain';
import type { AuditNote } from './note.ts';

/** A store notes a change in the transaction of that change (`NotesOf`). This port does everything else. */
export interface AuditLog {
  /** Notes a change that was refused: one that an administrator requested, or a sign-in. */
  refused(
    note: Pick<AuditEntry, 'action' | 'subject' | 'detail'> & { readonly by: Actor; readonly accountId?: string },
  ): Promise<void>;
  /** Notes what changed no row of this database: a secret, an export. */
  note(note: AuditNote): Promise<void>;
  /**
   * Notes that somebody read another person's data, before it is sent. A repetition within an hour adds no entry, so
   * that a page that reads again adds none.
   */
  read(note: AuditNote): Promise<void>;
  /** Returns entries in descending order of time, then of id. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
  /** Returns what an account did, and what was done to it and its links. The newest entry comes first. */
  about(accountId: string, limit: number): Promise<readonly PersonalEntry[]>;
}

/** An entry as the person reads it whom it is about. */
export interface PersonalEntry extends Pick<AuditEntry, 'at' | 'action' | 'subject' | 'detail'> {
  readonly actor: 'you' | 'administrator' | 'operator' | 'somebody';
}

export interface AuditQuery {
  readonly limit: number;
  /** Returns only entries older than the entry with this id. Returns none if the id is unknown. */
  readonly before?: string;
  readonly since?: Date;
  /** An e-mail address, or `operator`. */
  readonly actor?: string;
  readonly action?: AuditAction;
  /** If this is an e-mail address, entries about the account's keys and links also match. */
  readonly subject?: string;
}

export interface AuditEntry {
  readonly id: string;
  readonly at: Date;
  /** The e-mail address of the account, or its id if the account was deleted. Otherwise `operator` or `first_run`. */
  readonly actor: string;
  readonly via: Actor['via'];
  readonly credential: string | null;
  readonly action: AuditAction;
  /** An e-mail address, the id of a key, or a slug. */
  readonly subject: string;
  /** The e-mail address of the account that is the subject or that owns the subject. */
  readonly account: string | null;
  readonly outcome: 'done' | 'refused';
  /** Details or a reason. The text may be empty. */
  readonly detail: string;
}
