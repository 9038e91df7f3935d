/** POST /scan on the internal port. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, product } from './product.ts';
import { DESTINATION, freshHost, importFeed, listedUrl, times } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const { waypost, newClient } = product({ OWN_HOSTS: 'own.example.org' });
const internal = (...request: Parameters<ApiClient>) => apiClient(waypost.internal)(...request);
const scan = (urls: unknown) => internal('POST', '/scan', { urls });
const verdictOf = async (url: string): Promise<Json> => (await scan([url])).body.verdicts[0];
const clean = (url: string) => ({ url, outcome: 'clean', threat_type: null, reasons: [] });

test('answers with the generation and one verdict per URL, in their order', async () => {
  const listed = await listedUrl(waypost, 'scam');
  const { status, body } = await scan([DESTINATION, listed, 'javascript:alert(1)', DESTINATION]);
  expect(status).toBe(200);
  expect(Object.keys(body).sort()).toEqual(['generation', 'verdicts']);
  expect(body.generation).toMatch(/\S/);
  expect(body.verdicts.map(({ url, outcome, threat_type }: Json) => [url, outcome, threat_type])).toEqual([
    [DESTINATION, 'clean', null],
    [listed, 'flagged', 'scam'],
    ['javascript:alert(1)', 'refused', null],
    [DESTINATION, 'clean', null],
  ]);
  for (const verdict of body.verdicts) {
    expect(Object.keys(verdict).sort()).toEqual(['outcome', 'reasons', 'threat_type', 'url']);
    for (const reason of verdict.reasons) {
      expect(reason).toMatchObject({ rule: expect.stringMatching(/\S/), evidence: expect.any(String) });
    }
  }
  expect(body.verdicts[1].reasons.length).toBeGreaterThan(0);
});

test('takes 1 to 500 URLs', async () => {
  const urls = times(500, (i) => `${DESTINATION}?${i}`);
  expect((await scan(urls)).body.verdicts).toEqual(urls.map(clean));
  expect((await scan([DESTINATION])).body.verdicts).toEqual([clean(DESTINATION)]);
});

test.each([
  ['none', []],
  ['501', times(501, () => DESTINATION)],
  ['a string', DESTINATION],
  ['null', null],
  ['missing', undefined],
  ['an object', { 0: DESTINATION, length: 1 }],
  ['numbers', [1]],
  ['null inside', [DESTINATION, null]],
  ['arrays inside', [[DESTINATION]]],
])('refuses urls that are %s with 400', async (_what, urls) => {
  const { status, body } = await scan(urls);
  expect([status, body.error]).toEqual([400, 'bad_request']);
});

test.each(['{', '', 'null', '[]', '"x"', `${'['.repeat(50_000)}`])(
  'refuses a body that is not such an object',
  async (body) => {
    expect((await internal('POST', '/scan', body, { 'Content-Type': 'application/json' })).status).toBe(400);
  },
);

test.each([
  '',
  ' ',
  'x',
  'https://user:pass@www.wikipedia.org/',
  'http://127.0.0.1/',
  'http://[::1]/',
  'http://localhost/',
  'https://own.example.org/abc',
  'https://deep.own.example.org/abc',
  'https://www.wikipedia.org/\u0000',
  'https://www.wikipedia.org/\ud800',
  `https://www.wikipedia.org/${'a'.repeat(2_100)}`,
  'https://www.wikipedia.org/\u202e',
])('refuses %j exactly as a creation would', async (url) => {
  const { outcome, threat_type } = await verdictOf(url);
  expect([outcome, threat_type]).toEqual(['refused', null]);
  const api = await newClient();
  expect((await api('POST', '/api/v1/links', { destination_url: url })).status).toBe(400);
});

test('is pure: the same request has the same answer, and nothing is created or counted', async () => {
  const { key } = await waypost.newKey('read,write');
  const listed = await listedUrl(waypost);
  const [first, second] = [await scan([listed, DESTINATION]), await scan([listed, DESTINATION])];
  expect(second.body).toEqual(first.body);
  expect((await apiClient(waypost.api, key)('GET', '/api/v1/links')).body.total).toBe(0);
});

test('answers 40 batches at once', async () => {
  const urls = times(500, (i) => `${DESTINATION}?${i}`);
  const answers = await Promise.all(times(40, () => scan(urls)));
  for (const { status, body } of answers) expect([status, body.verdicts.length]).toEqual([200, 500]);
});

test.each(['GET', 'PUT', 'DELETE'])('does not answer %s', async (method) => {
  expect([404, 405]).toContain((await internal(method, '/scan')).status);
});

test('is not on a public port', async () => {
  const api = await newClient('admin', { admin: true });
  expect((await api('POST', '/scan', { urls: [DESTINATION] })).status).toBe(404);
  expect((await fetch(`${waypost.redirect}/scan`)).status).toBe(404);
});

describe('a listed URL', () => {
  const host = freshHost('match');
  const listed = `http://${host}/Bad/file.exe`;
  const flags = async (url: string) => (await verdictOf(url)).outcome === 'flagged';

  beforeAll(async () => {
    await importFeed(
      waypost,
      [listed, `https://query.${host}/a?id=1`, `https://below.${host}/dir/`, `https://noquery.${host}/page`].join('\n'),
    );
    await importFeed(waypost, `whole.${host}\n`, { format: 'hosts' });
  });

  test.each([
    ['as listed', (url: string) => url],
    ['another scheme', (url: string) => url.replace('http:', 'https:')],
    ['a port', (url: string) => url.replace(host, `${host}:8443`)],
    ['upper case in the host', (url: string) => url.replace(host, host.toUpperCase())],
    ['a trailing dot', (url: string) => url.replace(host, `${host}.`)],
    ['percent-encoding', (url: string) => url.replace('file', '%66%69le')],
    ['doubled percent-encoding', (url: string) => url.replace('file', '%2566ile')],
    ['a fragment', (url: string) => `${url}#section`],
    ['a query, since it was listed without one', (url: string) => `${url}?a=b`],
    ['dots in the path', (url: string) => url.replace('/Bad/', '/x/../Bad/./')],
    ['two slashes', (url: string) => url.replace('/Bad/', '//Bad//')],
    ['outer white space', (url: string) => `  ${url}\n`],
    ['being in a query', (url: string) => `https://www.wikipedia.org/go?to=${encodeURIComponent(url)}&x=1`],
    [
      'being in a query twice encoded',
      (url: string) => `https://www.wikipedia.org/go?to=${encodeURIComponent(encodeURIComponent(url))}`,
    ],
    ['being in a path', (url: string) => `https://web.archive.org/web/2020/${url}`],
    ['being in a query unencoded', (url: string) => `https://www.wikipedia.org/go?to=${url}`],
  ])('is found despite %s', async (_what, disguise) => {
    expect(await flags(disguise(listed))).toBe(true);
  });

  test('covers its path, and no other', async () => {
    expect(await flags(`http://${host}/Bad/other.exe`)).toBe(false);
    expect(await flags(`http://${host}/Bad/`)).toBe(false);
    expect(await flags(`http://${host}/`)).toBe(false);
    expect(await flags(`http://${host}/Bad/file.exe/more`)).toBe(false);
    expect(await flags(`http://${host}/bad/FILE.exe`)).toBe(false);
  });

  test('with a query covers that query only', async () => {
    expect(await flags(`https://query.${host}/a?id=1`)).toBe(true);
    expect(await flags(`https://query.${host}/a?id=2`)).toBe(false);
    expect(await flags(`https://query.${host}/a`)).toBe(false);
  });

  test('that ends in a slash covers everything below it', async () => {
    for (const path of ['/dir/', '/dir/x', '/dir/x/y?z'])
      expect(await flags(`https://below.${host}${path}`)).toBe(true);
    for (const path of ['/dir', '/dirx/', '/']) expect(await flags(`https://below.${host}${path}`)).toBe(false);
  });

  test('without a query covers any', async () => {
    expect(await flags(`https://noquery.${host}/page?a=1&b=2`)).toBe(true);
  });

  test('host covers its subdomains and all paths, not its parent', async () => {
    for (const url of [`https://whole.${host}/`, `http://a.b.whole.${host}:81/x?y#z`, `https://WHOLE.${host}./q`]) {
      expect(await flags(url)).toBe(true);
    }
    expect(await flags(`https://${host}/`)).toBe(false);
    expect(await flags(`https://notwhole.${host}/`)).toBe(false);
  });
});
