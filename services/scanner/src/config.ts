/** What the scanner reads from the environment as a process of its own. */
import { readFileSync } from 'node:fs';
import { checkKafka, KAFKA_DEFAULTS, KAFKA_SETTINGS, type KafkaSettings } from '@waypost/adapter-kafka/settings';
import { databaseAddress } from '@waypost/adapter-postgres';
import { type AllowedHosts, parseAllowed } from '@waypost/domain';
import { type Environment, type ProcessConfig, parsed, parseHosts, readSettings, setting } from '@waypost/service-kit';
import { dataPath } from './data.ts';
import { type FeedSource, parseFeedSources } from './feeds/feed-source.ts';

export interface ScannerConfig extends ProcessConfig, KafkaSettings {
  /** The scanner call, health and metrics: an internal port. */
  readonly PORT: number;
  readonly DATABASE_URL: string;
  /** A folder of this process alone. */
  readonly DATA_DIR: string;
  readonly OPERATOR_SOCKET: string;
  /** The hosts of the two base URLs, to which links are refused. */
  readonly BASE_URL: string;
  readonly REDIRECT_BASE_URL: string;
  readonly DESTINATION_HOSTS_ALLOWED: AllowedHosts;
  readonly OWN_HOSTS: readonly string[];
  readonly FEEDS: readonly FeedSource[] | 'none';
}

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

const DEFAULTS = {
  ...KAFKA_DEFAULTS,
  OPERATOR_SOCKET: 'none',
  PORT: '8092',
  DESTINATION_HOSTS_ALLOWED: 'none',
  OWN_HOSTS: 'none',
  FEEDS: DEFAULT_FEEDS_FILE,
};

const SETTINGS = {
  PORT: setting.port,
  DATABASE_URL: setting.required(setting.address(databaseAddress)),
  ...KAFKA_SETTINGS,
  DATA_DIR: setting.required(setting.text),
  OPERATOR_SOCKET: setting.socket,
  BASE_URL: setting.required(setting.baseUrl),
  REDIRECT_BASE_URL: setting.required(setting.baseUrl),
  DESTINATION_HOSTS_ALLOWED: setting.list(parseAllowed),
  OWN_HOSTS: setting.list(parseHosts),
  FEEDS: parsed(feedsFrom),
};

export function scannerConfig(environment: Environment): ScannerConfig {
  return readSettings<ScannerConfig>(SETTINGS, DEFAULTS, environment, checkKafka);
}
