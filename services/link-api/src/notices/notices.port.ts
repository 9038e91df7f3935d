import type { NoticeKind } from './notice.ts';

export interface WaitingNotice {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly line: string;
}

export interface NoticedListing {
  readonly line: string;
  /** When the list began to have it. */
  readonly since: Date;
}

/** Stores what waits for a mail to the operator. All processes share it. */
export interface Notices {
  /** Claims the next mail: the oldest notices, or none if it is not time. No other process gets them until then. */
  claim(now: Date, leaseUntil: Date, limit: number): Promise<readonly WaitingNotice[]>;
  /** Removes the notices of a mail that was sent. The next one is sent at `nextAt` or later. */
  mailed(ids: readonly string[], nextAt: Date): Promise<void>;
  /** Adds the listings that are newer than all that were noted before. */
  noteListings(listings: readonly NoticedListing[], now: Date): Promise<void>;
  forget(now: Date): Promise<void>;
}

export interface OperatorMail {
  readonly subject: string;
  readonly text: string;
}

/**
 * Sends one mail to the operator, and resolves to the number of refused addresses. Rejects if the mail server did not
 * accept it in time for any address.
 */
export type SendMail = (mail: OperatorMail) => Promise<number>;
