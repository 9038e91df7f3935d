import { connectKafka } from './kafkajs.ts';
import type { KafkaConnection } from './settings.ts';

/**
 * Whether the brokers lead every partition they know, so that producing works: a broker that has just started may not
 * yet.
 */
export async function kafkaLeads(
  brokers: readonly string[],
  connection: Partial<KafkaConnection> = {},
): Promise<boolean> {
  const admin = connectKafka(
    { ...connection, brokers, clientId: 'waypost-probe' },
    { requestTimeoutMs: 2_000, retries: 0 },
  ).admin();
  try {
    await admin.connect();
    const { brokers: alive, controller } = await admin.describeCluster();
    if (alive.length === 0 || controller === null || controller < 0) return false;
    const { topics } = await admin.fetchTopicMetadata();
    return topics.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0));
  } catch {
    return false;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
