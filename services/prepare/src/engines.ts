import { connectClickHouse, prepareClickHouse } from '@waypost/adapter-clickhouse';
import { kafkaConnection, type PreparedTopics, prepareTopics, topicSettings } from '@waypost/adapter-kafka';
import { eventualDatabase } from '@waypost/adapter-postgres';
import { eventual, Stack } from '@waypost/resilience';
import type { Environment } from '@waypost/settings';
import { createLogger } from '@waypost/telemetry';
import { prepareConfig } from './config.ts';

/** Waits for the engines that the environment names, and creates what they lack. Throws `ConfigError`. */
export async function prepareEngines(environment: Environment): Promise<PreparedTopics> {
  const config = prepareConfig(environment);
  const logger = createLogger('prepare', config.logLevel);
  const stack = new Stack();
  try {
    await eventualDatabase({ url: config.databaseUrl, poolSize: 1, migrate: true, logger, stack }).there;
    const topics = await prepareTopics({
      ...kafkaConnection(config),
      clientId: 'prepare',
      logger,
      grants: config.kafkaAcls === 'services',
      topics: topicSettings(config.kafkaBrokers.length >= 3 ? 3 : 1),
    });
    const { database, ...server } = config.clickhouseUrl;
    const clickhouse = connectClickHouse({ ...server, ca: config.clickhouseCaFile });
    stack.push(() => clickhouse.close());
    await eventual(
      'click store',
      () => prepareClickHouse(clickhouse, database),
      async () => undefined,
      logger,
    ).there;
    return topics;
  } finally {
    await stack.unwind();
  }
}
