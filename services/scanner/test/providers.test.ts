/** Tests remote providers with a local server that follows their protocols or breaks them. */
import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text as bodyOf } from 'node:stream/consumers';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readSettings } from '@waypost/settings';
import { listening, SILENT, until } from '@waypost/test-support';
import { PROVIDERS, type ProviderSettings, providersFrom } from '../src/recheck/providers/providers.ts';
import { type Kit, NOW, policyAllowing, started } from './scanner-kit.ts';

const BAD = 'http://bad.example.net/kit';
const EXPRESSION = 'bad.example.net/kit';
const whole = (expression: string) => hash('sha256', expression, 'buffer').toString('base64');

interface Asked {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
type Answer = (request: Asked, response: ServerResponse) => void;

let answer: Answer;
let requests: Asked[];
const server = createServer(async (request, response) => {
  response.setHeader('Connection', 'close');
  const one = { path: request.url!, headers: request.headers, body: await bodyOf(request) };
  requests.push(one);
  answer(one, response);
});
const gateway = `http://127.0.0.1:${await listening(server)}`;
afterAll(() => void server.close());
beforeEach(() => {
  requests = [];
});
afterEach(() => server.closeAllConnections());

const json =
  (body: unknown): Answer =>
  (_, response) =>
    void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

const KEY = 'k-secret';
const settings = (environment: Record<string, string>): ProviderSettings =>
  readSettings(PROVIDERS, { PROVIDERS_URL: gateway, ...environment });
const provided = (environment: Record<string, string>, now = () => NOW) =>
  providersFrom(settings(environment), { logger: SILENT, now });
const one = (environment: Record<string, string>, now?: () => Date) => provided(environment, now)[0]!;
const never = new AbortController().signal;

test('the scanner asks a provider only if it has a key for it', () => {
  expect(provided({})).toEqual([]);
  const all = { GOOGLE_WEB_RISK_KEY: 'a', GOOGLE_SAFE_BROWSING_KEY: 'b', URLHAUS_KEY: 'c', PHISHTANK_KEY: 'd' };
  const names = ['google-web-risk', 'google-safe-browsing', 'urlhaus', 'phishtank'];
  expect(provided(all).map(({ name }) => name)).toEqual(names);
});

describe('Google Safe Browsing', () => {
  const env = { GOOGLE_SAFE_BROWSING_KEY: KEY };
  const listed = (expression: string, threatType: string, more = {}) => ({
    fullHashes: [{ fullHash: whole(expression), fullHashDetails: [{ threatType, ...more }] }],
    cacheDuration: '300s',
  });

  test('gets 4 bytes of each hash but never the URL, has its key in a header, and its answer is cached', async () => {
    let at = NOW.getTime();
    const provider = one(env, () => new Date(at));
    answer = json(listed(EXPRESSION, 'SOCIAL_ENGINEERING'));
    const urls = [BAD, 'https://good.example.org/a/b?c=d'];
    const expected = new Map([
      [BAD, { threatType: 'phishing', evidence: EXPRESSION }],
      ['https://good.example.org/a/b?c=d', null],
    ]);
    expect(await provider.lookUp(urls, never)).toEqual(expected);
    expect(requests).toHaveLength(1);
    const { path, headers } = requests[0]!;
    expect(path).toMatch(/^\/google-safe-browsing\/v5\/hashes:search\?hashPrefixes=/);
    const prefixes = new URL(path, gateway).searchParams.getAll('hashPrefixes');
    for (const prefix of prefixes) expect(Buffer.from(prefix, 'base64url')).toHaveLength(4);
    expect(path).not.toMatch(/bad|good|k-secret/);
    expect(headers['x-goog-api-key']).toBe(KEY);
    expect(await provider.lookUp(urls, never)).toEqual(expected);
    expect(requests).toHaveLength(1);
    at += 301_000;
    answer = json({ cacheDuration: '300s' });
    expect(await provider.lookUp([BAD], never)).toEqual(new Map([[BAD, null]]));
    expect(requests).toHaveLength(2);
  });

  test('finds the URL inside a redirector', async () => {
    answer = json(listed(EXPRESSION, 'MALWARE'));
    const wrapped = `https://www.google.com/url?q=${encodeURIComponent(BAD)}`;
    expect((await one(env).lookUp([wrapped], never)).get(wrapped)).toMatchObject({ threatType: 'malware' });
  });

  test.each([
    ['another hash', listed('other.example.net/', 'MALWARE')],
    ['a threat type that we do not know', listed(EXPRESSION, 'NEW_KIND')],
    ['a canary', listed(EXPRESSION, 'MALWARE', { attributes: ['CANARY'] })],
  ])('is not believed with %s', async (_, body) => {
    answer = json(body);
    expect(await one(env).lookUp([BAD], never)).toEqual(new Map([[BAD, null]]));
  });

  test.each<[string, unknown]>([
    ['a list', []],
    ['a text', 'everything is bad'],
    ['other members', { fullHashes: 'all' }],
    ['hashes of another kind', { fullHashes: [{ fullHash: 7 }] }],
    ['details of another kind', { fullHashes: [{ fullHash: whole(EXPRESSION), fullHashDetails: [7] }] }],
  ])('says nothing with %s', async (_, body) => {
    answer = json(body);
    const provider = one(env);
    expect(await provider.lookUp([BAD], never)).toEqual(new Map());
    expect(provider.status()).toMatchObject({ requests: 1, failures: 1 });
  });
});

test('Google Web Risk gets one request per prefix, and its answer is cached for at most a day', async () => {
  let at = NOW.getTime();
  const provider = one({ GOOGLE_WEB_RISK_KEY: KEY }, () => new Date(at));
  const inAn = (ms: number) => new Date(at + ms).toISOString();
  answer = ({ path }, response) => {
    const prefix = new URL(path, gateway).searchParams.get('hashPrefix')!;
    const isIt = Buffer.from(prefix, 'base64url').equals(Buffer.from(whole(EXPRESSION), 'base64').subarray(0, 4));
    const threat = { threatTypes: ['SOCIAL_ENGINEERING'], hash: whole(EXPRESSION), expireTime: inAn(3_600_000) };
    json(isIt ? { threats: [threat] } : { negativeExpireTime: inAn(90 * 86_400_000) })({ path } as Asked, response);
  };
  expect(await provider.lookUp([BAD], never)).toEqual(
    new Map([[BAD, { threatType: 'phishing', evidence: EXPRESSION }]]),
  );
  const first = requests.length;
  expect(first).toBe(4);
  at += 3_601_000;
  await provider.lookUp([BAD], never);
  expect(requests.length).toBe(first + 1);
  at += 86_400_000;
  await provider.lookUp([BAD], never);
  expect(requests.length).toBe(2 * first + 1);
});

test('URLhaus and PhishTank get the whole URL, and only an answer about this exact URL counts', async () => {
  const [urlhaus, phishtank] = provided({ URLHAUS_KEY: KEY, PHISHTANK_KEY: KEY }) as [
    ReturnType<typeof one>,
    ReturnType<typeof one>,
  ];
  const about = async (provider: typeof urlhaus, body: unknown) => {
    answer = json(body);
    return (await provider.lookUp([`${BAD}#secret`], never)).get(`${BAD}#secret`);
  };
  expect(await about(urlhaus, { query_status: 'ok', url: BAD, threat: 'malware_download' })).toEqual({
    threatType: 'malware',
    evidence: BAD,
  });
  expect(requests[0]).toMatchObject({ path: '/urlhaus/v1/url/', body: `url=${encodeURIComponent(BAD)}` });
  expect(requests[0]!.headers['auth-key']).toBe(KEY);
  expect(await about(urlhaus, { query_status: 'no_results' })).toBeNull();
  expect(await about(urlhaus, { query_status: 'ok', url: 'https://example.com/' })).toBeNull();
  expect(await about(urlhaus, { query_status: 'http_post_expected' })).toBeUndefined();

  const phish = { in_database: true, verified: true, valid: true, url: BAD };
  expect(await about(phishtank, { results: phish })).toEqual({ threatType: 'phishing', evidence: BAD });
  expect(await about(phishtank, { results: { ...phish, verified: false } })).toBeNull();
  expect(await about(phishtank, { results: { ...phish, url: 'https://example.com/' } })).toBeNull();
  expect(await about(phishtank, { results: { in_database: false } })).toBeNull();
  expect(await about(phishtank, { errortext: 'no' })).toBeUndefined();
});

describe('a provider that fails', () => {
  const env = { URLHAUS_KEY: KEY };

  test('is not asked for a while after five failures in a row, or for as long as it demands', async () => {
    const provider = one(env);
    answer = (_, response) => void response.writeHead(500).end();
    for (let i = 0; i < 8; i++) expect(await provider.lookUp([BAD], never)).toEqual(new Map());
    expect(requests).toHaveLength(5);
    expect(provider.status()).toMatchObject({ name: 'urlhaus', requests: 5, failures: 5, open: true });

    const asking = one(env);
    answer = (_, response) => void response.writeHead(429, { 'Retry-After': '60' }).end();
    for (let i = 0; i < 3; i++) await asking.lookUp([BAD], never);
    expect(asking.status()).toMatchObject({ requests: 1, open: true });
  });

  test('gets at most the allowed number of requests per minute', async () => {
    const provider = one({ ...env, PROVIDER_REQUESTS_PER_MINUTE: '3' });
    answer = json({ query_status: 'no_results' });
    const urls = Array.from({ length: 10 }, (_, i) => `http://h${i}.example.net/`);
    expect((await provider.lookUp(urls, never)).size).toBe(3);
    expect(requests).toHaveLength(3);
  });

  test.each<[string, Answer]>([
    ['a redirect', (_, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end()],
    ['no JSON', (_, response) => void response.end('<html>')],
    ['more than a megabyte', (_, response) => void response.end(`{"x":"${'x'.repeat(2_000_000)}"}`)],
    [
      'a broken answer',
      (_, response) => {
        response.writeHead(200, { 'Content-Length': '99' }).write('{');
        setTimeout(() => response.destroy(), 20);
      },
    ],
  ])('with %s says nothing', async (_, bad) => {
    answer = bad;
    expect(await one(env).lookUp([BAD], never)).toEqual(new Map());
  });
});

describe('a scanner with a provider', () => {
  const env = { URLHAUS_KEY: KEY };
  /** A lookup that has begun but not finished is due again after this time. */
  const LEASE_MS = 10 * 60_000;
  const published = (kit: Kit) => kit.bus.published.map(({ slug, type, reasons }) => [slug, type, reasons[0]!.rule]);
  const isBad: Answer = ({ body }, response) => {
    const url = new URLSearchParams(body).get('url')!;
    json(url === BAD ? { query_status: 'ok', url } : { query_status: 'no_results' })({} as Asked, response);
  };

  /** A link event makes the scanner check which lookups are due. */
  const wake = (kit: Kit) => kit.createLink('wake', 'http://wake.example.net/');

  async function withProvider(more: Parameters<typeof started>[0] = {}) {
    let at = NOW.getTime();
    const now = () => new Date(at);
    const kit = await started({ providers: provided(env, now), now, ...more });
    return { kit, pass: (ms: number) => (at += ms) };
  }

  /** The provider stops listing the URL, so the link must be cleared. */
  async function expectCleared(kit: Kit, pass: (ms: number) => number): Promise<void> {
    answer = json({ query_status: 'no_results' });
    pass(72 * 3_600_000 + 1);
    await wake(kit);
    await until(() => kit.bus.published.length === 2 && kit.rechecks.due.size === 0);
    expect(published(kit)[1]).toEqual(['bad', 'threat.gone', 'provider:urlhaus']);
  }

  test('asks after the creation, flags a listed link, and later asks whether it is still listed', async () => {
    const { kit, pass } = await withProvider();
    answer = isBad;
    await kit.createLink('bad', BAD);
    await kit.createLink('good', 'http://good.example.net/');
    await until(() => kit.bus.published.length === 1 && kit.rechecks.due.size === 1);
    expect(kit.bus.published[0]).toMatchObject({
      type: 'threat.found',
      slug: 'bad',
      threat_type: 'malware',
      reasons: [{ rule: 'provider:urlhaus', evidence: BAD, threat_type: 'malware' }],
    });
    await kit.changeLink('bad', 'link.flagged');
    const dueAt = () => kit.rechecks.due.get('bad')?.at.getTime() ?? 0;
    const due = dueAt();
    pass(72 * 3_600_000 + 1);
    await wake(kit);
    await until(() => dueAt() >= due + 72 * 3_600_000);
    expect(kit.bus.published).toHaveLength(1);
    await expectCleared(kit, pass);
  });

  test('clears a link that only the provider flags, even if a feed listed it in between', async () => {
    const { kit, pass } = await withProvider();
    const lookedAt = (now: number) => until(() => (kit.rechecks.due.get('bad')?.at.getTime() ?? 0) > now + LEASE_MS);
    const lookAfterDays = async () => {
      const now = pass(72 * 3_600_000 + 1);
      await wake(kit);
      await lookedAt(now);
    };
    answer = isBad;
    await kit.createLink('bad', BAD);
    await lookedAt(NOW.getTime());
    await kit.changeLink('bad', 'link.flagged');
    for (let confirmations = 0; confirmations < 31; confirmations++) await lookAfterDays();
    answer = (_, response) => void response.writeHead(500).end();
    await lookAfterDays();
    answer = isBad;
    await kit.list('mine', [BAD]);
    await lookAfterDays();
    await kit.list('mine', ['http://other.example.net/']);
    expect(kit.bus.published).toHaveLength(1);
    await expectCleared(kit, pass);
  });

  test('creates links at once while the provider is down, and judges them afterwards', async () => {
    const { kit, pass } = await withProvider();
    answer = () => {};
    await kit.createLink('bad', BAD);
    expect(kit.status().providers[0]!.failures).toBe(0);
    const before = performance.now();
    await until(() => kit.status().providers[0]!.failures === 1);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(kit.bus.published).toEqual([]);
    answer = isBad;
    pass(600_000);
    await wake(kit);
    await until(() => kit.bus.published.length === 1);
  });

  test('a new end of a link asks no provider again', async () => {
    const { kit } = await withProvider();
    answer = isBad;
    await kit.createLink('good', 'http://good.example.net/');
    await until(() => requests.length === 1 && !kit.rechecks.due.has('good'));
    await kit.changeLink('good', 'link.edited');
    expect(kit.rechecks.due.has('good')).toBe(false);
    await kit.createLink('other', 'http://other.example.net/');
    await until(() => requests.length === 2 && kit.rechecks.due.size === 0);
  });

  test('never flags hosts that feeds may not list, and never sends intranet hosts to the provider', async () => {
    const policy = policyAllowing('wiki.intranet');
    const { kit } = await withProvider({ policy });
    answer = ({ body }, response) =>
      json({ query_status: 'ok', url: new URLSearchParams(body).get('url') })({} as Asked, response);
    await kit.createLink('popular', 'https://www.wikipedia.org/');
    await kit.createLink('article', 'https://www.wikipedia.org/wiki/URL');
    await kit.createLink('intranet', 'http://wiki.intranet/page');
    await until(() => requests.length === 2);
    await until(() => !kit.rechecks.due.has('intranet'));
    expect(kit.bus.published).toEqual([]);
    expect(requests.map(({ body }) => body).join()).not.toContain('intranet');
  });
});
