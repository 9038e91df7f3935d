import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { inProcessBus } from '@waypost/adapter-embedded';
import { CLICKS, type ClickEvent, type EnrichedClick, unavailable } from '@waypost/domain';
import type { BusMessage, ClickSink } from '@waypost/ports';
import { type BatchOutcome, storeClicks } from './store-clicks.ts';

const NOW = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 86_400_000;

const idOf = (n: number) => `01900000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

function message(n: number, more: Partial<ClickEvent> = {}): BusMessage {
  const event: ClickEvent = {
    v: 2,
    type: 'click.recorded',
    id: idOf(n),
    account_id: '0193a5d0-7c1e-4abc-8def-0123456789ab',
    slug: 'abc',
    at: NOW,
    visitor: '00000000000000ff',
    country: 'DE',
    user_agent: 'curl/8.5.0',
    referrer: '',
    ...more,
  };
  return { key: CLICKS.key(event), value: JSON.stringify(event) };
}

/** A consumer on a bus. Its sink stores clicks, and fails with the error that `refuse` returns. */
async function consumer(refuse: (clicks: readonly EnrichedClick[]) => Error | undefined = () => undefined) {
  const stored = new Map<string, EnrichedClick>();
  const parked: { message: BusMessage; error: Error }[] = [];
  const outcomes: BatchOutcome[] = [];
  let calls = 0;
  const sink: ClickSink = {
    async store(clicks) {
      calls++;
      await nextTurn();
      const error = refuse(clicks);
      if (error !== undefined) throw error;
      for (const click of clicks) stored.set(click.id, click);
    },
  };
  const bus = inProcessBus({
    park: async (_topic, _group, message, error) => void parked.push({ message, error }),
    logger: { warn: () => undefined },
  });
  await bus.subscribe(
    CLICKS,
    'test',
    storeClicks({ sink, now: () => NOW, onBatch: (outcome) => outcomes.push(outcome) }),
  );
  return {
    stored,
    parked,
    outcomes,
    calls: () => calls,
    handle: (messages: readonly BusMessage[]) => bus.publishEncoded(CLICKS, messages),
  };
}

const batch = (count: number) => Array.from({ length: count }, (_, i) => message(i));

describe('storeClicks', () => {
  test('stores a batch with one call, enriched', async () => {
    const { handle, stored, parked, calls, outcomes } = await consumer();
    await handle(batch(1_000));
    expect(stored.size).toBe(1_000);
    expect(stored.get(idOf(0))).toMatchObject({
      browser: 'Unknown',
      device: 'desktop',
      isBot: true,
      referrer: 'direct',
    });
    expect(parked).toEqual([]);
    expect(calls()).toBe(1);
    expect(outcomes).toMatchObject([{ stored: 1_000 }]);
  });

  test.each([
    ['older than the retention', NOW - 100 * DAY_MS - 1, false],
    ['of the first day of the retention', NOW - 100 * DAY_MS, true],
    ['of the year 1970', 1, false],
    ['of a clock that is some hours ahead', NOW + 5 * 3_600_000, true],
    ['of the far future', NOW + 400 * DAY_MS, false],
    ['of a time beyond any calendar', Number.MAX_SAFE_INTEGER, false],
  ])('a click %s does not block the others', async (_, at, isStored) => {
    const { handle, stored, parked } = await consumer();
    await handle([message(1), message(2, { at }), message(3)]);
    expect(stored.size).toBe(isStored ? 3 : 2);
    expect(parked.length).toBe(isStored ? 0 : 1);
  });

  test('dead-letters only the rows that the store refuses, and stores the others', async () => {
    const bad = new Set([0, 333, 334, 999].map(idOf));
    const refusal = new Error('Unknown element for enum');
    const { handle, stored, parked, calls } = await consumer((clicks) =>
      clicks.some(({ id }) => bad.has(id)) ? refusal : undefined,
    );
    await handle(batch(1_000));
    expect(stored.size).toBe(996);
    expect(parked.map(({ message: { key } }) => key)).toEqual([...bad]);
    expect(parked.every(({ error }) => error === refusal)).toBe(true);
    expect(calls()).toBeLessThan(100);
  });

  test('dead-letters nothing while the store is down: the handler throws, and the next delivery stores all', async () => {
    let away = true;
    const { handle, stored, parked, outcomes } = await consumer(() => (away ? unavailable('away') : undefined));
    await expect(handle([...batch(10), { key: 'bad', value: '{' }])).rejects.toMatchObject({ code: 'unavailable' });
    expect([stored.size, parked.length, outcomes.length]).toEqual([0, 0, 0]);
    away = false;
    await handle([...batch(10), { key: 'bad', value: '{' }]);
    expect([stored.size, parked.length]).toEqual([10, 1]);
  });

  test('dead-letters nothing if the store goes down during the search for a refused row', async () => {
    let call = 0;
    const { handle, parked } = await consumer(() => (++call < 4 ? new Error('a row is bad') : unavailable('gone')));
    await expect(handle(batch(64))).rejects.toMatchObject({ code: 'unavailable' });
    expect(parked).toEqual([]);
  });

  test('does not block the event loop while it reads a large batch', async () => {
    const { handle } = await consumer();
    const messages = Array.from({ length: 5_000 }, (_, i) =>
      message(i, { user_agent: `Mozilla/5.0 (X11; rv:${i}) Gecko` }),
    );
    let turns = 0;
    let done = false;
    const counting = (async () => {
      while (!done) {
        await nextTurn();
        turns++;
      }
    })();
    await handle(messages);
    done = true;
    await counting;
    expect(turns).toBeGreaterThan(15);
  });
});
