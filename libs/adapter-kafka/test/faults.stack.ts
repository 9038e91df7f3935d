/** The broker is killed and frozen under load, consumers come and go: no acknowledged message is lost. */
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from '@jest/globals';
import { unique } from '@waypost/contracts';
import { TEXTS } from '@waypost/contracts/texts';
import { TOPICS } from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import { pause, spawnNode } from '@waypost/test-support';
import { kafkaUnderTest, readAll, until, withAdmin } from './kafka-under-test.ts';

const kafka = kafkaUnderTest();

/**
 * Publishes numbered messages, one send in flight, and retries each batch until it is acknowledged; collects the
 * acknowledged ones.
 */
function startLoad(bus: Bus, stem: string, batchSize = 200) {
  const acknowledged: string[] = [];
  let stopped = false;
  let failures = 0;
  const ended = (async () => {
    for (let n = 0; !stopped; n += batchSize) {
      const batch = Array.from({ length: batchSize }, (_, i) => ({
        key: `${stem}-${n + i}`,
        value: `${stem}-${n + i}`,
      }));
      for (;;) {
        try {
          await bus.publishEncoded(TEXTS.clicks, batch);
          break;
        } catch {
          failures += 1;
          await pause(100);
        }
      }
      acknowledged.push(...batch.map(({ value }) => value));
      await pause(2);
    }
  })();
  return {
    acknowledged,
    failures: () => failures,
    stop: async () => {
      stopped = true;
      await ended;
    },
  };
}

async function collect(bus: Bus, group: string) {
  const seen = new Set<string>();
  let deliveries = 0;
  const subscription = await bus.subscribe(TEXTS.clicks, group, async (arrived) => {
    deliveries += arrived.length;
    for (const { event } of arrived) seen.add(event);
  });
  return { seen, deliveries: () => deliveries, stop: () => subscription.stop() };
}

const isSent = (sending: Promise<void>) =>
  sending.then(
    () => true,
    () => false,
  );

const missing = (acknowledged: readonly string[], seen: ReadonlySet<string>) =>
  acknowledged.filter((value) => !seen.has(value)).length;

describe('Kafka in trouble', () => {
  afterEach(() => {
    expect(kafka().fatal).toEqual([]);
  });

  test('killed twice under load: nothing acknowledged is lost, and consumers catch up by themselves', async () => {
    const { bus, engine } = kafka();
    const [source, sink] = [bus(), bus()];
    const { seen, deliveries } = await collect(sink, unique('group'));
    const load = startLoad(source, 'kill');
    for (let i = 0; i < 2; i++) {
      await pause(1_500);
      await engine.kill();
      await pause(500);
      await engine.restart();
      const healed = performance.now();
      const before = load.acknowledged.length;
      await until(() => load.acknowledged.length > before && missing(load.acknowledged.slice(0, before), seen) === 0);
      console.info(`killed: consumed up to date ${Math.round(performance.now() - healed)} ms after the restart`);
    }
    await load.stop();
    await until(() => missing(load.acknowledged, seen) === 0);
    console.info(
      `killed: ${load.acknowledged.length} acknowledged, ${deliveries()} delivered, ${load.failures()} failed sends`,
    );
  }, 120_000);

  test('frozen under load: sends reject instead of hanging, memory stays flat, and everything recovers', async () => {
    const { bus, engine } = kafka();
    const [source, sink] = [bus(), bus()];
    const { seen } = await collect(sink, unique('group'));
    const load = startLoad(source, 'freeze');
    await until(() => seen.has('freeze-0'));
    const rss = process.memoryUsage.rss();
    engine.pause();
    const frozenAt = performance.now();
    await until(() => load.failures() > 0, 15_000);
    console.info(`frozen: a send rejected after ${Math.round(performance.now() - frozenAt)} ms`);
    await pause(5_000);
    expect(process.memoryUsage.rss() - rss).toBeLessThan(80 * 1024 * 1024);
    expect((await source.health()).ok).toBe(false);
    engine.resume();
    const healed = performance.now();
    const before = load.acknowledged.length;
    await until(() => load.acknowledged.length > before);
    await load.stop();
    await until(() => missing(load.acknowledged, seen) === 0);
    console.info(`frozen: caught up ${Math.round(performance.now() - healed)} ms after it`);
    await until(async () => (await source.health()).ok);
  }, 120_000);

  test('a long batch is handled and committed in parts, and a handler that makes progress is not stuck', async () => {
    const { bus } = kafka();
    const part = { minBytes: 1, maxWaitMs: 100, maxBytesPerPartition: 1 << 20, mostAtOnce: 50, partitionsAtOnce: 1 };
    const tuning = { handlerTimeoutMs: 500, stallMs: 1_000, fetch: { links: part, verdicts: part, clicks: part } };
    const group = unique('group');
    const [stem, sizes, handled] = [unique('parts'), [] as number[], [] as string[]];
    const key = stem; // one partition
    const values = Array.from({ length: 300 }, (_, i) => `${stem}-${i}`);
    const consume = (consumer: Bus) =>
      consumer.subscribe(TEXTS.links, group, async (deliveries, _park, onProgress) => {
        sizes.push(deliveries.length);
        for (const { event } of deliveries) {
          await pause(20); // a part takes twice the limit of a handler
          handled.push(event);
          onProgress();
        }
      });
    await bus().publishEncoded(
      TEXTS.links,
      values.map((value) => ({ key, value })),
    );
    const first = bus({ tuning });
    await consume(first);
    await until(() => handled.length > 120);
    await first.stop();
    const before = handled.length;
    expect(before).toBeLessThan(values.length);
    await consume(bus({ tuning }));
    await until(() => handled.length >= values.length);
    expect(handled.filter((value) => value.startsWith(stem))).toEqual(values);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(50);
  }, 60_000);

  // With an idempotent kafkajs producer the message is acknowledged and never stored (docs/kafkajs-pitfalls.md, 2).
  test('a message that is acknowledged after a failed send is stored', async () => {
    const { bus, engine, brokers } = kafka();
    const source = bus();
    await source.publishEncoded(TEXTS.verdicts, [{ key: 'k', value: 'before' }]);
    engine.pause();
    await expect(source.publishEncoded(TEXTS.verdicts, [{ key: 'k', value: 'A' }])).rejects.toMatchObject({
      code: 'unavailable',
    });
    engine.resume();
    await until(() => isSent(source.publishEncoded(TEXTS.verdicts, [{ key: 'k', value: 'B' }])));
    const stored = (await readAll(brokers, TOPICS.verdicts)).map(({ value }) => value);
    expect(stored).toContain('before');
    expect(stored).toContain('B');
  }, 60_000);

  test('down at the start: a send rejects quickly, a subscription waits, and both work once the broker is up', async () => {
    const { bus, engine } = kafka();
    await engine.kill();
    const own = bus();
    const started = performance.now();
    await expect(own.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'early' }])).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    const { seen } = await collect(own, unique('group'));
    await engine.restart();
    await until(async () => (await own.health()).ok);
    await own.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'late' }]);
    await until(() => seen.has('late'));
  }, 60_000);

  test('frozen at the first connection: both work once the broker resumes', async () => {
    const { bus, engine } = kafka();
    engine.pause();
    const [source, sink] = [bus(), bus()];
    const { seen } = await collect(sink, unique('group'));
    for (let i = 0; i < 3; i++) {
      const sending = source.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'frozen' }]);
      await expect(sending).rejects.toMatchObject({ code: 'unavailable' });
    }
    engine.resume();
    await until(() => isSent(source.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'thawed' }])));
    await until(() => seen.has('thawed'));
    await until(async () => (await source.health()).ok);
  }, 60_000);

  test('two consumers share the partitions; when one is killed, the other takes over its part', async () => {
    const { bus, brokers } = kafka();
    const survivor = bus();
    const group = unique('group');
    const own = await collect(survivor, group);
    const load = startLoad(survivor, 'pair', 50);
    await until(() => own.seen.has('pair-0'));

    const child = spawnNode(new URL('./consumer-process.ts', import.meta.url), [brokers.join(','), group]);
    const theirs = new Set<string>();
    createInterface({ input: child.stdout }).on('line', (value) => theirs.add(value));
    await until(() => theirs.size > 100);
    await pause(1_000);
    child.kill('SIGKILL');
    const killed = performance.now();
    await load.stop();
    const all = () => new Set([...own.seen, ...theirs]);
    await until(() => missing(load.acknowledged, all()) === 0);
    console.info(
      `killed consumer: its part was taken over ${Math.round(performance.now() - killed)} ms later; ${theirs.size} were its`,
    );
  }, 90_000);

  test('offsets reset to the start: everything is read again', async () => {
    const { bus, brokers } = kafka();
    const group = unique('group');
    const first = bus();
    const once = await collect(first, group);
    const stored = new Set((await readAll(brokers, TOPICS.clicks)).map(({ value }) => value));
    await until(() => once.seen.size >= stored.size);
    await first.stop();

    const offsets = { groupId: `${group}.${TOPICS.clicks}`, topic: TOPICS.clicks, earliest: true };
    await withAdmin(brokers, (admin) => admin.resetOffsets(offsets));
    const started = performance.now();
    const again = await collect(bus(), group);
    await until(() => again.seen.size >= stored.size);
    console.info(`read again: ${again.deliveries()} messages in ${Math.round(performance.now() - started)} ms`);
    expect(again.seen).toEqual(once.seen);
  }, 60_000);
});
