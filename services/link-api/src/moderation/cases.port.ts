import type { Link, LinkEvent } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import type { Notice } from '../notices/index.ts';
import type { Case, CaseKind, CaseState } from './case.ts';

export type NewCase = Pick<Case, 'number' | 'kind' | 'slug' | 'category' | 'message' | 'accountId'>;

export interface Announcement {
  readonly event?: ((link: Link) => LinkEvent) | undefined;
  readonly notice: (filed: Case) => Notice;
}

export interface WaitingCases {
  readonly kind: CaseKind;
  readonly open: number;
  /** Null if there is none. */
  readonly oldestAt: Date | null;
}

export interface Cases {
  /**
   * An account has at most one open case of a kind about a link. A second call resolves to the first case, as a call of
   * a visitor does at `OPEN_CASES_MAX`, which no concurrent calls exceed. The event of a call, and the notice of a new
   * case, are stored in the same transaction.
   */
  open(filed: NewCase, announce: Announcement): Promise<Case>;
  /** Counts the open cases of each kind. */
  waiting(): Promise<readonly WaitingCases[]>;
  /** Deletes the cases that were decided long ago. */
  forget(now: Date): Promise<void>;
  find(number: string): Promise<Case | undefined>;
  list(query: CaseQuery): Promise<readonly ListedCase[]>;
  /**
   * Calls `change`, which applies the decision. No other decision of the case starts meanwhile, and the case stays open
   * if `change` rejects. Throws `case_not_found` or, if the case is not open, `case_decided`, both before any change.
   */
  decide(
    number: string,
    decision: { readonly state: Exclude<CaseState, 'open'>; readonly reason: string },
    notes: NotesOf<{ readonly decided: Case; readonly ownerId: string | undefined }>,
    change: (open: Case) => Promise<void>,
  ): Promise<Case>;
}

export interface CaseQuery {
  readonly limit: number;
  /** Returns only cases with an id below this one. */
  readonly before?: string;
  readonly kind?: CaseKind;
  readonly state?: CaseState;
  readonly slug?: string;
  /** Returns only requests of this account. */
  readonly accountId?: string;
  /** Returns only cases that were decided at this time or later. */
  readonly decidedSince?: Date;
}

export interface ListedCase extends Case {
  /** A decimal number that increases with each new case. */
  readonly id: string;
}
