/** What the scanner reads from the environment (operator interface). All faults are named at once. */
import { readFileSync } from 'node:fs';
import { type AllowedHosts, parseAllowed } from '@waypost/domain';
import Joi from 'joi';
import { dataPath } from './data.ts';
import { type FeedSource, parseFeedSources } from './feeds/feed-source.ts';

export interface ScannerConfig {
  readonly feeds: readonly FeedSource[] | 'none';
  readonly allowedHosts: AllowedHosts;
}

export const DEFAULT_FEEDS_FILE = dataPath('feeds.json');

/** `none` or a comma separated list. */
const LIST = Joi.string().trim().min(1).default('none');

const SCHEMA = Joi.object({
  FEEDS: Joi.string().trim().min(1).default(DEFAULT_FEEDS_FILE),
  DESTINATION_HOSTS_ALLOWED: LIST,
}).unknown();

export function scannerConfig(env: Readonly<Record<string, string | undefined>>): ScannerConfig {
  const { error, value } = SCHEMA.validate(env, { abortEarly: false });
  if (error !== undefined) throw new Error(error.details.map(({ message }) => message).join('\n'));
  const faults: string[] = [];
  const config = {
    feeds: named('FEEDS', faults, () => feedsFrom(value.FEEDS)) ?? 'none',
    allowedHosts:
      named('DESTINATION_HOSTS_ALLOWED', faults, () => parseAllowed(listFrom(value.DESTINATION_HOSTS_ALLOWED))) ??
      parseAllowed([]),
  } satisfies ScannerConfig;
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return config;
}

/** `none`, or the path of a JSON file. */
export function feedsFrom(setting: string): readonly FeedSource[] | 'none' {
  if (setting === 'none') return 'none';
  return parseFeedSources(readFileSync(setting, 'utf8'));
}

function listFrom(setting: string): string[] {
  return setting === 'none' ? [] : setting.split(',').map((entry) => entry.trim());
}

function named<Value>(name: string, faults: string[], read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    faults.push(`${name}: ${(error as Error).message}`);
    return undefined;
  }
}
