/** `FEEDS` (docs/scanner.md, Feeds). */
import { hash } from 'node:crypto';
import { type AllowedHosts, parseAllowed, THREAT_TYPES, type ThreatType } from '@waypost/domain';
import Joi from 'joi';
import { FEED_FORMATS, type FeedFormat } from './formats.ts';

export interface FeedSource {
  readonly name: string;
  readonly url: string;
  readonly format: FeedFormat;
  readonly threatType: ThreatType;
  readonly everyMs: number;
  readonly http?: boolean;
  /** Hosts and networks that are not public. */
  readonly allowed?: AllowedHosts;
}

interface WrittenSource extends Omit<FeedSource, 'threatType' | 'everyMs' | 'allowed'> {
  readonly threat_type: ThreatType;
  readonly every: string;
  readonly allow?: readonly string[];
}

/** Returns a hash, because an address may contain a secret. */
export function sourceId({ url, format, threatType }: FeedSource): string {
  return hash('sha256', JSON.stringify([url, format, threatType]), 'hex');
}

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

const SCHEMA = Joi.array()
  .items(
    Joi.object({
      name: Joi.string().min(1).max(64).required(),
      url: Joi.string()
        .uri({ scheme: ['http', 'https'] })
        .required(),
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
    }),
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
  const sources = value as WrittenSource[];
  const plain = sources.filter(({ url, http }) => http !== true && !/^https:/i.test(url));
  if (plain.length > 0) {
    throw new Error(plain.map(({ name }) => `"${name}" has an url without https and no "http": true`).join('; '));
  }
  return sources.map(({ threat_type: threatType, every, allow, ...rest }) => ({
    ...rest,
    threatType,
    everyMs: Number(every.slice(0, -1)) * UNIT_MS[every.at(-1)!]!,
    ...(allow === undefined ? {} : { allowed: parseAllowed(allow) }),
  }));
}
