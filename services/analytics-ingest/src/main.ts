import {
  clickHouseHealth,
  clickhouseClickSink,
  connectClickHouse,
  expectClickHouseSchema,
} from '@waypost/adapter-clickhouse';
import { kafkaBus, kafkaConnection } from '@waypost/adapter-kafka';
import { internalApp, runService } from '@waypost/process';
import { eventual } from '@waypost/resilience';
import { busMetrics } from '@waypost/typed-bus';
import { createAnalyticsIngest } from './app.ts';
import { analyticsIngestConfig } from './config.ts';
import { ingestMetrics } from './metrics.ts';

await runService(
  'analytics-ingest',
  analyticsIngestConfig,
  async ({ logger, metrics, stack, fatal, serve }, config) => {
    const { database, ...server } = config.clickhouseUrl;
    const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
    stack.defer(() => clickhouse.close());
    const bus = kafkaBus({ ...kafkaConnection(config), clientId: 'analytics-ingest', logger, onFatal: fatal });
    stack.defer(() => bus.stop());
    const ingest = createAnalyticsIngest({ bus, sink: clickhouseClickSink(clickhouse, database), logger });

    ingestMetrics(metrics, ingest);
    busMetrics(metrics, bus);
    const health = {
      kafka: { required: true, check: () => bus.health() },
      clickhouse: { required: true, check: () => clickHouseHealth(clickhouse) },
    };
    await serve(internalApp({ metrics, health }), config.port, config.host);

    // Nothing may be consumed before the table exists.
    const tables = eventual('click store', () => expectClickHouseSchema(clickhouse, database), logger);
    stack.defer(() => tables.stop());
    await tables.there;
    await ingest.start();
    stack.defer(() => ingest.stop());
  },
);
