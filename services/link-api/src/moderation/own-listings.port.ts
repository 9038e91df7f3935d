import type { LinkStatus } from '@waypost/domain';

export interface ListedSlug {
  readonly feed: string;
  readonly slug: string;
  /** Since when the feed lists it, in ISO 8601. */
  readonly since: string;
}

export interface ListedLink extends Omit<ListedSlug, 'since'> {
  readonly since: Date;
  readonly status: LinkStatus;
  /** The time of the first flag by this feed after `since`. Null if the link was not active, or a review cleared it. */
  readonly flaggedAt: Date | null;
}

export interface Times {
  readonly count: number;
  /** Null without any. */
  readonly median_seconds: number | null;
  readonly longest_seconds: number | null;
}

/** Facts for a publisher who should remove this service from a list. */
export interface OwnListings {
  /** Leaves out slugs that no link has. */
  links(listed: readonly ListedSlug[]): Promise<readonly ListedLink[]>;
  /** The times from a visitor's report that was right to the decision. */
  reportTimes(): Promise<Times>;
}
