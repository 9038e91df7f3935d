import type { Link, LinkChange, LinkHistory, LinkStatus, Quota, Review, Verdict } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import type { Idempotency } from '../platform/endpoint.ts';

export const LIST_SORTS = [
  'created_at',
  'updated_at',
  'slug',
  'destination_url',
  'status',
  'title',
  'ends_at',
] as const;
export type ListSort = (typeof LIST_SORTS)[number];

export interface ListQuery {
  readonly page: number;
  readonly limit: number;
  readonly sort: ListSort;
  /** If given, only these links. In descending order the list begins with the first of them; `sort` has no effect. */
  readonly ranked?: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly status?: LinkStatus;
  /** A link matches only if it has all of these tags. */
  readonly tags: readonly string[];
  /** A part of the slug, destination, title or a line of the note, in any letter case. */
  readonly search?: string;
}

/** The list of tags counts only this many of the account's newest links. */
export const FACET_LINKS = 10_000;
export const FACET_TAGS = 100;

export interface LinkFacets {
  readonly statuses: Readonly<Record<LinkStatus, number>>;
  /** The most used tags come first. Tags with the same count are in byte order. */
  readonly tags: readonly { readonly tag: string; readonly count: number }[];
}

export interface LinkChanges {
  readonly created: number;
  readonly flagged: number;
  readonly revoked: number;
}

export type IdempotencyRecord = Omit<Idempotency, 'name'>;

export interface NewLinks {
  readonly ownerId: string;
  readonly links: readonly (LinkChange & { readonly verdict: Verdict })[];
  /** The response to store with the Idempotency-Key, if `holder` still holds that key. */
  readonly keep?: Pick<IdempotencyRecord, 'endpoint' | 'key'> & { readonly holder: string; readonly answer: unknown };
}

/** The creation time and slug of the last link on a page. The next page starts after it. */
export interface LinkPlace {
  readonly createdAt: Date;
  readonly slug: string;
}

export interface LinkStore {
  /**
   * Stores all links with their verdicts, events and response in one transaction, and counts them in the quota.
   * Resolves to the new quota, or to the slugs that already exist. That list is empty if two of the new links share a
   * slug. Throws `quota_exceeded`, `batch_exceeds_window`, or `idempotency_key_in_use` if another request took the key
   * over.
   */
  insert(creation: NewLinks, now: Date): Promise<{ readonly quota: Quota } | { readonly taken: readonly string[] }>;
  /** Resolves to the slugs among these that exist, whatever their status and owner. */
  taken(slugs: readonly string[]): Promise<readonly string[]>;
  quota(ownerId: string, now: Date): Promise<Quota>;
  find(slug: string): Promise<Link | undefined>;
  findAll(slugs: readonly string[]): Promise<readonly Link[]>;
  /** Returns active links of all accounts in byte order of their slugs, starting after the slug `after`. */
  active(after: string, limit: number): Promise<readonly Pick<Link, 'slug' | 'destinationUrl'>[]>;
  /** Returns links of one account that are not revoked, in byte order of their slugs, starting after `after`. */
  ofOwner(
    ownerId: string,
    after: string,
    limit: number,
  ): Promise<readonly Pick<Link, 'slug' | 'destinationUrl' | 'takeDownReason'>[]>;
  /** Returns links of one account that follow `after`, oldest first. */
  oldest(ownerId: string, after: LinkPlace | undefined, limit: number): Promise<readonly Link[]>;
  list(ownerId: string, query: ListQuery): Promise<{ readonly links: readonly Link[]; readonly total: number }>;
  facets(ownerId: string): Promise<LinkFacets>;
  /** Counts links created since then, and links that became flagged or revoked since then and still are. */
  changedSince(ownerId: string, since: Date): Promise<LinkChanges>;
  /**
   * Calls `decide` with the current link and its history under a lock. Stores the new link, its event and the note in
   * one transaction. Resolves to the link as it is then, or to undefined if it does not exist. Throws `UnstorableData`
   * if the database can never store the result.
   */
  update(slug: string, decide: Decide): Promise<Link | undefined>;
  /** Does the same as `update` for at most 500 different links, all or none. Resolves to the links that changed. */
  updateAll(updates: readonly UpdateOfLink[]): Promise<readonly Link[]>;
  /** Returns links that reached their end and are not revoked, the earliest end first. */
  ended(now: Date, limit: number): Promise<readonly string[]>;
  /** Returns results of scans and decisions of administrators, newest first, at most ten. */
  verdicts(slug: string): Promise<readonly KeptVerdict[]>;
}

/** If it returns undefined, nothing is stored. */
export type Decide = (current: Link, history: LinkHistory) => Decision | undefined;

/** A note without a link is stored, and the link stays as it is. */
export interface Decision extends Partial<LinkChange> {
  readonly note?: LinkNote;
}

export interface UpdateOfLink {
  readonly slug: string;
  readonly decide: Decide;
  /** The trace of the event. The default is the current trace. */
  readonly traceparent?: string | undefined;
}

export interface KeptVerdict extends Pick<Verdict, 'threat_type' | 'reasons'> {
  readonly at: Date;
  readonly source: 'scan' | 'take_down' | 'review';
  /** A review has the outcome `cleared` or `kept`. */
  readonly outcome: Verdict['outcome'] | 'cleared' | 'kept';
  /** The generation of the threat database, or null for a review. */
  readonly generation: string | null;
}

/** The reason for a decision, stored with it. */
export type LinkNote =
  | {
      readonly kind: 'verdict';
      readonly verdict: Pick<Verdict, 'outcome' | 'threat_type' | 'reasons'>;
      readonly generation: string;
      readonly at: Date;
      readonly audit?: NotesOf<Link>;
    }
  | (Pick<Review, 'decision'> & {
      readonly kind: 'review';
      /** Evidence that must not flag the link again. */
      readonly cleared: readonly string[];
      readonly at: Date;
      readonly audit: NotesOf<Link>;
    });

export interface IdempotencyStore {
  /**
   * `new`: the key is free, and this caller holds it. It holds the key until it stores the creation, calls `release`,
   * or its lease expires. `running`: another request holds the key. `mismatch`: the key was used with another body in
   * the last 24 hours.
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
  forget(now: Date): Promise<void>;
}
