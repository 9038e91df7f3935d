/**
 * These tests kill or freeze the broker. Tests under load are in services/all-in-one/test/faults/stack (failure-matrix,
 * kafka-away, consumers).
 */
import { afterEach, describe, expect, test } from '@jest/globals';
import { unique } from '@waypost/contracts';
import { into, TEXTS } from '@waypost/contracts/texts';
import { TOPICS } from '@waypost/domain';
import type { Bus } from '@waypost/ports';
import { pause } from '@waypost/test-support';
import { kafkaUnderTest, readAll, until } from './kafka-under-test.ts';

const kafka = kafkaUnderTest();

const isSent = (sending: Promise<void>) =>
  sending.then(
    () => true,
    () => false,
  );

describe('the bus on a broker that fails', () => {
  afterEach(() => {
    expect(kafka().fatal).toEqual([]);
  });

  test('a long batch is handled and committed in parts, and a handler that makes progress is not stuck', async () => {
    const { bus } = kafka();
    const part = { minBytes: 1, maxWaitMs: 100, maxBytesPerPartition: 1 << 20, mostAtOnce: 50, partitionsAtOnce: 1 };
    const tuning = { handlerTimeoutMs: 800, stallMs: 1_000, fetch: { links: part, verdicts: part, clicks: part } };
    const group = unique('group');
    const [stem, sizes, handled] = [unique('parts'), [] as number[], [] as string[]];
    const key = stem; // the same key puts all messages into one partition
    const values = Array.from({ length: 300 }, (_, i) => `${stem}-${i}`);
    const consume = (consumer: Bus) =>
      consumer.subscribe(TEXTS.links, group, async (deliveries, _park, onProgress) => {
        sizes.push(deliveries.length);
        for (const { event } of deliveries) {
          await pause(20); // one part takes longer than the time limit of a handler
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

  // An idempotent kafkajs producer would fail this test: the broker acknowledges the message and drops it
  // (docs/kafkajs-pitfalls.md, 2).
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

  test('without a broker a send rejects quickly and a subscription waits, and both work once it is up', async () => {
    const { bus, engine } = kafka();
    await engine.kill();
    const own = bus();
    const started = performance.now();
    await expect(own.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'early' }])).rejects.toMatchObject({
      code: 'unavailable',
    });
    expect(performance.now() - started).toBeLessThan(5_000);
    const seen: string[] = [];
    await own.subscribe(TEXTS.clicks, unique('group'), into(seen));
    await engine.restart();
    await until(async () => (await own.health()).ok);
    // The broker answers a moment before it leads its partitions again.
    await until(() => isSent(own.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'late' }])));
    await until(() => seen.includes('late'));
  }, 60_000);

  test('a broker that was frozen at the first connection works normally once it resumes', async () => {
    const { bus, engine } = kafka();
    engine.pause();
    const [source, sink] = [bus(), bus()];
    const seen: string[] = [];
    await sink.subscribe(TEXTS.clicks, unique('group'), into(seen));
    for (let i = 0; i < 3; i++) {
      const sending = source.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'frozen' }]);
      await expect(sending).rejects.toMatchObject({ code: 'unavailable' });
    }
    expect((await source.health()).ok).toBe(false);
    engine.resume();
    await until(() => isSent(source.publishEncoded(TEXTS.clicks, [{ key: 'k', value: 'thawed' }])));
    await until(() => seen.includes('thawed'));
    await until(async () => (await source.health()).ok);
  }, 60_000);
});
