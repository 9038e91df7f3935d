/** A group that needs only new events must not read the old ones that Kafka still stores. */
import { expect, test } from '@jest/globals';
import { TEXTS } from '@waypost/contracts/texts';
import { kafkaUnderTest, until } from './kafka-under-test.ts';

const kafka = kafkaUnderTest();
const MINUTE_MS = 60_000;

test('skips messages older than `since`, and continues from its offset when it returns', async () => {
  const bus = kafka().bus();
  const publish = async (stem: string, count: number, batch = 500) => {
    for (let n = 0; n < count; n += batch)
      await bus.publishEncoded(
        TEXTS.clicks,
        Array.from({ length: Math.min(batch, count - n) }, (_, i) => ({
          key: `${stem}-${n + i}`,
          value: `${stem} ${'x'.repeat(2_000)}`,
        })),
      );
  };
  await publish('old', 30_000);
  const seen: string[] = [];
  const subscribe = (since: Date) =>
    bus.subscribe(
      TEXTS.clicks,
      'since',
      async (deliveries) => void seen.push(...deliveries.map(({ event }) => event.split(' ')[0]!)),
      { since },
    );
  // This time is later than all messages, even with the adapter's tolerance for different clocks.
  const first = await subscribe(new Date(Date.now() + 2 * MINUTE_MS));
  const count = (stem: string) => seen.filter((each) => each === stem).length;
  await until(async () => {
    await publish('new', 100);
    return count('new') > 500;
  });
  expect(count('old')).toBeLessThan(20_000);
  // Before it leaves, it must have skipped in every partition. In the others it would continue with old messages.
  await until(async () => (await bus.consumers()[0]!.lag()) === 0);
  await first.stop();
  await publish('away', 200);
  const old = count('old');
  const second = await subscribe(new Date(0));
  await until(() => count('away') >= 200);
  expect(count('old')).toBe(old);
  await second.stop();
}, 120_000);

test('a group that has skipped all messages does not count as stalled', async () => {
  const bus = kafka().bus({ tuning: { stallMs: 1_000 } });
  const texts = Array.from({ length: 100 }, (_, i) => ({ key: `kept-${i}`, value: 'kept' }));
  await bus.publishEncoded(TEXTS.clicks, texts);
  const since = new Date(Date.now() + 2 * MINUTE_MS);
  await bus.subscribe(TEXTS.clicks, 'skips-all', async () => {}, { since });
  const lag = () => bus.consumers()[0]!.lag();
  await until(async () => (await lag()) === 0);
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect([kafka().fatal, await lag()]).toEqual([[], 0]);
}, 60_000);
