/** `FEEDS` (docs/scanner.md, Feeds). */
import { hash } from 'node:crypto';
import { type AllowedHosts, parseAllowed, THREAT_TYPES, type ThreatType } from '@waypost/domain';
import Joi from 'joi';
import { FEED_FORMATS, type FeedFormat } from './formats.ts';

export interface FeedSource {
  readonly name: string;
  /** Mirrors of one list. The first that answers with a good one decides. */
  readonly urls: readonly string[];
  readonly format: FeedFormat;
  readonly threatType: ThreatType;
  readonly everyMs: number;
  readonly http?: boolean;
  /** Hosts and networks that are not public. */
  readonly allowed?: AllowedHosts;
  /** Where to ask the publisher to remove an entry. */
  readonly removalUrl?: string;
}

interface WrittenSource extends Pick<FeedSource, 'name' | 'format' | 'http'> {
  readonly url?: string;
  readonly urls?: readonly string[];
  readonly removal_url?: string;
  readonly threat_type: ThreatType;
  readonly every: string;
  readonly allow?: readonly string[];
}

/** Returns a hash, because an address may contain a secret. */
export function sourceId({ urls, format, threatType }: FeedSource): string {
  return hash('sha256', JSON.stringify([urls, format, threatType]), 'hex');
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const ADDRESS = Joi.string().uri({ scheme: ['http', 'https'] });

const SCHEMA = Joi.array()
  .items(
    Joi.object({
      name: Joi.string().min(1).max(64).required(),
      url: ADDRESS,
      urls: Joi.array().items(ADDRESS).min(1).max(10).unique(),
      removal_url: ADDRESS,
      format: Joi.string()
        .valid(...FEED_FORMATS)
        .required(),
      threat_type: Joi.string()
        .valid(...THREAT_TYPES)
        .required(),
      every: Joi.string()
        .pattern(/^[1-9]\d{0,3}[mhd]$/, 'a number of minutes, hours or days such as 15m, 6h, 1d')
        .required(),
      http: Joi.boolean(),
      allow: Joi.array()
        .items(Joi.string())
        .custom((list: string[]) => {
          parseAllowed(list);
          return list;
        }),
    }).xor('url', 'urls'),
  )
  .unique('name')
  .required();

/** Throws one error that lists every fault. */
export function parseFeedSources(json: string): FeedSource[] {
  let data: unknown;
  try {
    data = JSON.parse(json);
  } catch (cause) {
    throw new Error('is not JSON', { cause });
  }
  const { error, value } = SCHEMA.validate(data, { abortEarly: false, convert: false });
  if (error !== undefined) throw new Error(error.details.map(({ message }) => message).join('; '));
  const sources = (value as WrittenSource[]).map(
    ({ url, urls = [url!], threat_type: threatType, every, allow, removal_url: removalUrl, ...rest }): FeedSource => ({
      ...rest,
      urls,
      threatType,
      everyMs: Number(every.slice(0, -1)) * UNIT_MS[every.at(-1)!]!,
      ...(allow === undefined ? {} : { allowed: parseAllowed(allow) }),
      ...(removalUrl === undefined ? {} : { removalUrl }),
    }),
  );
  const plain = sources.filter(({ urls, http }) => http !== true && !urls.every((url) => /^https:/i.test(url)));
  if (plain.length > 0) {
    throw new Error(plain.map(({ name }) => `"${name}" has a URL without https, but no "http": true`).join('; '));
  }
  return sources;
}
