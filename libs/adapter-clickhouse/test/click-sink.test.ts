import { describe, expect, test } from '@jest/globals';
import { DEVICES, type EnrichedClick } from '@waypost/domain';
import fc from 'fast-check';
import { ENGINES, openedClicks, startOverHttp } from './engines.ts';
import { clickAt, dayAgo, hourOf, linkOf, range7, range30, range90 } from './some-clicks.ts';

/**
 * A click must count once, however often and in whatever order it is stored. These tests see that through ClickStats on
 * the same store.
 */
describe.each(ENGINES)('ClickSink on ClickHouse, %s', (_, start) => {
  const store = openedClicks(start);
  const figuresOf = (slug: string) => store().stats.figures(linkOf(slug), range90(), 'include');
  const batchOf = (slug: string, count: number) =>
    Array.from({ length: count }, (_, i) => clickAt(slug, dayAgo(i % 80) + (i % 86_400) * 1_000));

  test('accepts an empty batch', async () => {
    await expect(store().sink.store([])).resolves.toBeUndefined();
  });

  test('serves twenty concurrent callers, some with the same clicks', async () => {
    const clicks = batchOf('crowd', 200);
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => store().sink.store(clicks.slice((i % 10) * 20, (i % 10) * 20 + 20))),
    );
    expect(await figuresOf('crowd')).toMatchObject({ total_clicks: 200, unique_visitors: 200 });
  });

  test('counts clicks of the same millisecond separately', async () => {
    const at = dayAgo(1) + 1_234;
    await store().sink.store(Array.from({ length: 25 }, () => clickAt('same-moment', at)));
    expect(await figuresOf('same-moment')).toMatchObject({ total_clicks: 25 });
  });

  test('distinguishes slugs that differ only in case', async () => {
    await store().sink.store([clickAt('CaSe', Date.now()), clickAt('case', Date.now()), clickAt('CASE', Date.now())]);
    expect(await figuresOf('case')).toMatchObject({ total_clicks: 1 });
  });

  test('accepts ten thousand clicks in one batch', async () => {
    await store().sink.store(batchOf('large', 10_000));
    expect(await figuresOf('large')).toMatchObject({ total_clicks: 10_000, unique_visitors: 10_000 });
  });

  test('returns any text unchanged', async () => {
    const texts = [
      "'; DROP TABLE clicks; --",
      '\\',
      '\\N',
      'a\tb\nc\rd\u0000e\u007f\u001b[31m',
      `"'\`{x:String}`,
      'ünï 😀 日本 ‮',
      '',
      'x'.repeat(5_000),
    ];
    await store().sink.store(
      texts.map((text, i) => clickAt(`text-${i}`, dayAgo(0), { referrer: text, browser: text })),
    );
    for (const [i, text] of texts.entries()) {
      expect(await figuresOf(`text-${i}`)).toMatchObject({
        top_referrers: [{ referrer: text, count: 1 }],
        top_browsers: [{ browser: text, count: 1 }],
      });
    }
  });

  test('stores half a surrogate pair as the replacement character', async () => {
    await store().sink.store([clickAt('surrogate', Date.now(), { referrer: 'a\ud800b' })]);
    expect((await figuresOf('surrogate')).top_referrers).toEqual([{ referrer: 'a\ufffdb', count: 1 }]);
  });

  test('rejects a batch with a malformed click, but not with `unavailable`', async () => {
    const malformed: readonly [field: keyof EnrichedClick, value: unknown, error: string][] = [
      ['device', 'toaster', 'key device'],
      ['id', 'g'.repeat(36), 'key event_id'],
      ['country', 'DEU', 'key country'],
      ['country', 'Ü1', 'key country'],
      ['visitor', `${'0'.repeat(15)}é`, 'BigInt'],
      ['previousVisitor', 'none', 'BigInt'],
      ['at', 0.5, 'parse'],
      ['at', Number.NaN, 'parse'],
    ];
    for (const [field, value, error] of malformed) {
      const clicks = [clickAt('refused', Date.now()), clickAt('refused', Date.now(), { [field]: value })];
      const refused = store().sink.store(clicks);
      await expect(refused).rejects.toThrow(error);
      await expect(refused).rejects.not.toMatchObject({ code: 'unavailable' });
    }
    await store().sink.store([clickAt('refused', Date.now())]);
    expect(await figuresOf('refused')).toMatchObject({ total_clicks: 1 });
  });

  test('stores each field unchanged', async () => {
    const { client } = store();
    const slug = `fields-${crypto.randomUUID().slice(0, 8)}`;
    // Older clicks would expire at once. The two times in the middle are adjacent, but their lower 32 bits are not.
    const times = [Date.now(), 419 * 2 ** 32 - 1, 419 * 2 ** 32, Date.UTC(2300, 0) - 1];
    const clicks = times.map((at, i) =>
      clickAt(slug, at, {
        id: `fedcba98-7654-7${i}10-8123-456789abcdef`,
        visitor: 'fedcba9876543210',
        ...(i % 2 === 0 && { previousVisitor: '8000000000000001' }),
        country: 'ZZ',
        referrer: 'r'.repeat(60 + i),
        device: DEVICES[i % DEVICES.length]!,
        browser: `${'b'.repeat(125 + i)}é`,
        isBot: i % 2 === 1,
      }),
    );
    await store().sink.store(clicks);
    const result = await client.query({
      query: `SELECT toString(event_id) AS id, toString(account_id) AS accountId, slug, toString(toUnixTimestamp64Milli(clicked_at)) AS at,
          lower(hex(visitor_hash)) AS visitor,
          leftPad(lower(hex(previous_visitor_hash)), 16, '0') AS previousVisitor,
          country, referrer, device, browser, is_bot AS isBot
        FROM waypost.clicks WHERE slug = {slug:String} ORDER BY clicked_at`,
      query_params: { slug },
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual(
      clicks.map((click) => ({
        ...click,
        at: String(click.at),
        previousVisitor: click.previousVisitor ?? '0'.repeat(16),
      })),
    );
  });
});

const overHttp = openedClicks(startOverHttp);

test('clicks of many years in one batch are accepted, and the recent ones count', async () => {
  const { sink, stats } = overHttp();
  // By default, ClickHouse accepts at most 100 months in one insert.
  const old = Array.from({ length: 105 }, (_, i) => clickAt('years', Date.UTC(2010, i, 3)));
  const ahead = [2101, 2150, 2261].map((year) => clickAt('years', Date.UTC(year, 5, 1)));
  await sink.store([...old, clickAt('years', Date.now()), ...ahead]);
  expect(await stats.figures(linkOf('years'), range90(), 'include')).toMatchObject({ total_clicks: 1 });
});

test('the figures are the same after any mix of repeated, overlapping and reordered batches', async () => {
  const { sink, stats } = overHttp();
  const delivery = fc.record({
    count: fc.integer({ min: 1, max: 60 }),
    deliveries: fc.array(fc.array(fc.nat(), { maxLength: 40 }), { minLength: 1, maxLength: 6 }),
    atOnce: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(delivery, async ({ count, deliveries, atOnce }) => {
      const slug = `law-${crypto.randomUUID().slice(0, 8)}`;
      const clicks = Array.from({ length: count }, (_, i) =>
        clickAt(slug, dayAgo((i * 37) % 90) + hourOf(i % 23), {
          visitor: (i % 7).toString(16).padStart(16, '0'),
          country: ['DE', 'US', 'ZZ', 'FR'][i % 4]!,
          device: (['desktop', 'mobile', 'tablet'] as const)[i % 3]!,
          referrer: `r${i % 14}.example`,
          isBot: i % 5 === 0,
        }),
      );
      // Every click is delivered at least once, because the bus promises that. All other deliveries are random.
      const batches = [...deliveries.map((picks) => picks.map((pick) => clicks[pick % count]!)), clicks];
      if (atOnce) await Promise.all(batches.map((batch) => sink.store(batch)));
      else for (const batch of batches) await sink.store(batch);

      const [week, month, quarter] = [
        await stats.figures(linkOf(slug), range7(), 'include'),
        await stats.figures(linkOf(slug), range30(), 'include'),
        await stats.figures(linkOf(slug), range90(), 'include'),
      ];
      expect(quarter.total_clicks).toBe(count);
      expect(quarter.unique_visitors).toBe(Math.min(count, 7));
      expect(quarter.bot_clicks).toBe(clicks.filter(({ isBot }) => isBot).length);
      expect(week.total_clicks).toBeLessThanOrEqual(month.total_clicks);
      expect(month.total_clicks).toBeLessThanOrEqual(quarter.total_clicks);
      for (const figures of [week, month, quarter]) {
        const { total_clicks } = figures;
        expect(sum(figures.days.map(({ clicks }) => clicks))).toBe(total_clicks);
        expect(sum(figures.top_countries.map(({ count }) => count))).toBeLessThanOrEqual(total_clicks);
        expect(sum(figures.top_devices.map(({ count }) => count))).toBe(total_clicks);
        expect(figures.unique_visitors).toBeLessThanOrEqual(total_clicks);
        expect(figures.top_referrers.length).toBeLessThanOrEqual(10);
      }
    }),
    { numRuns: 10 },
  );
});

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
