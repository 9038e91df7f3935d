/**
 * Tests how many requests of one account run at once, and that other requests still get answers. Every dependency hangs
 * until the test releases it.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { formatApiKey } from '@waypost/domain';
import { pause, until } from '@waypost/test-support';
import { depsWith, testServer } from '../../../test/link-api-under-test.ts';
import { newLink } from '../../../test/links.ts';
import { createLinkApi } from '../../app.ts';
import { hashSecret } from '../hash-secret.ts';

interface Hanging {
  readonly what: string;
  readonly account: string;
  letGo(): void;
  readonly signal?: AbortSignal | undefined;
}
const hanging: Hanging[] = [];
const hang = <T>(what: string, account: string, value: T, signal?: AbortSignal) =>
  new Promise<T>((resolve, reject) => {
    const one = { what, account, signal, letGo: () => resolve(value) };
    hanging.push(one);
    signal?.addEventListener('abort', () => reject(signal.reason));
  });
const running = (what: string, account?: string) =>
  hanging.filter((one) => one.what === what && (account === undefined || one.account === account)).length;
const letGoAll = () => {
  for (const one of hanging.splice(0)) one.letGo();
};

const keys = Object.fromEntries(['ada', 'bob'].map((name) => [name, formatApiKey(randomBytes(32))]));
const callers = new Map(Object.entries(keys).map(([id, key]) => [hashSecret(key).toString('hex'), id]));
const linkOf = (slug: string) => newLink({ slug, ownerId: slug.split('-')[0]! }).link;
const FIGURES = {
  total_clicks: 0,
  unique_visitors: 0,
  bot_clicks: 0,
  days: [],
  top_referrers: [],
  top_countries: [],
  top_devices: [],
  top_browsers: [],
};

const { server, base } = testServer();
beforeAll(() => {
  const deps = depsWith({
    keys: {
      authenticate: async (hash: Buffer) => {
        const accountId = callers.get(hash.toString('hex'))!;
        const creations = { limit: 300, window: undefined };
        return { accountId, keyId: null, admin: false, scopes: ['read', 'write'], creations };
      },
    },
    links: {
      list: (ownerId: string) => hang('list', ownerId, { links: [], total: 0 }),
      find: async (slug: string) => linkOf(slug),
      taken: async () => [],
      findAll: async (slugs: string[]) => slugs.map(linkOf),
      update: async (slug: string) => linkOf(slug),
      updateAll: () => hang('change', 'ada', []),
    },
    stats: {
      figures: ({ ownerId }: { ownerId: string }, _range: unknown, _bots: unknown, signal?: AbortSignal) =>
        hang('analytics', ownerId, FIGURES, signal),
      topLinks: (ownerId: string) => hang('analytics', ownerId, []),
    },
    imports: { days: async () => [], ofAccount: async () => ({ days: [], links: [] }) },
    scanner: {
      scan: (urls) =>
        hang('scan', 'ada', {
          generation: '1',
          verdicts: urls.map((url) => ({ url, outcome: 'clean' as const, threat_type: null, reasons: [] })),
        }),
    },
  });
  server.on('request', createLinkApi(deps).app);
});
afterAll(letGoAll);
beforeEach(() => letGoAll());

const ask = (
  who: string,
  method: string,
  path: string,
  { body, signal }: { body?: unknown; signal?: AbortSignal } = {},
) =>
  fetch(`${base()}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${keys[who]}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });
/** Calls a tool as a client of the MCP revisions up to 2025 does. */
const call = (who: string, name: string, args: object, signal?: AbortSignal) =>
  fetch(`${base()}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${keys[who]}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
    ...(signal && { signal }),
  });
const some = <T>(count: number, make: (i: number) => T) => Array.from({ length: count }, (_, i) => make(i));
async function answersOf(requests: readonly Promise<Response>[]): Promise<number[]> {
  const timer = setInterval(letGoAll, 5);
  const answers = await Promise.all(requests);
  clearInterval(timer);
  return answers.map(({ status }) => status);
}

describe('an account', () => {
  test('runs two lists at once while its other lists wait, and another account does not wait', async () => {
    const mine = some(20, () => ask('ada', 'GET', '/links'));
    await until(() => running('list', 'ada') === 2);
    const theirs = ask('bob', 'GET', '/links');
    await until(() => running('list', 'bob') === 1);
    await pause(50);
    expect(running('list', 'ada')).toBe(2);
    expect(await answersOf([...mine, theirs])).toEqual(some(21, () => 200));
  });

  test('runs two analytics queries at once, and requests for the same link share one', async () => {
    const same = some(10, () => ask('ada', 'GET', '/links/ada-same/analytics'));
    await until(() => running('analytics') === 1);
    const mine = some(10, (i) => ask('ada', 'GET', `/links/ada-${i}00/analytics`));
    const theirs = ask('bob', 'GET', '/links/bob-one/analytics');
    await until(() => running('analytics', 'bob') === 1);
    await pause(50);
    expect(running('analytics', 'ada')).toBeLessThanOrEqual(2);
    expect(await answersOf([...same, ...mine, theirs])).toEqual(some(21, () => 200));
  });

  test('runs two analytics queries at once in all, those of lists by clicks included', async () => {
    const lists = some(2, () => ask('ada', 'GET', '/links?sort=clicks'));
    await until(() => running('analytics', 'ada') === 2);
    const figures = ask('ada', 'GET', '/links/ada-shared/analytics');
    await pause(50);
    expect(running('analytics', 'ada')).toBe(2);
    expect(await answersOf([...lists, figures])).toEqual(some(3, () => 200));
  });

  test('runs one dry run at a time', async () => {
    const body = { destination_url: 'https://example.org/' };
    const mine = some(8, () => ask('ada', 'POST', '/links?dry_run=true', { body }));
    await until(() => running('scan') === 1);
    await pause(50);
    expect(running('scan')).toBe(1);
    expect(await answersOf(mine)).toEqual(some(8, () => 200));
  });

  test('runs two changes of links at once, which may wait for the same locks', async () => {
    const body = { slugs: ['ada-r100', 'ada-r200'], add: ['spring'] };
    const mine = some(8, () => ask('ada', 'POST', '/links/tags', { body }));
    await until(() => running('change') === 2);
    await pause(50);
    expect(running('change')).toBe(2);
    expect(await answersOf(mine)).toEqual(some(8, () => 200));
  });

  test('can revoke a link while all its reads, analytics, changes and dry runs wait', async () => {
    const body = { destination_url: 'https://example.org/' };
    const others = [
      ...some(20, () => ask('ada', 'GET', '/links')),
      ...some(20, (i) => ask('ada', 'GET', `/links/ada-r${i}0/analytics`)),
      ...some(20, () => ask('ada', 'POST', '/links?dry_run=true', { body })),
      ...some(20, () => ask('ada', 'POST', '/links/tags', { body: { slugs: ['ada-r100'], add: ['spring'] } })),
    ];
    const counts = () => ['list', 'analytics', 'scan', 'change'].map((what) => running(what));
    await until(() => counts().join() === '2,2,1,2');
    expect((await ask('ada', 'POST', '/links/ada-gone/revoke')).status).toBe(200);
    expect(hanging).toHaveLength(7);
    expect(await answersOf(others)).toEqual(some(80, () => 200));
  });

  test('cancels a query when the last request that waits for it disconnects', async () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const first = ask('ada', 'GET', '/links/ada-left/analytics', { signal: one.signal });
    await until(() => running('analytics') === 1);
    const second = ask('ada', 'GET', '/links/ada-left/analytics', { signal: other.signal });
    await pause(50);
    one.abort();
    await expect(first).rejects.toThrow();
    await pause(50);
    expect(hanging[0]!.signal?.aborted).toBe(false);
    other.abort();
    await expect(second).rejects.toThrow();
    await until(() => hanging[0]!.signal?.aborted === true);
  });

  test('runs two lists at once in all, through the API and the tools', async () => {
    const mine = some(10, (i) => (i % 2 ? ask('ada', 'GET', '/links') : call('ada', 'list_links', {})));
    await until(() => running('list', 'ada') === 2);
    await pause(100);
    expect(running('list', 'ada')).toBe(2);
    const revoked = await call('ada', 'revoke_link', { slug: 'ada-gone' });
    expect(await revoked.text()).toContain('revoked');
    expect(hanging).toHaveLength(2);
    expect(await answersOf(mine)).toEqual(some(10, () => 200));
  });

  test('gets 503 with Retry-After after waiting too long, and a tool gets the same as its result', async () => {
    const began = performance.now();
    const lists = some(6, () => ask('ada', 'GET', '/links'));
    const answer = await call('ada', 'list_links', {});
    const [, data] = /^data: (.*)$/m.exec(await answer.text())!;
    expect(performance.now() - began).toBeLessThan(5_000);
    const { isError, content } = JSON.parse(data!).result;
    expect(isError).toBe(true);
    expect(JSON.parse(content[0].text)).toMatchObject({ status: 503, retry_after: 5, error_id: expect.any(String) });
    for (const { status, headers } of await Promise.all(lists))
      expect([status, headers.get('retry-after')]).toEqual([503, expect.stringMatching(/^[1-9]\d*$/)]);
    // The lists go on, so no other may begin.
    await pause(50);
    expect(running('list', 'ada')).toBe(2);
    const next = ask('ada', 'GET', '/links');
    await pause(50);
    expect(running('list', 'ada')).toBe(2);
    expect(await answersOf([next])).toEqual([200]);
  });

  test('cancels the query of a tool call when the client disconnects', async () => {
    const leaves = new AbortController();
    const pending = call('ada', 'get_analytics', { slug: 'ada-tool' }, leaves.signal).then((answer) => answer.text());
    await until(() => running('analytics') === 1);
    leaves.abort();
    await expect(pending).rejects.toThrow();
    await until(() => hanging[0]!.signal?.aborted === true);
  });
});
