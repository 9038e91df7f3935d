import { describe, expect, test } from '@jest/globals';
import { type EnrichedClick, TOP_LINKS } from '@waypost/domain';
import { openedClicks, startOverHttp } from './engines.ts';
import { clickAt, dateOf, dayAgo, hourOf, linkOf, range7, range90 } from './some-clicks.ts';

describe('ClickStats on ClickHouse', () => {
  const store = openedClicks(startOverHttp);
  const figures = (slug: string, range = range90(), bots: 'include' | 'exclude' = 'include') =>
    store().stats.figures(linkOf(slug), range, bots);
  const storeWith = (slug: string, ...kinds: readonly (Partial<EnrichedClick> & { readonly times?: number })[]) =>
    store().sink.store(
      kinds.flatMap(({ times = 1, ...more }) =>
        Array.from({ length: times }, () => clickAt(slug, dayAgo(1) + hourOf(5), more)),
      ),
    );

  test('counts whole UTC days, including their first and last milliseconds', async () => {
    const from = dayAgo(6);
    const end = dayAgo(0);
    await store().sink.store([
      clickAt('edges', from - 1),
      clickAt('edges', from),
      clickAt('edges', end - 1),
      clickAt('edges', end),
      clickAt('edges', end + hourOf(24) - 1),
      clickAt('edges', end + hourOf(24)),
    ]);
    const week = await figures('edges', range7());
    expect(week.total_clicks).toBe(4);
    expect([...week.days].sort((a, b) => (a.date < b.date ? -1 : 1))).toEqual([
      { date: dateOf(from), clicks: 1 },
      { date: dateOf(end - 1), clicks: 1 },
      { date: dateOf(end), clicks: 2 },
    ]);
    const today = { from: dateOf(end), to: dateOf(end) };
    expect((await figures('edges', today)).days).toEqual([{ date: dateOf(end), clicks: 2 }]);
  });

  test('counts clicks at the end and the start of a month on the right days', async () => {
    const now = new Date();
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
    const clicks = [month - 1, month, month + 1].map((at) => clickAt('month', at));
    await store().sink.store(clicks);
    await store().sink.store(clicks.toReversed());
    const { days } = await figures('month');
    expect([...days].sort((a, b) => (a.date < b.date ? -1 : 1))).toEqual([
      { date: dateOf(month - 1), clicks: 1 },
      { date: dateOf(month), clicks: 2 },
    ]);
  });

  test('counts a visitor once per link, however many days they come', async () => {
    const visitor = 'ffffffffffffffff';
    await store().sink.store([
      clickAt('visited', dayAgo(60), { visitor }),
      clickAt('visited', dayAgo(2), { visitor }),
      clickAt('visited', dayAgo(0), { visitor: '0000000000000000' }),
      clickAt('visited-too', dayAgo(2), { visitor }),
    ]);
    expect(await figures('visited')).toMatchObject({ total_clicks: 3, unique_visitors: 2 });
    expect(await figures('visited-too')).toMatchObject({ total_clicks: 1, unique_visitors: 1 });
  });

  describe('across a rotation of the visitor secret', () => {
    // These are the hashes of visitor `n` by the first and the second secret, as 64 bits in hex.
    const first = (n: number) => `1${n.toString(16).padStart(15, '0')}`;
    const second = (n: number) => `f${n.toString(16).padStart(15, '0')}`;
    const before = (slug: string, n: number, days: number) => clickAt(slug, dayAgo(days), { visitor: first(n) });
    const during = (slug: string, n: number, days: number) =>
      clickAt(slug, dayAgo(days), { visitor: second(n), previousVisitor: first(n) });
    const after = (slug: string, n: number, days: number) => clickAt(slug, dayAgo(days), { visitor: second(n) });
    const uniquesOf = async (slug: string) =>
      Promise.all([range7(), range90()].map(async (range) => (await figures(slug, range)).unique_visitors));

    test('a visitor from before and after counts once, in every period', async () => {
      // The rotation was 20 days ago. Visitor 1 came before and after it, 2 only before, 3 only after.
      const slug = 'rotated';
      await store().sink.store([before(slug, 1, 60), before(slug, 1, 30), before(slug, 2, 30)]);
      await store().sink.store([during(slug, 1, 15), during(slug, 1, 2), during(slug, 3, 2), during(slug, 3, 1)]);
      expect(await uniquesOf(slug)).toEqual([2, 3]);
      expect((await figures(slug, range90(), 'exclude')).unique_visitors).toBe(3);
    });

    test('redirectors that rotate one after the other count no visitor twice', async () => {
      const slug = 'rotating';
      await store().sink.store([before(slug, 1, 3), during(slug, 1, 3), before(slug, 1, 2), during(slug, 2, 2)]);
      await store().sink.store([before(slug, 2, 1)]);
      expect(await uniquesOf(slug)).toEqual([2, 2]);
    });

    test('redirectors that drop the previous secret one after the other count no visitor twice either', async () => {
      const slug = 'forgetting';
      await store().sink.store([during(slug, 1, 80), after(slug, 1, 4), during(slug, 1, 3), after(slug, 1, 2)]);
      await store().sink.store([after(slug, 2, 4), during(slug, 2, 3), after(slug, 3, 1)]);
      expect(await uniquesOf(slug)).toEqual([3, 3]);
    });

    test('without the previous secret, a visitor from before and after counts twice', async () => {
      const slug = 'leaked';
      await store().sink.store([before(slug, 1, 3), after(slug, 1, 2), after(slug, 2, 1)]);
      expect(await uniquesOf(slug)).toEqual([3, 3]);
    });
  });

  describe('of an account', () => {
    const [owner, other, hasher] = [1, 2, 3].map((n) => `0193a5d0-7c1e-4abc-8def-10000000000${n}`) as [
      string,
      string,
      string,
    ];
    const own = (slug: string, at: number, more: Partial<EnrichedClick> = {}) =>
      clickAt(slug, at, { accountId: owner, ...more });

    test('are the sum of its links, each click and visitor of a link once', async () => {
      const person = { visitor: '00000000000000aa', country: 'FR', referrer: 'a.example', browser: 'Chrome' };
      const bot = { visitor: '00000000000000bb', isBot: true } as const;
      const clicks = [
        own('sum-a', dayAgo(0), person),
        own('sum-a', dayAgo(0) - 1, person),
        own('sum-a', dayAgo(89), bot),
        own('sum-b', dayAgo(6), { visitor: '00000000000000cc', device: 'mobile', country: 'ZZ' }),
        own('sum-b', dayAgo(6), { ...bot, visitor: '00000000000000dd' }),
        own('sum-c', dayAgo(89) - 1),
        clickAt('sum-d', dayAgo(0), { accountId: other, ...person }),
      ];
      await store().sink.store(clicks);
      await store().sink.store(clicks.slice(0, 4));
      for (const bots of ['include', 'exclude'] as const)
        for (const range of [range7(), range90()]) {
          const ofLinks = await Promise.all(
            ['sum-a', 'sum-b', 'sum-c'].map(async (slug) => ({
              slug,
              ...(await store().stats.figures({ ownerId: owner, slug }, range, bots)),
            })),
          );
          const sum = (name: 'total_clicks' | 'unique_visitors' | 'bot_clicks') =>
            ofLinks.reduce((total, figures) => total + figures[name], 0);
          const figures = await store().stats.accountFigures(owner, range, bots);
          const totals = { total_clicks: sum('total_clicks'), unique_visitors: sum('unique_visitors') };
          expect(figures).toMatchObject({ ...totals, bot_clicks: sum('bot_clicks') });
          expect(await store().stats.accountTotals(owner, range, bots)).toEqual(totals);
          const links = ofLinks.flatMap(({ slug, total_clicks: n }) => (n === 0 ? [] : [{ slug, clicks: n }]));
          expect(await store().stats.topLinks(owner, range, bots)).toEqual(links);
          expect(figures.links).toEqual(links);
          const days = await store().stats.days(owner, ['sum-a', 'sum-d'], range, bots);
          const inOrder = [...days].sort((a, b) => (a.date < b.date ? -1 : 1));
          expect(inOrder).toEqual(
            [...ofLinks[0]!.days].sort((a, b) => (a.date < b.date ? -1 : 1)).map((day) => ({ slug: 'sum-a', ...day })),
          );
        }
      const { top_countries, top_devices } = await store().stats.accountFigures(owner, range90(), 'exclude');
      expect(top_countries).toEqual([{ country: 'FR', count: 2 }]);
      expect(top_devices).toEqual([
        { device: 'desktop', count: 2 },
        { device: 'mobile', count: 1 },
      ]);
    });

    test('list the links with the most clicks up to the limit, highest count first, then by slug', async () => {
      const accountId = crypto.randomUUID();
      const slugs = Array.from({ length: TOP_LINKS + 5 }, (_, i) => `many-${10_000 - i}`);
      const clicks = slugs.map((slug) => clickAt(slug, dayAgo(1), { accountId }));
      await store().sink.store([...clicks, clickAt(slugs[0]!, dayAgo(2), { accountId })]);
      const { links } = await store().stats.accountFigures(accountId, range7(), 'include');
      expect(links).toHaveLength(TOP_LINKS);
      expect(links.slice(0, 2)).toEqual([
        { slug: slugs[0], clicks: 2 },
        { slug: slugs.at(-1), clicks: 1 },
      ]);
      expect(await store().stats.topLinks(accountId, range7(), 'include')).toEqual(links);
    });

    test('count a visitor once across a rotation of the visitor secret', async () => {
      const [first, second] = ['1000000000000001', 'f000000000000001'];
      const ofHasher = (days: number, more: Partial<EnrichedClick>) =>
        clickAt('hashed', dayAgo(days), { accountId: hasher, ...more });
      await store().sink.store([
        ofHasher(9, { visitor: first }),
        ofHasher(5, { visitor: second, previousVisitor: first }),
        ofHasher(2, { visitor: second }),
        ofHasher(2, { visitor: 'f000000000000002' }),
        ofHasher(2, { visitor: 'f000000000000003', previousVisitor: '1000000000000003' }),
      ]);
      expect((await store().stats.accountTotals(hasher, range90(), 'include')).unique_visitors).toBe(3);
      expect((await store().stats.accountTotals(hasher, range7(), 'include')).unique_visitors).toBe(3);
    });
  });

  test('counts bots, shows them separately, and can exclude them from every figure', async () => {
    const person = { visitor: '00000000000000aa', country: 'FR', referrer: 'a.example', browser: 'Chrome' };
    const bot = {
      isBot: true,
      visitor: '00000000000000bb',
      country: 'US',
      referrer: 'b.example',
      browser: 'Googlebot',
    };
    await storeWith('bots', { ...person, times: 2 }, { ...bot, device: 'mobile', times: 3 });
    expect(await figures('bots')).toMatchObject({
      total_clicks: 5,
      unique_visitors: 2,
      bot_clicks: 3,
      days: [{ date: dateOf(dayAgo(1)), clicks: 5 }],
      top_browsers: [
        { browser: 'Googlebot', count: 3 },
        { browser: 'Chrome', count: 2 },
      ],
    });
    expect(await figures('bots', range90(), 'exclude')).toEqual({
      total_clicks: 2,
      unique_visitors: 1,
      bot_clicks: 0,
      days: [{ date: dateOf(dayAgo(1)), clicks: 2 }],
      top_referrers: [{ referrer: 'a.example', count: 2 }],
      top_countries: [{ country: 'FR', count: 2 }],
      top_devices: [{ device: 'desktop', count: 2 }],
      top_browsers: [{ browser: 'Chrome', count: 2 }],
    });
  });

  test('lists the highest count first and breaks ties by the bytes of the name, in every top list', async () => {
    await storeWith(
      'ties',
      ...['b.example', 'a.example', 'Z.example', 'é.example'].map((referrer) => ({ referrer, times: 2 })),
      { referrer: 'direct', times: 3, device: 'tablet', browser: 'safari', country: 'US' },
      { referrer: 'c.example', browser: 'Safari', device: 'mobile', country: 'AT' },
    );
    const { top_referrers, top_devices, top_browsers, top_countries } = await figures('ties');
    expect(top_referrers.map(({ referrer, count }) => `${count} ${referrer}`)).toEqual([
      '3 direct',
      '2 Z.example',
      '2 a.example',
      '2 b.example',
      '2 é.example',
      '1 c.example',
    ]);
    expect(top_devices.map(({ device }) => device)).toEqual(['desktop', 'tablet', 'mobile']);
    expect(top_browsers.map(({ browser }) => browser)).toEqual(['Firefox', 'safari', 'Safari']);
    expect(top_countries.map(({ country }) => country)).toEqual(['DE', 'US', 'AT']);
  });

  test('lists at most ten names, and omits the last names among equal counts', async () => {
    const names = Array.from({ length: 12 }, (_, i) => String.fromCharCode(97 + i)).toReversed();
    await storeWith(
      'eleven',
      ...names.map((letter) => ({
        referrer: `${letter}.example`,
        country: `A${letter.toUpperCase()}`,
        browser: letter,
      })),
    );
    const { top_referrers, top_countries, top_browsers, total_clicks } = await figures('eleven');
    expect(total_clicks).toBe(12);
    expect(top_referrers.map(({ referrer }) => referrer[0]).join('')).toBe('abcdefghij');
    expect(top_countries.map(({ country }) => country[1]).join('')).toBe('ABCDEFGHIJ');
    expect(top_browsers.map(({ browser }) => browser).join('')).toBe('abcdefghij');
  });

  test('counts unknown countries, but omits ZZ from the list without losing a place', async () => {
    const countries = ['AT', 'BE', 'CH', 'DE', 'ES', 'FR', 'GB', 'HU', 'IT', 'JP'];
    await storeWith('zz', { country: 'ZZ', times: 4 }, ...countries.map((country) => ({ country })));
    const { total_clicks, top_countries } = await figures('zz');
    expect(total_clicks).toBe(14);
    expect(top_countries.map(({ country }) => country)).toEqual(countries);
  });

  test('a slug that looks like SQL is used only as a value', async () => {
    await storeWith('plain', {});
    for (const slug of ["' OR 1=1 --", 'plain\\', 'pl%', '{slug:String}', 'plain\u0000', 'plain\n', '\\N', 'é😀']) {
      expect((await figures(slug)).total_clicks).toBe(0);
      await storeWith(slug, {});
      expect((await figures(slug)).total_clicks).toBe(1);
    }
    expect((await figures('plain')).total_clicks).toBe(1);
  });

  test('answers many concurrent callers, each about their own link, while clicks arrive', async () => {
    const slugs = Array.from({ length: 12 }, (_, i) => `many-${i}`);
    for (const [i, slug] of slugs.entries()) await storeWith(slug, { times: i + 1 });
    const [answers] = await Promise.all([
      Promise.all(slugs.map((slug) => figures(slug))),
      ...slugs.map(() => storeWith('meanwhile', { times: 2 })),
    ]);
    expect(answers.map(({ total_clicks }) => total_clicks)).toEqual(slugs.map((_, i) => i + 1));
    expect((await figures('meanwhile')).total_clicks).toBe(24);
  });

  test('a query that fails is `unavailable`, with its cause', async () => {
    const failing = figures('x', { from: 'not-a-day', to: 'nor-this' });
    await expect(failing).rejects.toMatchObject({
      name: 'DomainError',
      code: 'unavailable',
      cause: expect.objectContaining({ message: expect.any(String) }),
    });
  });
});
