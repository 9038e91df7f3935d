import { describe, expect, test } from '@jest/globals';
import { runCommandLine } from '../clients.ts';
import { call, connected, overHttp } from '../mcp-clients.ts';
import { product } from '../product.ts';
import { DESTINATION, expectError, freshHost, listedUrl } from '../support.ts';

const { waypost, api, newClient, createsNothing } = product();

const SHORTENED = 'https://bit.ly/3xYzAbC';
const check = (url: unknown, client = api) => client('POST', '/api/v1/check', { url });

describe('a check of an address', () => {
  test('needs only the scope read, and says that no threat is known', async () => {
    const reader = await newClient('read');
    const { status, body } = await check(DESTINATION, reader);
    expect([status, body]).toEqual([
      200,
      {
        url: DESTINATION,
        outcome: 'clean',
        threat_type: null,
        message: expect.stringMatching(/no guarantee/),
        reasons: [],
      },
    ]);
  });

  test('names the feed or the rule, and what it matched', async () => {
    const url = await listedUrl(waypost, 'phishing');
    const flagged = await createsNothing(() => check(url));
    expect(flagged.body).toMatchObject({
      outcome: 'flagged',
      threat_type: 'phishing',
      message: 'The URL is suspected of phishing. A link to it would not redirect.',
      reasons: expect.arrayContaining([
        { rule: expect.stringMatching(/^feed:/), evidence: expect.stringContaining(new URL(url).host) },
      ]),
    });
    expect((await check(SHORTENED)).body).toMatchObject({
      outcome: 'warned',
      threat_type: 'suspicious',
      message: expect.stringMatching(/would redirect/),
      reasons: [{ rule: 'shortener', evidence: 'bit.ly leads elsewhere' }],
    });
  });

  test('finds what a creation finds', async () => {
    for (const destination_url of [DESTINATION, SHORTENED, await listedUrl(waypost)]) {
      const { outcome, threat_type } = (await check(destination_url)).body;
      const { link } = (await api('POST', '/api/v1/links', { destination_url })).body;
      const scan = (await api('GET', `/api/v1/links/${link.slug}/scan`)).body;
      expect({ outcome, threat_type }).toEqual({ outcome: scan.outcome, threat_type: scan.threat_type });
    }
  });

  test.each([
    ['nowhere', 'a text that is no address'],
    ['http://192.168.0.1/', 'a private host'],
    [`https://${freshHost()}/${'a'.repeat(3_000)}`, 'one that is too long'],
  ])('answers with the reason that a creation refuses it for: %#', async (url) => {
    const { status, body } = await check(url);
    expect([status, body.outcome, body.threat_type]).toEqual([200, 'refused', null]);
    const creation = await api('POST', '/api/v1/links', { destination_url: url });
    expectError(creation, 400, ['destination_url']);
    expect(body.reasons).toEqual([{ rule: 'url-policy', evidence: creation.body.details.destination_url }]);
    expect(body.message).toContain(creation.body.details.destination_url);
  });

  test('is refused with the name of what is wrong', async () => {
    for (const url of [undefined, null, '', 7, ['a'], 'a'.repeat(8_193)]) expectError(await check(url), 400, ['url']);
    expectError(await api('POST', '/api/v1/check', { url: DESTINATION, tags: [] }), 400, ['tags']);
    expectError(await check(DESTINATION, await newClient('write')), 403);
  });

  test('goes on when the quota is used up', async () => {
    const full = await newClient('read,write', { limit: 1 });
    await full('POST', '/api/v1/links', { destination_url: DESTINATION });
    expect((await check(DESTINATION, full)).status).toBe(200);
  });
});

test('the tool check_url and the command check give the answer of the endpoint, and exit codes tell the worst', async () => {
  const { key } = await waypost.newKey('read');
  const flagged = await listedUrl(waypost);
  // Other tests import feeds, so the generation may change meanwhile.
  const answers = await Promise.all(
    [DESTINATION, SHORTENED, flagged].map(async (url) => ({
      ...(await check(url)).body,
    })),
  );

  const client = await connected(overHttp(waypost.api, key));
  for (const answer of answers)
    expect((await call(client, 'check_url', { url: answer.url })).structuredContent).toEqual(answer);

  const run = async (...args: string[]) => runCommandLine(waypost.api, key, ['check', ...args]);
  const all = await run(DESTINATION, SHORTENED, flagged, '--json');
  expect([all.code, JSON.parse(all.stdout)]).toEqual([7, answers]);
  expect((await run(DESTINATION)).code).toBe(0);
  expect((await run(SHORTENED, DESTINATION)).code).toBe(8);
  expect((await run('http://localhost/', DESTINATION)).code).toBe(7);
  const { stdout } = await run(flagged, DESTINATION);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t').slice(0, 3)),
  ).toEqual([
    ['flagged', 'malware', flagged],
    ['clean', '', DESTINATION],
  ]);
});
