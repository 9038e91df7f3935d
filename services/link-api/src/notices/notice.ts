import type { EventMessage } from '../webhooks/index.ts';

/** What the operator of the installation should know. It is stored in the transaction of what it is about. */
export interface Notice {
  /** Webhooks of the installation get this. */
  readonly message: EventMessage;
  /** The next mail has this line. A mail counts the lines of each kind. */
  readonly mail: { readonly kind: NoticeKind; readonly line: string };
}

export type NoticeKind = 'report' | 'review request' | 'threat feed listing';

/** A notice is deleted after this time. What it is about stays in the database. */
export const NOTICE_KEPT_MS = 7 * 86_400_000;
