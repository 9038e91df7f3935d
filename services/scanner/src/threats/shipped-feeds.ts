/** The feeds that come with the program, for the first start and for installations without a network. */
import type { ThreatType } from '@waypost/domain';
import { readCheckedFile } from '../checked-file.ts';
import { dataPath } from '../data.ts';
import type { FeedKeys } from './build-generation.ts';

export interface ShippedFeed {
  readonly name: string;
  readonly threatType: ThreatType;
  readonly entries: number;
  /** The date of the data in ISO 8601. */
  readonly updatedAt: string;
  readonly source: string;
  readonly licence: string;
  readonly keys: FeedKeys;
}

export const SHIPPED_FEEDS_FILE = dataPath('shipped-feeds.bin');

/** The order is that of the keys in the file. */
export interface ShippedHeader {
  readonly kind: 'shipped';
  readonly feeds: readonly Omit<ShippedFeed, 'keys'>[];
}

/** Empty if the file is missing or damaged. */
export function shippedFeeds(file = SHIPPED_FEEDS_FILE): ShippedFeed[] {
  const header = readCheckedFile(file)?.header as ShippedHeader | undefined;
  let from = 0;
  return (header?.feeds ?? []).map((feed) => {
    const keys = {
      source: { feed: feed.name, threatType: feed.threatType },
      file,
      from,
      to: from + feed.entries,
    };
    from = keys.to;
    return { ...feed, keys };
  });
}
