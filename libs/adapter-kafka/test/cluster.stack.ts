import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unique } from '@waypost/contracts';
import { TEXTS } from '@waypost/contracts/texts';
import { TOPICS } from '@waypost/domain';
import { type Engine, startKafkaCluster } from '@waypost/engines';
import { SILENT } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { kafkaBus } from '../src/index.ts';
import { preparedTopics, readAll, until, withAdmin } from './kafka-under-test.ts';

let engines: readonly Engine[] = [];
let brokers: string[];
beforeAll(async () => {
  engines = await startKafkaCluster({ dir: newFolder() });
  brokers = engines.map(({ port }) => `127.0.0.1:${port}`);
  await preparedTopics({ brokers, clientId: 'test' });
}, 120_000);
afterAll(() => Promise.all(engines.map((engine) => engine.stop())), 60_000);

const partitions = () =>
  withAdmin(brokers, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [TOPICS.clicks] });
    return topics[0]!.partitions;
  });

/** Takes every partition away from its leader, so that another broker leads it. */
async function moveLeaders(): Promise<void> {
  const partitionAssignment = (await partitions()).map(({ partitionId, leader }) => ({
    partition: partitionId,
    replicas: [1, 2, 3].filter((id) => id !== leader),
  }));
  await withAdmin(brokers, (admin) =>
    admin.alterPartitionReassignments({ topics: [{ topic: TOPICS.clicks, partitionAssignment }] }),
  );
  const isMoved = async () =>
    (await partitions()).every(({ partitionId, leader }) =>
      partitionAssignment.some(({ partition, replicas }) => partition === partitionId && replicas.includes(leader)),
    );
  await until(() => isMoved().catch(() => false));
}

// kafkajs' own retry would fail this test (docs/kafkajs-pitfalls.md, 18).
test('what is acknowledged while partitions get other leaders is stored', async () => {
  const fail = (error: Error) => expect(error).toBeUndefined();
  const bus = kafkaBus({ brokers, clientId: 'test', logger: SILENT, onFatal: fail });
  afterwards(() => bus.stop());
  const acknowledged: string[] = [];
  let moving = true;
  const publishing = (async () => {
    while (moving) {
      const values = Array.from({ length: 40 }, () => unique('click'));
      const messages = values.map((value) => ({ key: value, value }));
      await bus.publishEncoded(TEXTS.clicks, messages).then(
        () => acknowledged.push(...values),
        () => undefined,
      );
    }
  })();
  for (let round = 0; round < 5 || acknowledged.length < 200; round++) await moveLeaders();
  moving = false;
  await publishing;
  const stored = new Set((await readAll(brokers, TOPICS.clicks)).map(({ value }) => value));
  expect(acknowledged.filter((value) => !stored.has(value))).toEqual([]);
}, 120_000);
