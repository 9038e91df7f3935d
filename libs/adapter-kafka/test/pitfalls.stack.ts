/** Each test has its number in docs/kafkajs-pitfalls.md. Pitfalls that need a killed broker are in faults.stack.ts. */
import { createRequire } from 'node:module';
import { afterEach, describe, expect, test } from '@jest/globals';
import { unique } from '@waypost/contracts';
import { into, TEXTS } from '@waypost/contracts/texts';
import { TOPICS } from '@waypost/domain';
import type { BusMessage, Subscription } from '@waypost/ports';
import { pause } from '@waypost/test-support';
import { prepareTopics, topicSettings } from '../src/index.ts';
import { kafkaUnderTest, preparedTopics, readAll, until, withAdmin } from './kafka-under-test.ts';

const kafka = kafkaUnderTest();
const connection = () => ({ brokers: kafka().brokers, clientId: 'test' });

/** Parts of kafkajs that it does not export. */
const Runner = createRequire(import.meta.url)('kafkajs/src/consumer/runner');
const createFetchManager = createRequire(import.meta.url)('kafkajs/src/consumer/fetchManager');

describe('kafkajs behind the bus', () => {
  afterEach(() => {
    kafka().fatal.length = 0;
  });

  test('sets no timers and uses almost no processor time while it is idle (1)', async () => {
    const bus = kafka().bus();
    const seen: string[] = [];
    await bus.subscribe(TEXTS.links, unique('group'), into(seen));
    await bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'idle' }]);
    await bus.health();
    await until(() => seen.length > 0);
    await pause(1_000);

    const { setTimeout: original } = globalThis;
    let timers = 0;
    globalThis.setTimeout = Object.assign((...all: Parameters<typeof setTimeout>) => {
      timers += 1;
      return original(...all);
    }, original) as typeof setTimeout;
    const before = process.cpuUsage();
    await new Promise((resolve) => original(resolve, 3_000));
    const { user, system } = process.cpuUsage(before);
    globalThis.setTimeout = original;
    console.info(`idle: ${Math.round(timers / 3)} timers/s, ${((user + system) / 30_000).toFixed(1)} % of a core`);
    expect(timers / 3).toBeLessThan(50);
    // A loop without a pause would use a whole core. Jest itself uses a few per cent.
    expect((user + system) / 3e6).toBeLessThan(0.5);
  });

  test('messages of one key share a partition, and a message without a key is refused (4)', async () => {
    const bus = kafka().bus();
    const stem = unique('stem');
    await bus.publishEncoded(
      TEXTS.verdicts,
      Array.from({ length: 50 }, (_, i) => ({ key: `${stem}-${i % 5}`, value: `${i}` })),
    );
    const stored = (await readAll(kafka().brokers, TOPICS.verdicts)).filter(({ key }) => key.startsWith(stem));
    for (let i = 0; i < 5; i++) {
      expect(new Set(stored.filter(({ key }) => key === `${stem}-${i}`).map(({ partition }) => partition)).size).toBe(
        1,
      );
    }
    await expect(bus.publishEncoded(TEXTS.verdicts, [{ key: '', value: 'x' }])).rejects.toThrow('has no key');
  });

  test('messages beyond the in-flight limit are refused, not buffered (6)', async () => {
    const bus = kafka().bus();
    const batch = Array.from({ length: 30_000 }, (_, i) => ({ key: `${i}`, value: 'x' }));
    const [first, second] = await Promise.allSettled([
      bus.publishEncoded(TEXTS.verdicts, batch),
      bus.publishEncoded(TEXTS.verdicts, batch),
    ]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
  });

  // Without the cure this test would never let go of the processor.
  test('a consumer that ends while its fetchers are replaced fetches no more (20)', async () => {
    const runner = Object.assign(Object.create(Runner.prototype), {
      running: true,
      instrumentationEmitter: { emit: () => undefined },
      heartbeat: async () => undefined,
      consumerGroup: { fetch: () => pause(1).then(() => []) },
    });
    const logger = { debug: () => undefined, info: () => undefined, namespace: () => logger };
    let nodes = ['1', '2', '3'];
    const manager = createFetchManager({
      logger,
      getNodeIds: () => nodes,
      fetch: (node: string) => runner.fetch(node),
      handler: async () => undefined,
    });
    const fetching: Promise<void> = manager.start();
    await pause(20);
    nodes = ['1', '2'];
    runner.running = false;
    await expect(fetching).rejects.toThrow('The consumer has ended');
  });

  test('a permanent crash ends the process (8)', async () => {
    const bus = kafka().bus({ prefix: 'no topic has such a name ' });
    await bus.subscribe(TEXTS.links, unique('group'), async () => undefined);
    await until(() => kafka().fatal.length > 0);
    expect(kafka().fatal[0]!.message).toContain('crashed');
  });

  test('a handler that takes longer than a session keeps its partitions (12)', async () => {
    const bus = kafka().bus({ tuning: { sessionTimeoutMs: 1_500, heartbeatIntervalMs: 300 } });
    const stem = unique('stem');
    let calls = 0;
    await bus.subscribe(TEXTS.links, unique('group'), async (deliveries) => {
      if (!deliveries.some(({ message }) => message.key.startsWith(stem))) return;
      calls += 1;
      await pause(4_000);
    });
    await bus.publishEncoded(TEXTS.links, [{ key: stem, value: 'slow' }]);
    await until(() => calls === 1);
    await pause(6_000);
    expect(calls).toBe(1);
  });

  test('a handler that hangs gets no heartbeats, and the process ends (12)', async () => {
    const bus = kafka().bus({ tuning: { handlerTimeoutMs: 500, stopWithinMs: 500 } });
    let goOn = () => {};
    await bus.subscribe(TEXTS.links, unique('group'), () => new Promise((resolve) => (goOn = resolve)));
    await bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'hangs' }]);
    await until(() => kafka().fatal.length > 0);
    expect(kafka().fatal[0]!.message).toContain('took over 500 ms');
    goOn();
  });

  test('the committed offset is the next one to read, and it is committed after the handler (13)', async () => {
    const bus = kafka().bus();
    const [group, stem] = [unique('group'), unique('stem')];
    const { promise: blocked, resolve: release } = Promise.withResolvers<void>();
    let isHandling = false;
    await bus.subscribe(TEXTS.verdicts, group, async (deliveries) => {
      if (!deliveries.some(({ message }) => message.key === stem)) return;
      isHandling = true;
      await blocked;
    });
    await bus.publishEncoded(TEXTS.verdicts, [{ key: stem, value: 'commit' }]);
    const stored = (await readAll(kafka().brokers, TOPICS.verdicts)).find(({ key }) => key === stem)!;
    const committed = async () => {
      const [offsets] = await withAdmin(connection(), (admin) =>
        admin.fetchOffsets({ groupId: `${group}.${TOPICS.verdicts}`, topics: [TOPICS.verdicts] }),
      );
      return Number(offsets!.partitions.find(({ partition }) => partition === stored.partition)!.offset);
    };
    await until(() => isHandling);
    expect(await committed()).toBeLessThanOrEqual(Number(stored.offset));
    release();
    await until(async () => (await committed()) === Number(stored.offset) + 1);
  });

  test('stop resolves even when a handler calls it or never ends (16)', async () => {
    const bus = kafka().bus({ tuning: { stopWithinMs: 700 } });
    const stopped: string[] = [];
    const itself: Subscription[] = [];
    itself.push(
      await bus.subscribe(TEXTS.links, unique('group'), async () => {
        await itself[0]!.stop();
        stopped.push('itself');
      }),
    );
    let goOn = () => {};
    let isHanging = false;
    const hanging = await bus.subscribe(TEXTS.links, unique('group'), () => {
      isHanging = true;
      return new Promise((resolve) => (goOn = resolve));
    });
    await bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'stop' }]);
    await until(() => stopped.includes('itself') && isHanging);
    const started = performance.now();
    await hanging.stop();
    expect(performance.now() - started).toBeLessThan(4_000);
    goOn();
  });

  test('only prepareTopics creates topics (17)', async () => {
    const bus = kafka().bus({ prefix: 'unmade.' });
    await bus.subscribe(TEXTS.links, unique('group'), async () => undefined);
    await expect(bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'v' }])).rejects.toThrow();
    await pause(500);
    expect(
      (await withAdmin(connection(), (admin) => admin.listTopics())).filter((name) => name.startsWith('unmade.')),
    ).toEqual([]);
  });

  test('a subscription works once its topic is created later', async () => {
    const bus = kafka().bus({ prefix: 'later.' });
    const seen: string[] = [];
    await bus.subscribe(TEXTS.links, unique('group'), into(seen));
    await pause(300);
    await preparedTopics({ ...connection(), prefix: 'later.' });
    await bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'here' }]);
    await until(() => seen.includes('here'));
    expect(kafka().fatal).toEqual([]);
  });

  test('two topics of one group do not affect each other', async () => {
    const bus = kafka().bus();
    const [group, stem] = [unique('group'), unique('stem')];
    const seen: Record<string, string[]> = { links: [], verdicts: [] };
    for (const topic of [TEXTS.links, TEXTS.verdicts]) {
      await bus.subscribe(topic, group, async (deliveries) => {
        const own = deliveries.filter(({ message }) => message.key === stem);
        seen[topic.name]!.push(...own.map(({ event }) => event));
      });
    }
    for (const topic of [TEXTS.links, TEXTS.verdicts]) {
      await bus.publishEncoded(topic, [{ key: stem, value: topic.name }]);
    }
    await until(() => seen.links!.length > 0 && seen.verdicts!.length > 0);
    expect(seen).toEqual({ links: ['links'], verdicts: ['verdicts'] });
  });
});

describe('messages and topics', () => {
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

  test('a message keeps its headers, even in its dead-letter topic', async () => {
    const bus = kafka().bus();
    const [group, stem] = [unique('group'), unique('stem')];
    const seen: BusMessage[] = [];
    await bus.subscribe(TEXTS.links, group, async (deliveries, park) => {
      for (const delivery of deliveries.filter(({ message }) => message.key === stem)) {
        seen.push(delivery.message);
        park(delivery, new Error('unknown version: ü'));
      }
    });
    await bus.publishEncoded(TEXTS.links, [{ key: stem, value: 'v', headers: { traceparent } }]);
    await until(() => seen.length > 0);
    expect(seen[0]).toEqual({ key: stem, value: 'v', headers: { traceparent } });
    const parked = async () => (await readAll(kafka().brokers, 'links.parked')).find(({ key }) => key === stem);
    await until(async () => (await parked()) !== undefined);
    const stored = (await readAll(kafka().brokers, TOPICS.links)).find(({ key }) => key === stem)!;
    expect((await parked())!.headers).toEqual({
      traceparent,
      group,
      partition: String(stored.partition),
      offset: stored.offset,
      error: 'unknown version: ü',
    });
  });

  test('the error for a message that is too large does not say that the broker is unreachable', async () => {
    const bus = kafka().bus();
    const huge = bus.publishEncoded(TEXTS.links, [{ key: 'k', value: 'x'.repeat(6_000_000) }]);
    await expect(huge).rejects.toThrow();
    await expect(huge).rejects.not.toMatchObject({ code: 'unavailable' });
  });

  test('topics are created once as described, and existing ones do not change', async () => {
    const again = await prepareTopics(connection());
    expect(again).toEqual({ created: [], existing: Object.keys(topicSettings(1)), warnings: [] });
    const wider = { ...topicSettings(1), links: { ...topicSettings(1).links!, partitions: 24 } };
    expect((await prepareTopics({ ...connection(), topics: wider })).warnings).toEqual([
      'links has 6 partitions, not 24',
    ]);
    const clicks = await withAdmin(connection(), (admin) =>
      admin.describeConfigs({ includeSynonyms: false, resources: [{ type: 2, name: TOPICS.clicks }] }),
    );
    const value = (name: string) =>
      clicks.resources[0]!.configEntries.find(({ configName }) => configName === name)?.configValue;
    expect([value('retention.ms'), value('cleanup.policy'), value('min.insync.replicas')]).toEqual([
      '604800000',
      'delete',
      '1',
    ]);
  });

  test('with three brokers each message has three replicas, and two acknowledge it', () => {
    for (const { replicas, config } of Object.values(topicSettings(3))) {
      expect([replicas, config['min.insync.replicas']]).toEqual([3, '2']);
    }
  });
});
