import path from 'node:path';
import {
  clickHouseHealth,
  clickhouseArchive,
  clickhouseClickPurge,
  clickhouseClickSink,
  clickhouseClickStats,
  MIGRATION_NAMES as clickhouseMigrations,
  clickhouseStoredClicks,
  prepareClickHouse,
} from '@waypost/adapter-clickhouse';
import {
  inProcessBus,
  loadSecrets,
  lockFolder,
  parkInFolder,
  rotateVisitorSecret,
  startEmbeddedClickHouse,
  startEmbeddedPostgres,
} from '@waypost/adapter-embedded';
import type { KnownMigrations, Stores } from '@waypost/backup';
import {
  configuredProvider,
  postgresLinkApiStores,
  smtpMail,
  webAuthnCeremonies,
  webhookSender,
} from '@waypost/link-api';
import { createDatabase, openDatabase, pingDatabase, poolMetrics } from '@waypost/postgres';
import { postgresLinkArchive, MIGRATION_NAMES as postgresMigrations, SCHEMAS } from '@waypost/prepare/adapters';
import type { Service } from '@waypost/process';
import { postgresNoteFeed, postgresRecheckQueue, postgresScannedLinks } from '@waypost/scanner';
import type { Metrics } from '@waypost/telemetry';
import type { Config } from './config.ts';
import { CONNECTIONS, mostConnections } from './connections.ts';
import { expectOwnFolder, FolderInUse } from './data-dir.ts';

const DATABASE = 'waypost';

export const KNOWN_MIGRATIONS: KnownMigrations = { clickhouse: clickhouseMigrations, postgres: postgresMigrations };

/** Keeps the folder locked until `stack` is unwound. Throws `FolderInUse`, or `ConfigError` if it is another's. */
export function takeFolder(dataDir: string, stack: AsyncDisposableStack): void {
  expectOwnFolder(dataDir);
  const lock = lockFolder(dataDir);
  if (lock === undefined) throw new FolderInUse(`The data folder ${dataDir} is in use by another Waypost.`);
  stack.defer(() => lock.release());
}

/** The engines run until `stack` is unwound. `threads` is the number of threads that answer visitors. */
export async function openStores(
  dataDir: string,
  threads: number,
  { onError, stack }: Pick<Service, 'onError' | 'stack'>,
) {
  const stopping = <T extends { stop(): Promise<void> }>(engine: T): T => {
    stack.defer(() => engine.stop());
    return engine;
  };
  const [postgres, { client: clickhouse }] = await Promise.all([
    startEmbeddedPostgres(path.join(dataDir, 'postgres'), onError('PostgreSQL'), [
      `max_connections=${mostConnections(threads)}`,
    ]).then(stopping),
    startEmbeddedClickHouse(path.join(dataDir, 'clickhouse')).then(stopping),
  ]);
  const address = { host: postgres.host, user: postgres.user, database: DATABASE };
  await createDatabase(address, DATABASE);
  const archives: Stores = {
    clickhouse: clickhouseArchive(clickhouse, DATABASE),
    postgres: postgresLinkArchive({ ...address, poolSize: 1 }),
  };
  return { address, clickhouse, archives };
}

export type Engines = Awaited<ReturnType<typeof openEngines>>;

export async function openEngines(
  config: Config,
  { logger, onError, stack }: Pick<Service, 'logger' | 'onError' | 'stack'>,
) {
  const { dataDir, redirectWorkers, webhookHostsAllowed } = config;
  const secrets = loadSecrets(dataDir);
  const { address, clickhouse, archives } = await openStores(dataDir, redirectWorkers, { onError, stack });
  let closing = false;
  const db = await openDatabase({
    ...address,
    poolSize: CONNECTIONS,
    migrate: SCHEMAS,
    onIdleError: (error) => closing || onError('a database connection was lost')(error),
  });
  stack.defer(async () => {
    closing = true; // the server then ends its connections, which is no error
    await db.close();
  });
  await prepareClickHouse(clickhouse, DATABASE);

  return {
    visitorSecret: secrets.visitor,
    loadVisitorSecret: (now: Date) => loadSecrets(dataDir, now).visitor,
    rotateVisitorSecret: (now: Date, options: { readonly leaked: boolean }) =>
      rotateVisitorSecret(dataDir, now, options),
    /** The visitor threads open their own connections to this address. */
    database: address,
    archives,
    bus: inProcessBus({
      park: parkInFolder(dataDir),
      groups: { links: ['scanner'], verdicts: ['link-api'], clicks: ['analytics-ingest'] },
      logger,
    }),
    ...postgresLinkApiStores(db, config, onError('outbox relay failed')),
    ceremonies: webAuthnCeremonies(config.baseUrl),
    byProvider: configuredProvider(config, logger),
    sendMail: smtpMail(config),
    sendWebhook: webhookSender({ allowed: webhookHostsAllowed }),
    scannerStores: {
      links: postgresScannedLinks(() => db),
      rechecks: postgresRecheckQueue(() => db),
      noteFeed: postgresNoteFeed(() => db),
    },
    sink: clickhouseClickSink(clickhouse, DATABASE),
    stats: clickhouseClickStats(clickhouse, DATABASE),
    storedClicks: clickhouseStoredClicks(clickhouse, DATABASE),
    clicks: clickhouseClickPurge(clickhouse, DATABASE, onError('deleting the clicks of deleted accounts failed')),
    measure: (metrics: Metrics) => poolMetrics(metrics, () => db),
    health: {
      database: { required: true, check: () => pingDatabase(db).then(() => ({ ok: true })) },
      clickhouse: {
        required: false,
        check: (signal: AbortSignal) => clickHouseHealth(clickhouse, signal),
      },
    },
  };
}
