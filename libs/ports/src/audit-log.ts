import type { Actor, AuditAction } from '@waypost/domain';

/** A note is written in the transaction of its change, by the method that makes the change; this is for all else. */
export interface AuditLog {
  /** Notes a change that an administrator asked for and did not get. */
  refused(note: Pick<AuditEntry, 'action' | 'subject' | 'detail'> & { readonly by: Actor }): Promise<void>;
  /** The newest first: by time, then by id. */
  list(query: AuditQuery): Promise<readonly AuditEntry[]>;
}

export interface AuditQuery {
  readonly limit: number;
  /** Only entries older than the one with this id; none if there is no such entry. */
  readonly before?: string;
  readonly since?: Date;
  /** An e-mail address, or `operator`. */
  readonly actor?: string;
  readonly action?: AuditAction;
  /** As in the entry; an e-mail address also finds what happened to the account's keys and links. */
  readonly subject?: string;
}

export interface AuditEntry {
  /** A decimal number. */
  readonly id: string;
  readonly at: Date;
  /** The e-mail address of the account, or its id if it is gone; else `operator` or `first_run`. */
  readonly actor: string;
  readonly via: Actor['via'];
  readonly credential: string | null;
  readonly action: AuditAction;
  /** An e-mail address, the id of a key, or a slug. */
  readonly subject: string;
  /** The e-mail address of the account that the subject is, or belongs to. */
  readonly account: string | null;
  readonly outcome: 'done' | 'refused';
  /** What exactly, or why; may be empty. */
  readonly detail: string;
}
