import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { inProcessLinkCache } from '@waypost/adapter-embedded';
import { type Link, type RedirectRecord, SLUG_ALPHABET, unavailable, type Verdict } from '@waypost/domain';
import { newOwner, openStores, query } from '../../test/stores.ts';
import { type CreateLinksRequest, createLinks, type NewLinkRequest } from './create.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const PHISHING = {
  outcome: 'flagged',
  threat_type: 'phishing',
  reasons: [{ rule: 'feed:x', evidence: 'e/' }],
} as const;

const stores = await openStores();
const { links, idempotency } = stores;

let serial = 0;
const newSlug = () => `slug-${serial++}`;
const wanting = (customSlug?: string, destinationUrl = 'https://example.com/'): NewLinkRequest => ({
  customSlug,
  destinationUrl,
  tags: [],
});
/**
 * Each draw fills its bytes with the next number, and the last number repeats. The number 5 gives the slug "6666666".
 */
const dealing =
  (...fills: number[]) =>
  (size: number) =>
    new Uint8Array(size).fill(fills.length > 1 ? fills.shift()! : fills[0]!);
const drawn = (byte: number) => SLUG_ALPHABET[byte]!.repeat(7);

async function anAccount(creationsPerHour?: number) {
  const ownerId = await newOwner(stores, creationsPerHour);
  const cache = inProcessLinkCache({ size: 100 });
  const announced: RedirectRecord[] = [];
  cache.watch((record) => announced.push(record));
  const verdicts = new Map<string, Partial<Verdict>>();
  const lateErrors: unknown[] = [];
  const deps = {
    links,
    idempotency,
    scanner: {
      scan: async (urls: readonly string[]) => ({
        generation: 'g1',
        verdicts: urls.map(
          (url): Verdict => ({ url, outcome: 'clean', threat_type: null, reasons: [], ...verdicts.get(url) }),
        ),
      }),
    },
    cache,
    now: () => NOW,
    randomBytes: (size: number): Uint8Array => randomBytes(size),
    onLateError: (error: unknown) => void lateErrors.push(error),
  };
  const quota = () => links.quota(ownerId, NOW);
  return {
    deps,
    verdicts,
    announced,
    lateErrors,
    quota,
    count: async () => (await links.list(ownerId, query())).total,
    request: async (rows: readonly NewLinkRequest[], key?: string): Promise<CreateLinksRequest<string[]>> => ({
      ownerId,
      quota: await quota(),
      links: rows,
      isBatch: false,
      present: (of) => of.map(({ slug }) => slug),
      ...(key === undefined
        ? {}
        : { idempotency: { name: 'Idempotency-Key', endpoint: 'links', key, bodyHash: 'a'.repeat(64) } }),
    }),
  };
}

test('answers in request order, with generated slugs between custom ones, and updates the cache', async () => {
  const { deps, request, announced } = await anAccount();
  const chosen = Array.from({ length: 20 }, newSlug);
  const rows = chosen.toReversed().flatMap((slug) => [wanting(slug), wanting()]);
  const result = await createLinks(deps, await request(rows));
  expect(result).toMatchObject({ quota: { used: 40 } });
  const slugs = 'answer' in result ? result.answer : [];
  for (const [i, slug] of slugs.entries()) {
    if (i % 2 === 0) expect(slug).toBe(rows[i]!.customSlug);
    else expect(slug).toMatch(/^[1-9A-HJ-NP-Za-km-z]{7}$/);
    expect(await deps.links.find(slug)).toMatchObject({ slug, version: 1, scanGeneration: 'g1', createdAt: NOW });
  }
  expect(announced.map(({ slug }) => slug)).toEqual(slugs);
});

test('a link with a threat starts flagged, and a link with only a warning is active', async () => {
  const { deps, request, verdicts } = await anAccount();
  verdicts.set('https://bad.example/', PHISHING);
  verdicts.set('https://odd.example/', { ...PHISHING, outcome: 'warned' });
  const rows = [wanting(newSlug(), 'https://bad.example/'), wanting(newSlug(), 'https://odd.example/')];
  await createLinks(deps, await request(rows));
  const links = await Promise.all(rows.map(({ customSlug }) => deps.links.find(customSlug!)));
  expect(links.map((link) => [link?.status, link?.threatType])).toEqual([
    ['flagged', 'phishing'],
    ['active', null],
  ]);
});

test('draws new slugs if generated ones exist, and the caller does not notice', async () => {
  const { deps, request, count, quota } = await anAccount();
  const create = async (deal: (size: number) => Uint8Array, ...rows: NewLinkRequest[]) =>
    createLinks({ ...deps, randomBytes: deal }, await request(rows));
  expect(await create(dealing(5), wanting())).toMatchObject({ answer: [drawn(5)] });
  expect(await create(dealing(5, 5, 6), wanting())).toMatchObject({ answer: [drawn(6)], quota: { used: 2 } });
  // Two generated slugs of the same batch collide, next to a custom slug.
  const slug = newSlug();
  expect(await create(dealing(7, 7, 8, 7), wanting(), wanting(slug), wanting())).toMatchObject({
    answer: [drawn(8), slug, drawn(7)],
  });
  expect([await count(), (await quota()).used]).toEqual([5, 5]);
});

test('names taken custom slugs in request order, even if generated slugs collide', async () => {
  const { deps, request, count } = await anAccount();
  const [first, second] = [newSlug(), newSlug()];
  await createLinks(deps, await request([wanting(first), wanting(second), wanting(drawn(9))]));
  // This simulates slugs that are taken between the first check and the write.
  const late = { ...deps, links: { ...deps.links, taken: async () => [] }, randomBytes: dealing(9) };
  const rows = [wanting(second), wanting(), wanting(newSlug()), wanting(first)];
  for (const its of [deps, late]) {
    await expect(createLinks(its, await request(rows))).rejects.toMatchObject({
      code: 'slug_taken',
      details: { taken_slugs: [second, first] },
    });
  }
  expect(await count()).toBe(3);
});

test('gives up when every draw collides, uses no quota and releases the key', async () => {
  const { deps, request, count, quota } = await anAccount();
  await createLinks(deps, await request([wanting(drawn(10))]));
  let draws = 0;
  const deal = (size: number) => {
    draws += 1;
    return dealing(10)(size);
  };
  await expect(createLinks({ ...deps, randomBytes: deal }, await request([wanting()], 'k'))).rejects.toThrow(
    '8 attempts',
  );
  expect(draws).toBe(8);
  expect([await count(), (await quota()).used]).toEqual([1, 1]);
  expect(await createLinks(deps, await request([wanting()], 'k'))).toHaveProperty('answer');
});

test('stores the answer with the links and replays it', async () => {
  const { deps, request, count } = await anAccount();
  const presented: (readonly Link[])[] = [];
  const present = (links: readonly Link[]) => {
    presented.push(links);
    return { slugs: links.map(({ slug }) => slug), at: links[0]!.createdAt };
  };
  const creation = { ...(await request([wanting(), wanting()], 'k')), present };
  const first = await createLinks(deps, creation);
  const { slugs } = 'answer' in first ? first.answer : { slugs: [] };
  const scanner = { scan: () => Promise.reject(new Error('a replay scans nothing')) };
  expect(await createLinks({ ...deps, scanner }, creation)).toEqual({ replayed: { slugs, at: NOW.toISOString() } });
  expect(presented).toHaveLength(1);
  expect(await Promise.all(slugs.map((slug) => deps.links.find(slug)))).toEqual(presented[0]);
  expect(await count()).toBe(2);
});

test('releases the key when the scan or a rule refuses: the same request may be retried', async () => {
  const { deps, request, verdicts } = await anAccount(1);
  const taken = newSlug();
  const other = await anAccount();
  await createLinks(other.deps, await other.request([wanting(taken)]));
  const away = { ...deps, scanner: { scan: () => Promise.reject(unavailable('the scanner is away')) } };
  verdicts.set('https://no.example/', {
    outcome: 'refused',
    reasons: [{ rule: 'url-policy', evidence: 'is not allowed' }],
  });
  const attempts = [
    [away, [wanting()], { code: 'unavailable' }],
    [deps, [wanting(taken)], { code: 'slug_taken' }],
    [
      deps,
      [wanting(undefined, 'https://no.example/')],
      { code: 'validation_failed', details: { destination_url: 'is not allowed' } },
    ],
    [deps, [wanting(), wanting()], { code: 'batch_exceeds_window' }],
  ] as const;
  for (const [its, rows, error] of attempts)
    await expect(createLinks(its, await request(rows, 'k'))).rejects.toMatchObject(error);
  const stale = await request([wanting()], 'k');
  expect(await createLinks(deps, await request([wanting()]))).toMatchObject({ quota: { used: 1 } });
  // The quota that was read earlier allows this creation. The quota under the lock does not.
  await expect(createLinks(deps, stale)).rejects.toMatchObject({ code: 'quota_exceeded', retryAfterSeconds: 3600 });
  await expect(createLinks(deps, stale)).rejects.toMatchObject({ code: 'quota_exceeded' });
});

test('names every row of a batch whose destination the scanner refuses', async () => {
  const { deps, request, verdicts } = await anAccount();
  const reasons = [{ rule: 'url-policy', evidence: 'is not allowed' }];
  verdicts.set('https://no.example/', { outcome: 'refused', reasons });
  const refused = wanting(undefined, 'https://no.example/');
  const inBatch = async (...rows: NewLinkRequest[]) => ({ ...(await request(rows)), isBatch: true });
  await expect(createLinks(deps, await inBatch(refused))).rejects.toMatchObject({
    code: 'validation_failed',
    details: { 'links[0].destination_url': 'is not allowed' },
  });
  await expect(createLinks(deps, await inBatch(refused, wanting(), refused))).rejects.toMatchObject({
    message: 'links[0].destination_url is not allowed, and 1 more error.',
    details: {
      'links[0].destination_url': 'is not allowed',
      'links[2].destination_url': 'is not allowed',
    },
  });
});

test('holds the key when the outcome of the write is unknown', async () => {
  const { deps, request } = await anAccount();
  const insert = () => Promise.reject(unavailable('no answer in time'));
  const cutOff = { ...deps, links: { ...deps.links, insert } };
  await expect(createLinks(cutOff, await request([wanting()], 'k'))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('The creation may still take effect'),
  });
  await expect(createLinks(deps, await request([wanting()], 'k'))).rejects.toMatchObject({
    code: 'idempotency_key_in_use',
  });
});

test('answers even when the cache update fails, and only logs the failure', async () => {
  const { deps, request, lateErrors, count } = await anAccount();
  const cache = { announce: () => Promise.reject(unavailable('no cache answers')) };
  expect(await createLinks({ ...deps, cache }, await request([wanting()]))).toHaveProperty('answer');
  expect(await count()).toBe(1);
  expect(lateErrors).toMatchObject([{ code: 'unavailable' }]);
});
