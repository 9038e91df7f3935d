import {
  clickhouseArchive,
  MIGRATION_NAMES as clickhouseMigrations,
  connectClickHouse,
  prepareClickHouse,
} from '@waypost/adapter-clickhouse';
import { kafkaConnection, type PreparedTopics, prepareTopics } from '@waypost/adapter-kafka';
import {
  type BackupSummary,
  type Cipher,
  openBackup,
  type RestoreOptions,
  type RestoreSummary,
  restoreStores,
  type Stores,
  writeBackup,
} from '@waypost/backup';
import { databaseAddress, eventualDatabase } from '@waypost/postgres';
import { eventual } from '@waypost/resilience';
import type { Environment } from '@waypost/settings';
import { createLogger } from '@waypost/telemetry';
import { postgresLinkArchive, MIGRATION_NAMES as postgresMigrations, SCHEMAS } from './adapters.ts';
import { prepareConfig, storesConfig } from './config.ts';

/** Waits for the configured engines, and creates missing schemas and topics. Throws `ConfigError`. */
export async function prepareEngines(environment: Environment): Promise<PreparedTopics> {
  const config = prepareConfig(environment);
  const logger = createLogger('prepare', config.logLevel);
  await using stack = new AsyncDisposableStack();
  await eventualDatabase({ url: config.databaseUrl, poolSize: 1, migrate: SCHEMAS, logger, stack }).there;
  const topics = await prepareTopics({
    ...kafkaConnection(config),
    clientId: 'prepare',
    logger,
    grants: config.kafkaAcls === 'services',
  });
  const { database, ...server } = config.clickhouseUrl;
  const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
  stack.defer(() => clickhouse.close());
  await eventual('click store', () => prepareClickHouse(clickhouse, database), logger).there;
  return topics;
}

export const backUpEngines = (
  dir: string,
  environment: Environment,
  encrypt: Cipher | undefined,
): Promise<BackupSummary> => withArchives(environment, (archives) => writeBackup(dir, new Date(), archives, encrypt));

/** A data folder's backup also has the visitor secret, the feeds and the click log, which the engines cannot store. */
export async function restoreEngines(
  dir: string,
  environment: Environment,
  { decrypt, revision }: RestoreOptions,
): Promise<RestoreSummary> {
  const migrations = { clickhouse: clickhouseMigrations, postgres: postgresMigrations };
  const backup = await openBackup(dir, migrations, decrypt);
  const revised = await withArchives(environment, (archives) => restoreStores(backup, archives, revision));
  return { ...backup.summary, ...revised };
}

export async function withArchives<T>(environment: Environment, work: (archives: Stores) => Promise<T>): Promise<T> {
  const config = storesConfig(environment);
  const { database, ...server } = config.clickhouseUrl;
  const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
  try {
    return await work({
      clickhouse: clickhouseArchive(clickhouse, database),
      postgres: postgresLinkArchive({ ...databaseAddress(config.databaseUrl), poolSize: 1 }),
    });
  } finally {
    await clickhouse.close();
  }
}
