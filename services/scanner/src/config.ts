import { readFileSync } from 'node:fs';
import { checkKafka, KAFKA } from '@waypost/adapter-kafka/settings';
import { POSTGRES } from '@waypost/postgres';
import {
  BASE_URLS,
  DESTINATIONS,
  type Environment,
  OPERATOR_SOCKET,
  PROCESS,
  readSettings,
  setting,
} from '@waypost/settings';
import { dataPath } from './data.ts';
import { parseRuleIds } from './judge/rule-set.ts';
import { PROVIDERS } from './recheck/providers/providers.ts';
import { type FeedSource, parseFeedSources } from './threats/feeds/feed-source.ts';

export const DEFAULT_FEEDS_FILE = dataPath('feeds.json');

/** `none`, or the path of a JSON file. */
export function feedsFrom(text: string): readonly FeedSource[] | 'none' {
  if (text === 'none') return 'none';
  try {
    return parseFeedSources(readFileSync(text, 'utf8'));
  } catch (error) {
    throw new Error(`must be none or a JSON file of feeds: ${(error as Error).message}`);
  }
}

export const FEEDS = setting
  .parsed('path to a JSON file, or `none`', 'Threat feeds. `none` disables updates.', feedsFrom)
  .default(DEFAULT_FEEDS_FILE, 'the included list');

export const RULES_OFF = setting
  .list('Scanner rules to disable. Links are then scanned again.', parseRuleIds)
  .default('none');

export const FEEDS_OFF = setting
  .list('Feeds to disable, by name. They are not updated, and their entries are ignored.', (names) => names)
  .default('none');

export const SETTINGS = {
  ...PROCESS,
  PORT: setting.port('Internal port of the scanner call, health and metrics.').default(8092),
  ...POSTGRES,
  ...KAFKA,
  DATA_DIR: setting.folder('Folder for threat data. Each process needs its own.'),
  OPERATOR_SOCKET,
  ...BASE_URLS,
  ...DESTINATIONS,
  FEEDS,
  FEEDS_OFF,
  RULES_OFF,
  ...PROVIDERS,
};

export const scannerConfig = (environment: Environment) => readSettings(SETTINGS, environment, checkKafka);
