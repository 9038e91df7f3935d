import { adblock } from './adblock.ts';
import type { FeedParser } from './entry.ts';
import { hosts } from './hosts-file.ts';
import { jsonList } from './json-list.ts';
import { urls } from './url-list.ts';
import { urlhausCsv } from './urlhaus-csv.ts';

export const FEED_FORMATS = ['urls', 'hosts', 'urlhaus-csv', 'adblock', 'json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

export const PARSERS: Record<FeedFormat, FeedParser> = {
  urls,
  hosts,
  'urlhaus-csv': urlhausCsv,
  adblock,
  json: jsonList,
};

export function isFeedFormat(value: unknown): value is FeedFormat {
  return (FEED_FORMATS as readonly unknown[]).includes(value);
}
