import { expect, test } from '@jest/globals';
import {
  type Asked,
  asking,
  atNoon,
  codeOf,
  HOUR_MS,
  NOON,
  newLink,
  newOwner,
  newSlug,
  openStores,
  query,
  queuedEvents,
} from '../../test/stores.ts';

const DAY_MS = 24 * HOUR_MS;
const ENDPOINT = 'POST /api/v1/links';

const store = await openStores();
const begin = (ownerId: string, now = NOON, overrides = {}) =>
  store.idempotency.begin(ownerId, { endpoint: ENDPOINT, key: 'k', bodyHash: 'a'.repeat(64), ...overrides }, now);

/** Begins a request, which must get the key. */
async function hold(ownerId: string, now = NOON, overrides = {}) {
  const begun = await begin(ownerId, now, overrides);
  if (begun.state !== 'new') throw new Error(`the key is not free: ${begun.state}`);
  return begun;
}

function request(ownerId: string, holder: string, slug = newSlug(), answer: unknown = { slug }): Asked {
  return {
    ...asking(ownerId, { slug }),
    keep: { endpoint: ENDPOINT, key: 'k', holder, answer },
  };
}

test('a key is new, then running, then done with the stored answer', async () => {
  const ownerId = await newOwner(store);
  const { holder } = await hold(ownerId);
  expect(await begin(ownerId)).toMatchObject({ state: 'running' });
  const answer = { b: [1, 'ü', null, { x: true }], a: 1.5 };
  await store.links.create(request(ownerId, holder, newSlug(), answer), NOON);
  expect(await begin(ownerId)).toEqual({ state: 'done', response: answer });
  expect(await begin(ownerId, atNoon(DAY_MS - 1))).toEqual({ state: 'done', response: answer });
});

test('another body is a mismatch, both during the first request and after it', async () => {
  const ownerId = await newOwner(store);
  const { holder } = await hold(ownerId);
  const other = { bodyHash: 'b'.repeat(64) };
  expect(await begin(ownerId, NOON, other)).toEqual({ state: 'mismatch' });
  await store.links.create(request(ownerId, holder), NOON);
  expect(await begin(ownerId, NOON, other)).toEqual({ state: 'mismatch' });
  expect(await begin(ownerId)).toMatchObject({ state: 'done' });
});

test('a key belongs to its account and its endpoint, and is compared exactly', async () => {
  const [ownerId, other] = [await newOwner(store), await newOwner(store)];
  await hold(ownerId);
  await hold(other);
  await hold(ownerId, NOON, { endpoint: 'POST /api/v1/links/bulk' });
  await hold(ownerId, NOON, { key: 'K' });
  await hold(ownerId, NOON, { key: 'k ' });
  await hold(ownerId, NOON, { key: '~'.repeat(255) });
  expect(await begin(ownerId)).toMatchObject({ state: 'running' });
});

test('one of 20 concurrent callers gets the key', async () => {
  const ownerId = await newOwner(store);
  const states = await Promise.all(Array.from({ length: 20 }, () => begin(ownerId).then(({ state }) => state)));
  expect(states.toSorted()).toEqual(['new', ...Array(19).fill('running')]);
});

test('a released key is free for any request, with any body', async () => {
  const ownerId = await newOwner(store);
  const holding = await hold(ownerId);
  await holding.release();
  const next = await hold(ownerId, NOON, { bodyHash: 'c'.repeat(64) });
  // A second release by the first holder must not take the key from the second holder.
  await holding.release();
  expect(await begin(ownerId, NOON, { bodyHash: 'c'.repeat(64) })).toMatchObject({ state: 'running' });
  await next.release();
});

test('a release after the answer was stored keeps the answer', async () => {
  const ownerId = await newOwner(store);
  const holding = await hold(ownerId);
  await store.links.create(request(ownerId, holding.holder), NOON);
  await holding.release();
  expect(await begin(ownerId)).toMatchObject({ state: 'done' });
});

test('the key of a dead holder becomes free when the lease ends, and not before', async () => {
  const ownerId = await newOwner(store);
  await hold(ownerId);
  const waiting = await begin(ownerId, atNoon(1));
  if (waiting.state !== 'running') throw new Error(waiting.state);
  expect(waiting.retryAfterSeconds).toBeGreaterThanOrEqual(5);
  expect(Number.isInteger(waiting.retryAfterSeconds)).toBe(true);
  const endMs = waiting.retryAfterSeconds * 1000;
  expect(await begin(ownerId, atNoon(endMs - 1000))).toEqual({ state: 'running', retryAfterSeconds: 1 });
  await hold(ownerId, atNoon(endMs + 1));
});

test('a holder that lost the key creates nothing, uses no quota and releases nothing', async () => {
  const ownerId = await newOwner(store);
  const late = await hold(ownerId);
  const next = await hold(ownerId, atNoon(60_000));
  expect(next.holder).not.toBe(late.holder);
  const slug = newSlug('late');
  expect(await codeOf(store.links.create(request(ownerId, late.holder, slug), atNoon(60_000)))).toBe(
    'idempotency_key_in_use',
  );
  await late.release();
  expect(await begin(ownerId, atNoon(60_001))).toMatchObject({ state: 'running' });
  expect(await store.links.taken([slug])).toEqual([]);
  expect(await queuedEvents(store, [slug])).toEqual([]);
  expect(await store.links.quota(ownerId, NOON)).toMatchObject({ used: 0 });
  await store.links.create(request(ownerId, next.holder, slug, 'mine'), atNoon(60_001));
  expect(await begin(ownerId, atNoon(60_002))).toEqual({ state: 'done', response: 'mine' });
});

test('a late holder that was not replaced still succeeds', async () => {
  const ownerId = await newOwner(store);
  const { holder } = await hold(ownerId);
  await store.links.create(request(ownerId, holder), atNoon(60_000));
  expect(await begin(ownerId, atNoon(60_001))).toMatchObject({ state: 'done' });
});

test('only one of a late holder and its successor can create at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    const ownerId = await newOwner(store);
    const late = await hold(ownerId);
    const [created, took] = await Promise.allSettled([
      store.links.create(request(ownerId, late.holder), atNoon(60_000)),
      hold(ownerId, atNoon(60_000)),
    ]);
    // Either the late holder stored its answer first, or its successor got the key first.
    expect([created.status, took.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const { total } = await store.links.list(ownerId, query());
    expect(total).toBe(created.status === 'fulfilled' ? 1 : 0);
  }
});

test('a second creation by the same holder is refused, because the key already has an answer', async () => {
  const ownerId = await newOwner(store);
  const { holder } = await hold(ownerId);
  await store.links.create(request(ownerId, holder), NOON);
  expect(await codeOf(store.links.create(request(ownerId, holder), NOON))).toBe('idempotency_key_in_use');
  expect(await store.links.quota(ownerId, NOON)).toMatchObject({ used: 1 });
});

test('a creation that fails stores no answer', async () => {
  const { slug } = await newLink(store);
  const ownerId = await newOwner(store, 1);
  const { holder } = await hold(ownerId);
  expect(await codeOf(store.links.create(request(ownerId, holder, slug), NOON))).toBe('slug_taken');
  expect(await begin(ownerId)).toMatchObject({ state: 'running' });
  await store.links.create(asking(ownerId, {}), NOON);
  expect(await codeOf(store.links.create(request(ownerId, holder), NOON))).toBe('quota_exceeded');
  expect(await begin(ownerId)).toMatchObject({ state: 'running' });
});

test('a key is free after 24 hours, with or without a clean-up', async () => {
  const ownerId = await newOwner(store);
  const { holder } = await hold(ownerId);
  await store.links.create(request(ownerId, holder), NOON);
  await hold(ownerId, atNoon(DAY_MS), { bodyHash: 'd'.repeat(64) });
  expect(await begin(ownerId, atNoon(DAY_MS + 1))).toEqual({ state: 'mismatch' });
});

test('the clean-up deletes all expired keys and no others', async () => {
  const empty = await openStores();
  const account = await newOwner(empty);
  const fill = (from: number, to: number, createdAt: Date) =>
    empty.db.query(
      `INSERT INTO idempotency_keys (account_id, endpoint, key, body_hash, holder, held_until, created_at)
       SELECT $1, 'e', 'k' || n, '', gen_random_uuid(), $4, $4 FROM generate_series($2::int, $3::int) n`,
      [account, from, to, createdAt],
    );
  await fill(1, 12_000, NOON);
  await fill(12_001, 12_002, new Date(NOON.getTime() + 1));
  await empty.idempotency.forget(new Date(NOON.getTime() + DAY_MS));
  const remaining = await empty.db.query('SELECT key FROM idempotency_keys ORDER BY key');
  expect(remaining).toEqual([{ key: 'k12001' }, { key: 'k12002' }]);
});
