/** A group that needs only new events does not read what Kafka has kept. */
import { expect, test } from '@jest/globals';
import { TEXTS } from '@waypost/contracts/texts';
import { kafkaUnderTest, until } from './kafka-under-test.ts';

const kafka = kafkaUnderTest();
const MINUTE_MS = 60_000;

test('skips what is older than `since`, and goes on where it was when it comes back', async () => {
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
  // 60 MB: many fetches.
  await publish('old', 30_000);
  const seen: string[] = [];
  const subscribe = (since: Date) =>
    bus.subscribe(
      TEXTS.clicks,
      'since',
      async (deliveries) => void seen.push(...deliveries.map(({ event }) => event.split(' ')[0]!)),
      { since },
    );
  // Later than all that is there, with the margin that the adapter takes for clocks that differ.
  const first = await subscribe(new Date(Date.now() + 2 * MINUTE_MS));
  const count = (stem: string) => seen.filter((each) => each === stem).length;
  await until(async () => {
    await publish('new', 100);
    return count('new') > 500;
  });
  expect(count('old')).toBeLessThan(20_000);
  // Before it leaves, it has skipped in every partition: where it has not, it would go on among the old ones.
  await until(async () => (await bus.consumers()[0]!.lag()) === 0);
  await first.stop({ leaving: true });
  await publish('away', 200);
  const old = count('old');
  const second = await subscribe(new Date(0));
  await until(() => count('away') >= 200);
  expect(count('old')).toBe(old);
  await second.stop();
}, 120_000);

test('a group that has skipped all there is waits for new events: it is not taken for one that stalls', async () => {
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
