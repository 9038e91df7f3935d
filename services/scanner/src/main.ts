import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import { ownHostOf } from '@waypost/domain';
import { running } from '@waypost/operator';
import { eventualDatabase, poolMetrics } from '@waypost/postgres';
import { clockHealth, diskHealth, internalApp, runService } from '@waypost/process';
import { SCANNER_SCHEMA } from '@waypost/scanner-schema';
import { busMetrics } from '@waypost/typed-bus';
import { createScanner } from './app.ts';
import { scannerConfig } from './config.ts';
import { registrableDomain } from './judge/urls/hosts.ts';
import { scannerCommands } from './operator-commands.ts';
import { providersFrom } from './recheck/providers/providers.ts';
import { postgresRecheckQueue } from './recheck/recheck-queue.sql.ts';
import { postgresScannedLinks } from './recheck/scanned-links.sql.ts';
import { postgresNoteFeed } from './threats/note-feed.sql.ts';
import { postgresSharedThreatData } from './threats/shared-threat-data.sql.ts';

await runService('scanner', scannerConfig, async ({ logger, metrics, stack, fatal, serve, operate }, config) => {
  const database = eventualDatabase({
    url: config.databaseUrl,
    poolSize: 5,
    expect: SCANNER_SCHEMA,
    logger,
    stack,
  });
  const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'scanner', logger, onFatal: fatal });
  stack.defer(() => bus.stop());

  const now = () => new Date();
  const scanner = await createScanner(
    {
      ...config,
      shared: postgresSharedThreatData(database.now),
      policy: {
        registrableDomain,
        ownHosts: [ownHostOf(config.baseUrl), ownHostOf(config.redirectBaseUrl), ...config.ownHosts],
        allowed: config.destinationHostsAllowed,
      },
      links: postgresScannedLinks(database.now),
      rechecks: postgresRecheckQueue(database.now),
      bus,
      providers: providersFrom(config, { logger, now }),
      logger,
      now,
    },
    metrics,
  );
  stack.defer(() => scanner.stop());

  poolMetrics(metrics, database.now);
  busMetrics(metrics, bus);
  const commands = running(scannerCommands, { ...scanner, noteFeed: postgresNoteFeed(database.now) });
  await operate({ commands }, config.operatorSocket);
  await serve(
    internalApp({
      metrics,
      health: {
        threat_database: { required: true, check: () => ({ ...scanner.status() }) },
        // Imports and re-scans need the disk and the engines. A verdict does not.
        disk: { required: false, check: diskHealth(config.dataDir) },
        clock: { required: false, check: clockHealth({ shared: database.clock }) },
        database: { required: false, check: database.check },
        kafka: { required: false, check: () => bus.health() },
      },
      routers: [scanner.router],
    }),
    config.port,
    config.host,
  );
  await scanner.start();
});
