import type { NoticeKind } from './notice.ts';

export interface WaitingNotice {
  readonly id: string;
  readonly kind: NoticeKind;
  readonly line: string;
}

/** Stores what waits for a mail to the operator. All processes share it. */
export interface Notices {
  /** Claims the next mail: the oldest notices, or none if it is not time. No other process gets them until then. */
  claim(now: Date, leaseUntil: Date, limit: number): Promise<readonly WaitingNotice[]>;
  /** Removes the notices of a mail that was sent. The next one is sent at `nextAt` or later. */
  mailed(ids: readonly string[], nextAt: Date): Promise<void>;
  forget(now: Date): Promise<void>;
}

export interface OperatorMail {
  readonly subject: string;
  readonly text: string;
}

/** Sends one mail to the operator. Rejects if the mail server did not accept it in time. */
export type SendMail = (mail: OperatorMail) => Promise<void>;
