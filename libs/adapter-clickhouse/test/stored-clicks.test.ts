import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { EnrichedClick } from '@waypost/domain';
import type { ClickPlace, StoredClick } from '@waypost/ports';
import { clickhouseStoredClicks } from '../src/index.ts';
import { ENGINES, openedClicks } from './engines.ts';
import { clickAt } from './some-clicks.ts';

const NIL = '00000000-0000-0000-0000-000000000000';
const secondsOf = (ms: number) => Math.floor(ms / 1_000);

describe.each(ENGINES)('StoredClicks on ClickHouse, %s', (_, start) => {
  const store = openedClicks(start);
  const stored = (settleSeconds = 0) => clickhouseStoredClicks(store().client, 'waypost', settleSeconds);
  const merge = () => store().client.command({ query: 'OPTIMIZE TABLE waypost.clicks FINAL' });
  /** Rows get the time of their insert in whole seconds, so two inserts of a test must be a second apart. */
  const nextSecond = () => new Promise((resolve) => setTimeout(resolve, 1_050));

  const clicksOf = (accountId: string, count: number, more: Partial<EnrichedClick> = {}) =>
    Array.from({ length: count }, (_, i) => clickAt(`s${i % 7}`, Date.now() - i, { accountId, ...more }));

  /** Reads page by page, as a webhook does. */
  async function readAll(accountId: string, most: number, from: { after: ClickPlace; since?: number }) {
    const clicks: StoredClick[] = [];
    let { after, since = 0 } = from;
    for (;;) {
      const page = await stored().next(accountId, { after, since }, most);
      if (page === undefined) return { clicks, after };
      clicks.push(...(await stored().read(accountId, { after, to: page.to, since })));
      after = page.to;
    }
  }
  const beginning = () => ({ after: { at: secondsOf(Date.now()) - 3, id: NIL } });

  test('each click is read once over pages of any size, with its fields', async () => {
    const accountId = randomUUID();
    const from = beginning();
    const clicks = clicksOf(accountId, 250, { country: 'CH', referrer: 'a.example', device: 'tablet', isBot: true });
    await store().sink.store(clicks.slice(0, 100));
    await store().sink.store(clicks.slice(100));
    await store().sink.store(clicksOf(randomUUID(), 10));
    for (const most of [1_000, 250, 33]) {
      const read = await readAll(accountId, most, from);
      expect(read.clicks).toHaveLength(250);
      expect(new Set(read.clicks.map(({ id }) => id))).toEqual(new Set(clicks.map(({ id }) => id)));
    }
    const { clicks: all } = await readAll(accountId, 1_000, from);
    const { id, slug, at } = clicks[3]!;
    expect(all.find((click) => click.id === id)).toEqual({
      id,
      slug,
      at,
      country: 'CH',
      device: 'tablet',
      browser: 'Firefox',
      referrer: 'a.example',
      isBot: true,
    });
  });

  test('a batch that is stored again is not read again, before a merge and after it', async () => {
    const accountId = randomUUID();
    const clicks = clicksOf(accountId, 50);
    await store().sink.store(clicks);
    const first = await readAll(accountId, 20, beginning());
    expect(first.clicks).toHaveLength(50);
    await nextSecond();
    const more = clicksOf(accountId, 5);
    // A redelivered batch may have other clicks, too.
    await store().sink.store([...clicks.toReversed(), ...more]);
    for (const settle of [async () => {}, merge]) {
      await settle();
      const second = await readAll(accountId, 20, first);
      expect(second.clicks.map(({ id }) => id).toSorted()).toEqual(more.map(({ id }) => id).toSorted());
    }
    const { total_clicks } = await store().stats.accountTotals(accountId, dayRange(), 'include');
    expect(total_clicks).toBe(55);
  });

  test('a range has the same clicks after copies were stored and merged', async () => {
    const accountId = randomUUID();
    const { after } = beginning();
    const clicks = clicksOf(accountId, 30);
    await store().sink.store(clicks);
    const range = { after, to: (await stored().next(accountId, { after, since: 0 }, 20))!.to, since: 0 };
    const before = await stored().read(accountId, range);
    expect(before).toHaveLength(20);
    await nextSecond();
    await store().sink.store(clicks.map((click) => ({ ...click, browser: 'Chrome' })));
    expect(await stored().read(accountId, range)).toEqual(before);
    await merge();
    expect(await stored().read(accountId, range)).toEqual(before);
  });

  test('clicks wait until no other can be stored before them', async () => {
    const accountId = randomUUID();
    const { after } = beginning();
    await store().sink.store(clicksOf(accountId, 3));
    expect(await stored(60).next(accountId, { after, since: 0 }, 10)).toBeUndefined();
    expect(await stored(60).hasMore(accountId, { after, since: 0 }, 0)).toBe(false);
    expect((await stored().next(accountId, { after, since: 0 }, 3))!.full).toBe(true);
    expect((await stored().next(accountId, { after, since: 0 }, 4))!.full).toBe(false);
    const more = (than: number) => stored().hasMore(accountId, { after, since: 0 }, than);
    expect([await more(2), await more(3)]).toEqual([true, false]);
  });

  test('visits of an earlier time are left out, even if they are stored later', async () => {
    const accountId = randomUUID();
    const since = Date.now();
    const late = clickAt('late', since - 1, { accountId });
    const click = clickAt('now', since, { accountId });
    await store().sink.store([late, click]);
    const { clicks } = await readAll(accountId, 10, { ...beginning(), since });
    expect(clicks.map(({ id }) => id)).toEqual([click.id]);
  });

  test('one query tells which accounts have clicks that were not there before', async () => {
    const [one, two, idle] = [randomUUID(), randomUUID(), randomUUID()];
    await store().sink.store(clicksOf(idle, 2));
    await nextSecond();
    const { accounts, until } = await stored().accountsSince(undefined);
    expect(accounts).toEqual([]);
    await nextSecond();
    await store().sink.store([...clicksOf(one, 2), ...clicksOf(two, 1)]);
    const later = await stored().accountsSince(until);
    expect(later.accounts.toSorted()).toEqual([one, two].toSorted());
    expect(later.until).toBeGreaterThan(until);
    expect((await stored(60).accountsSince(until)).accounts).toEqual([]);
  });
});

const dayRange = () => {
  const day = (ms: number) => new Date(Date.now() + ms).toISOString().slice(0, 10);
  return { from: day(-86_400_000), to: day(86_400_000) };
};
