import { describe, expect, test } from '@jest/globals';
import { type BulkEvent, type Link, type NewLink, Waypost, WaypostError } from '@waypost/sdk';
import { product } from '../product.ts';
import { DESTINATION, freshSlug, times } from '../support.ts';
import { startFaultyProxy } from './faulty-proxy.ts';

/** `SDK_CREATIONS=1000` makes a longer run. */
const CREATIONS = Number(process.env.SDK_CREATIONS ?? 100);

const { waypost } = product();

const sdkOf = (apiKey: string) => new Waypost({ url: waypost.api, apiKey });
const newClient = async (scopes?: string, limit?: number) => {
  const { key, email } = await waypost.newKey(scopes, limit === undefined ? {} : { limit });
  return { sdk: new Waypost({ url: `${waypost.api}/`, apiKey: key }), key, email };
};
async function errorOf(promise: Promise<unknown>): Promise<WaypostError> {
  const error = await promise.catch((reason: unknown) => reason);
  if (!(error instanceof WaypostError)) throw new Error('no WaypostError', { cause: error });
  return error;
}

describe('each endpoint', () => {
  test('works: creations, checks, lists, reads, revokes, counts', async () => {
    const { sdk } = await newClient();
    const slug = freshSlug();
    const { link, short_url } = await sdk.create({ destination_url: DESTINATION, custom_slug: slug, tags: ['a'] });
    expect(link).toMatchObject({ slug, status: 'active' });
    expect(short_url).toMatch(new RegExp(`/${slug}$`));
    expect(await sdk.check({ destination_url: DESTINATION })).toMatchObject({ short_url: null });
    expect(await sdk.createMany(times(3, () => ({ destination_url: DESTINATION })))).toMatchObject({
      total_created: 3,
    });
    expect(await sdk.checkMany([{ destination_url: DESTINATION }])).toMatchObject({ total_created: 0 });
    expect(await sdk.list({ tag: ['a'], limit: 1 })).toMatchObject({ total: 1, data: [{ slug }] });
    expect(await sdk.get(slug)).toEqual(link);
    expect(await sdk.analytics(slug, { period: '30d' })).toMatchObject({ slug, period: '30d', total_clicks: 0 });
    expect(await sdk.clicks([slug], { period: '30d' })).toMatchObject({ links: [{ slug, total_clicks: 0 }] });
    const other = await sdk.create({ destination_url: DESTINATION });
    expect((await sdk.clicks([other.link.slug, slug])).links.map((each) => each.slug)).toEqual([other.link.slug, slug]);
    expect(await sdk.overview({ period: '90d', bots: 'exclude' })).toMatchObject({
      period: '90d',
      total_clicks: 0,
      previous: null,
      links: { created: 5, flagged: 0, revoked: 0 },
    });
    expect(await sdk.revoke(slug)).toMatchObject({ slug, status: 'revoked' });
    expect(await sdk.health()).toEqual({ status: 'alive' });
    expect(await sdk.readiness()).toMatchObject({ status: 'ready' });
    expect((await sdk.account()).quota).toMatchObject({ limit: 1_000_000, used: 5 });
  });
});

describe('errors', () => {
  test('contain what the API answered', async () => {
    const { sdk, key } = await newClient('read,write', 1);
    const fault = await errorOf(sdk.createMany([{ destination_url: DESTINATION }, { destination_url: 'nonsense' }]));
    expect(fault).toMatchObject({ code: 'bad_request', status: 400, tries: 1, outcomeUnknown: false });
    expect(Object.keys(fault.details)).toEqual(['links[1].destination_url']);
    await sdk.create({ destination_url: DESTINATION });
    const limited = await errorOf(sdk.create({ destination_url: DESTINATION }));
    expect(limited).toMatchObject({ code: 'rate_limited', status: 429, quota: { limit: 1, remaining: 0 } });
    expect(limited.retryAfter).toBeGreaterThan(3_000);
    expect(await errorOf(sdkOf(`${key}x`).list())).toMatchObject({ status: 401 });
    await expect(sdk.get('../admin')).rejects.toThrow(TypeError);
  });

  test('an abort ends the waits, too', async () => {
    const sdk = new Waypost({ url: 'http://127.0.0.1:1', apiKey: 'none', random: () => 1 });
    const reason = new Error('enough');
    const stop = new AbortController();
    setTimeout(() => stop.abort(reason), 50);
    await expect(sdk.list({}, { signal: stop.signal })).rejects.toBe(reason);
  });
});

test(`one answer in ten dropped, cut, late or refused: ${CREATIONS} creations make ${CREATIONS} links`, async () => {
  const { key } = await newClient();
  const proxy = await startFaultyProxy(waypost.api, { lateMs: 1_500 });
  const sdk = new Waypost({ url: proxy.url, apiKey: key, timeoutMs: 1_000 });
  const destinations = times(CREATIONS, (i) => `${DESTINATION}?n=${i}`);
  const queue = [...destinations];
  const worker = async () => {
    for (let url = queue.pop(); url !== undefined; url = queue.pop()) await sdk.create({ destination_url: url });
  };
  await Promise.all(times(10, worker));
  const stored: string[] = [];
  for await (const link of sdk.listAll()) stored.push(link.destination_url);
  expect(stored.toSorted()).toEqual(destinations.toSorted());
  expect(Object.keys(proxy.spoilt)).toHaveLength(7);
}, 240_000);

test('listAll sorts as the API does, also where it sorts itself', async () => {
  const { sdk } = await newClient();
  const titles = [null, 'b', '\u{1f600}', 'ba', 'B', 'b', '\uffee', null];
  for (const [i, title] of titles.entries()) {
    const ends_at = i % 3 === 0 ? null : new Date(Date.now() + (i % 4) * 86_400_000 + 86_400_000).toISOString();
    const { link } = await sdk.create({ destination_url: DESTINATION, title, ends_at });
    if (i % 2 === 0) await sdk.revoke(link.slug);
  }
  for (const sort of ['created_at', 'updated_at', 'status', 'title', 'ends_at'] as const)
    for (const order of ['asc', 'desc'] as const) {
      const listed: Link[] = [];
      for await (const link of sdk.listAll({ sort, order })) listed.push(link);
      expect(listed).toEqual((await sdk.list({ sort, order, limit: 100 })).data);
    }
});

describe('bulk', () => {
  const rows = (count: number): NewLink[] => times(count, (i) => ({ destination_url: `${DESTINATION}?row=${i}` }));
  /** Reads events until the first of this type, and resolves to them. */
  async function until(type: BulkEvent['type'] | undefined, events: AsyncGenerator<BulkEvent>): Promise<BulkEvent[]> {
    const seen: BulkEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      if (event.type === type) break;
    }
    return seen;
  }
  const createdRows = (events: readonly BulkEvent[]) =>
    events.flatMap((event) => (event.type === 'created' ? event.links.map(({ row }) => row) : []));

  test('repeats a batch whose answer was lost, without creating its links again', async () => {
    const { sdk, key } = await newClient();
    const sent = await until('sending', sdk.bulk(rows(20), { batchSize: 10 }));
    const [batch] = sent as [Extract<BulkEvent, { type: 'sending' }>];
    await sdk.createMany(rows(20).slice(0, 10), { idempotencyKey: batch.key });
    const events = await until(undefined, sdkOf(key).bulk(rows(20), { earlier: sent }));
    expect(createdRows(events)).toEqual(times(20, (i) => i));
    expect((await sdk.list({ limit: 1 })).total).toBe(20);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    const late = await until(undefined, sdk.bulk(rows(10), { earlier: [{ ...batch, at: yesterday }] }));
    expect(late).toEqual([{ type: 'lost', key: batch.key, rows: batch.rows }]);
  });

  test('names the rows that cannot be created, and creates the others', async () => {
    const { sdk } = await newClient();
    const taken = freshSlug();
    await sdk.create({ destination_url: DESTINATION, custom_slug: taken });
    const bad = { destination_url: 'nonsense' };
    const links = rows(6).with(1, bad).with(4, { destination_url: DESTINATION, custom_slug: taken });
    const events = await until(undefined, sdk.bulk(links));
    const refused = events.flatMap((event) => (event.type === 'refused' ? event.rows : []));
    expect(refused).toEqual([
      { row: 1, problems: [expect.stringMatching(/^destination_url /)] },
      { row: 4, problems: ['custom_slug is taken'] },
    ]);
    expect(createdRows(events)).toEqual([0, 2, 3, 5]);
  });

  test('fails at once if the account can create no links, as waiting does not help', async () => {
    const { sdk } = await newClient('read,write', 0);
    for (const count of [1, 3])
      await expect(until(undefined, sdk.bulk(rows(count)))).rejects.toMatchObject({ status: count === 1 ? 429 : 400 });
  });

  test('makes its batches smaller when others use up the quota', async () => {
    const { sdk } = await newClient('read,write', 40);
    const events: BulkEvent[] = [];
    for await (const event of sdk.bulk(rows(40))) {
      events.push(event);
      if (events.length === 1) await sdk.createMany(rows(15));
      if (event.type === 'waiting') break;
    }
    expect(events.map(({ type }) => type)).toEqual(['sending', 'postponed', 'sending', 'created', 'waiting']);
    expect(createdRows(events)).toEqual(times(25, (i) => i));
  });
});
