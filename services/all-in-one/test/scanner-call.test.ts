/** POST /scan on the internal port. Each row of its contract: services/scanner/test/scan-endpoint.test.ts. */
import { expect, test } from '@jest/globals';
import { type ApiClient, product } from './product.ts';
import { DESTINATION, freshHost, importFeed, listedUrl } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const { waypost, newClient } = product();
const internal = (...request: Parameters<ApiClient>) => apiClient(waypost.internal)(...request);
const scan = (urls: unknown) => internal('POST', '/scan', { urls });
const verdictOf = async (url: string): Promise<Json> => (await scan([url])).body.verdicts[0];

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

test.each([
  '',
  'https://user:pass@www.wikipedia.org/',
  'http://127.0.0.1/',
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

test('is not on a public port', async () => {
  const api = await newClient('admin', { admin: true });
  expect((await api('POST', '/scan', { urls: [DESTINATION] })).status).toBe(404);
  expect((await fetch(`${waypost.redirect}/scan`)).status).toBe(404);
});

/** Each sentence of the matching rules has its cases in services/scanner/test/matching.test.ts and wrapped-urls.test.ts. */
test('a listed URL is found however it is disguised; a listed host covers its subdomains and no other', async () => {
  const host = freshHost('match');
  const listed = `http://${host}/Bad/file.exe`;
  await importFeed(waypost, listed);
  await importFeed(waypost, `whole.${host}\n`, { format: 'hosts' });
  const outcomes = async (...urls: string[]) =>
    (await scan(urls)).body.verdicts.map(({ outcome }: Json) => outcome as string);
  expect(
    await outcomes(
      `https://${host.toUpperCase()}.:8443/x/../Bad//%2566ile.exe?a=b#section`,
      `https://www.wikipedia.org/go?to=${encodeURIComponent(listed)}&x=1`,
      `http://a.b.whole.${host}:81/x?y#z`,
    ),
  ).toEqual(['flagged', 'flagged', 'flagged']);
  expect(await outcomes(`http://${host}/Bad/other`, `https://notwhole.${host}/`)).not.toContain('flagged');
});
