import type { Actor, Case, CaseKind, CaseState, Link, LinkEvent } from '@waypost/domain';

export type NewCase = Pick<Case, 'number' | 'kind' | 'slug' | 'category' | 'message' | 'accountId'>;

export interface Cases {
  /**
   * An account has one open case of a kind about a link: a second one resolves to the first. Throws `too_many_cases` when
   * visitors have filed as many as may be open, exact under concurrency. The event that `announce` makes of the link is
   * queued in the same transaction.
   */
  open(filed: NewCase, announce?: (link: Link) => LinkEvent): Promise<Case>;
  find(number: string): Promise<Case | undefined>;
  /** The newest first. */
  list(query: CaseQuery): Promise<readonly ListedCase[]>;
  /**
   * Noted in the audit log. `change` does what follows; meanwhile no other decision of the case begins, and if it
   * rejects, the case stays open. Throws `case_not_found`, and `case_decided` for one that is not open, before any
   * change.
   */
  decide(
    number: string,
    decision: { readonly state: Exclude<CaseState, 'open'>; readonly reason: string },
    by: Actor,
    change: (open: Case) => Promise<void>,
  ): Promise<Case>;
}

export interface CaseQuery {
  readonly limit: number;
  /** Only cases with a lower id. */
  readonly before?: string;
  readonly kind?: CaseKind;
  readonly state?: CaseState;
  readonly slug?: string;
}

export interface ListedCase extends Case {
  /** Ascending; a decimal number. */
  readonly id: string;
}
