import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { unique } from '@waypost/contracts';
import { into, TEXTS } from '@waypost/contracts/texts';
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

const partitions = (topic: string) =>
  withAdmin(brokers, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [topic] });
    return topics[0]!.partitions;
  });

const fail = (error: Error) => expect(error).toBeUndefined();
function busOn(addresses: readonly string[]) {
  const bus = kafkaBus({ brokers: addresses, clientId: 'test', logger: SILENT, onFatal: fail });
  afterwards(() => bus.stop());
  return bus;
}

/** Takes every partition away from its leader, so that another broker leads it. */
async function moveLeaders(): Promise<void> {
  const partitionAssignment = (await partitions(TOPICS.clicks)).map(({ partitionId, leader }) => ({
    partition: partitionId,
    replicas: [1, 2, 3].filter((id) => id !== leader),
  }));
  await withAdmin(brokers, (admin) =>
    admin.alterPartitionReassignments({ topics: [{ topic: TOPICS.clicks, partitionAssignment }] }),
  );
  const isMoved = async () =>
    (await partitions(TOPICS.clicks)).every(({ partitionId, leader }) =>
      partitionAssignment.some(({ partition, replicas }) => partition === partitionId && replicas.includes(leader)),
    );
  await until(() => isMoved().catch(() => false));
}

// kafkajs' own retry would fail this test (docs/kafkajs-pitfalls.md, 18).
test('what is acknowledged while partitions get other leaders is stored', async () => {
  const bus = busOn(brokers);
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

// kafkajs would ask the same broker again and again (docs/kafkajs-pitfalls.md, 19).
describe('a broker that accepts connections and answers nothing', () => {
  test('does not keep a process that starts from the others', async () => {
    const silent = net.createServer((socket) => socket.on('error', () => undefined));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    afterwards(() => silent.close());
    const bus = busOn([`127.0.0.1:${(silent.address() as net.AddressInfo).port}`, ...brokers]);
    await bus.publishEncoded(TEXTS.links, [{ key: 'k', value: unique('link') }]);
  }, 30_000);

  test.each([0, 1, 2])(
    'does not hold up consumers of the others: it is number %d',
    async (number) => {
      const [source, sink, seen] = [busOn(brokers), busOn(brokers), [] as string[]];
      await sink.subscribe(TEXTS.links, unique('group'), into(seen));
      const arrives = async (stem: string) => {
        // Other keys are in other partitions, which have other leaders.
        const messages = Array.from({ length: 12 }, (_, i) => ({ key: `${i}`, value: `${stem}-${i}` }));
        const publish = () => source.publishEncoded(TEXTS.links, messages);
        await until(
          () =>
            publish().then(
              () => true,
              () => false,
            ),
          60_000,
        );
        await until(() => messages.every(({ value }) => seen.includes(value)), 60_000);
      };
      await arrives(unique('before'));
      // Two of three copies must acknowledge, so the others may not be late.
      await until(async () => (await partitions(TOPICS.links)).every(({ isr }) => isr.length === 3), 60_000);
      engines[number]!.pause();
      try {
        await arrives(unique('meanwhile'));
      } finally {
        engines[number]!.resume();
      }
      await arrives(unique('after'));
    },
    120_000,
  );
});
