import type { Actor, Link, LinkChange, LinkStatus, LinkUpdate, Quota, ThreatType, Verdict } from '@waypost/domain';

export const LIST_SORTS = ['created_at', 'updated_at', 'slug', 'destination_url', 'status'] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export interface ListQuery {
  readonly page: number;
  readonly limit: number;
  readonly sort: ListSort;
  readonly order: 'asc' | 'desc';
  readonly status?: LinkStatus;
  /** The link must have all of them. */
  readonly tags: readonly string[];
  /** Substring of slug or destination, case-insensitive. */
  readonly search?: string;
}

/** Tags are counted in at most so many links of an account, the newest. */
export const FACET_LINKS = 10_000;
/** The most used ones. */
export const FACET_TAGS = 100;

export interface LinkFacets {
  readonly statuses: Readonly<Record<LinkStatus, number>>;
  /** The most used first, ties by bytes. */
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
}

export interface IdempotencyRecord {
  readonly endpoint: string;
  readonly key: string;
  /** SHA-256 of the canonical JSON of the body, hex. */
  readonly bodyHash: string;
}

/** The new links of one account. */
export interface NewLinks {
  readonly ownerId: string;
  /** Each with the verdict of its scan. */
  readonly links: readonly (LinkChange & { readonly verdict: Verdict })[];
  /** The response to store for the request's Idempotency-Key, only while `holder` still holds the key. */
  readonly keep?: Pick<IdempotencyRecord, 'endpoint' | 'key'> & { readonly holder: string; readonly answer: unknown };
}

export interface LinkStore {
  /**
   * All or nothing, in one transaction: the quota counter, the links with their verdicts, their events in the outbox,
   * and the stored response. Resolves to the quota afterwards, or to the slugs that exist already (none, if two of the
   * new links share a slug). Throws `quota_exceeded`, `batch_exceeds_window`, or `idempotency_key_in_use` if another
   * request has taken the key over. Unless it resolves to the quota, it changes nothing.
   */
  insert(creation: NewLinks, now: Date): Promise<{ readonly quota: Quota } | { readonly taken: readonly string[] }>;
  /** Which of these slugs exist, with any status and owner. */
  taken(slugs: readonly string[]): Promise<readonly string[]>;
  quota(ownerId: string, now: Date): Promise<Quota>;
  find(slug: string): Promise<Link | undefined>;
  /** Those of them that exist, in any order. */
  findAll(slugs: readonly string[]): Promise<readonly Link[]>;
  /** The active links of all accounts, by slug, ascending by bytes, from the one after `after` on. */
  active(after: string, limit: number): Promise<readonly Pick<Link, 'slug' | 'destinationUrl'>[]>;
  list(ownerId: string, query: ListQuery): Promise<{ readonly links: readonly Link[]; readonly total: number }>;
  /** How many links of the account have which status, and which tags its newest links have. */
  facets(ownerId: string): Promise<LinkFacets>;
  /**
   * Applies `change` to the current link under its lock; the changed link, its event if it has one and, if given, its
   * verdict are stored in the same transaction. `change` may return undefined to leave the link unchanged.
   * Throws `UnstorableData` if it can never store them.
   */
  update(slug: string, change: (current: Link) => LinkUpdate | undefined, note?: LinkNote): Promise<Link | undefined>;
  /**
   * `update` for at most 500 links, each named once, in one transaction: all or nothing. Resolves to the links that
   * changed. Throws `UnstorableData` if it can never store one of them.
   */
  updateAll(updates: readonly UpdateOfLink[]): Promise<readonly Link[]>;
  /** Why the link is what it is: what scans found and administrators decided, the newest first, at most ten. */
  verdicts(slug: string): Promise<readonly KeptVerdict[]>;
  /**
   * By slug, what the latest flag of each link stands on, and the link's version meanwhile; without the links that
   * nothing ever flagged.
   */
  flagEvidence(slugs: readonly string[]): Promise<ReadonlyMap<string, FlagEvidence>>;
  /** By slug, the evidence that reviews cleared for each link, as `rule evidence` strings; without links that have none. */
  clearedEvidence(slugs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}

export interface UpdateOfLink {
  readonly slug: string;
  readonly change: (current: Link) => LinkUpdate | undefined;
  readonly note?: LinkNote;
  /** The trace of its event; by default the current one. */
  readonly traceparent?: string | undefined;
}

export interface FlagEvidence extends Pick<Verdict, 'reasons'> {
  readonly version: number;
  /** A review has decided that the flag stays. */
  readonly keptByReview: boolean;
}

export interface KeptVerdict extends Pick<Verdict, 'threat_type' | 'reasons'> {
  readonly at: Date;
  readonly source: 'scan' | 'take_down' | 'review';
  /** Of a review: `cleared` or `kept`. */
  readonly outcome: Verdict['outcome'] | 'cleared' | 'kept';
  /** Of the threat database; null for a review. */
  readonly generation: string | null;
}

/**
 * Stored beside the link: why it changed. A review is stored even when it changes nothing. What an operator does is
 * noted in the audit log, too.
 */
export type LinkNote =
  | {
      readonly kind: 'verdict';
      readonly verdict: Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'>;
      readonly generation: string;
    }
  | { readonly kind: 'take_down'; readonly threatType: ThreatType; readonly reason: string; readonly by: Actor }
  | (Review & { readonly kind: 'review'; readonly at: Date; readonly by: Actor });

/** What an administrator decides about a flagged link. */
export interface Review {
  readonly decision: 'clear' | 'keep';
  readonly reason: string;
}

export interface IdempotencyStore {
  /**
   * `new`: the key was not used within 24 hours; this caller now holds it until its creation is stored, it calls
   * `release`, or the lease expires (its process died). `running`: another request holds it. `mismatch`: it was used
   * with another body.
   */
  begin(
    accountId: string,
    record: IdempotencyRecord,
    now: Date,
  ): Promise<
    | { readonly state: 'new'; readonly holder: string; release(): Promise<void> }
    | { readonly state: 'running'; readonly retryAfterSeconds: number }
    | { readonly state: 'mismatch' }
    | { readonly state: 'done'; readonly response: unknown }
  >;
  /** Deletes records older than 24 hours. */
  forget(now: Date): Promise<void>;
}
