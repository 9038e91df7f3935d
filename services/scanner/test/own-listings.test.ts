/** Tests lists that name this service: its hosts and its short links, in polls from a local server. */
import { hash } from 'node:crypto';
import { createServer } from 'node:http';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { parseAllowed, type UrlPolicy } from '@waypost/domain';
import { createMetrics } from '@waypost/telemetry';
import { listening, SILENT, until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { scannerMetrics } from '../src/metrics.ts';
import { DELIST_AFTER_MS } from '../src/recheck/delist-links.ts';
import type { FeedSource } from '../src/threats/feeds/feed-source.ts';
import type { FeedFormat } from '../src/threats/feeds/formats.ts';
import { type Kit, NOW, newScanner, POLICY, settled, started, testLinks } from './scanner-kit.ts';

let body = '';
const server = createServer((request, response) => {
  const etag = `"${hash('sha256', body)}"`;
  response.setHeader('Connection', 'close').setHeader('ETag', etag);
  response.writeHead(request.headers['if-none-match'] === etag ? 304 : 200).end(body);
});
const url = `http://127.0.0.1:${await listening(server)}/list`;
afterAll(() => void server.close());

const policy: UrlPolicy = { ...POLICY, ownHosts: ['go.example.org:443', 'app.example.org:443', 'alias.example'] };
const DESTINATION = 'https://harmless.example.net/page';
const ADDRESSES = ['example.org', 'x.go.example.org', 'go.example.org', 'alias.example'];
const good = Array.from({ length: 20 }, (_, i) => `h${i}.example.net`);

/** The lines of a list with these hosts and addresses, in each format. Hosts have no path, the others have one. */
const FORMATS: Record<FeedFormat, (names: readonly string[]) => string> = {
  urls: (names) => names.map((name) => `https://${name}`).join('\n'),
  hosts: (names) => names.map((name) => `0.0.0.0 ${name}`).join('\n'),
  'urlhaus-csv': (names) => names.map((name, id) => `"${id}","2026-11-21","http://${name}","online"`).join('\n'),
  adblock: (names) => names.map((name) => `||${name}^$all`).join('\n'),
  json: (names) => JSON.stringify(names),
};

const source = (format: FeedFormat): FeedSource => ({
  name: 'list',
  urls: [url],
  format,
  threatType: 'scam',
  everyMs: 30,
  http: true,
  allowed: parseAllowed(['127.0.0.1']),
  removalUrl: 'https://lists.example.net/remove',
});

/** Starts a scanner that polls the list again and again. */
async function polling(format: FeedFormat, logger = SILENT): Promise<Kit> {
  body = FORMATS[format](good);
  const random = jest.spyOn(Math, 'random').mockReturnValue(0);
  afterwards(() => random.mockRestore());
  const kit = await started({ policy, logger, feeds: [source(format)] });
  await until(() => kit.listFeeds().some(({ name, entries }) => name === 'list' && entries > 0));
  return kit;
}

const listOf = (kit: Kit) => kit.status().feeds.find(({ name }) => name === 'list')!;

describe('a list that names this service', () => {
  test.each(Object.keys(FORMATS) as FeedFormat[])(
    'as %s is taken; its listed short link alone is flagged, and the alert rings',
    async (format) => {
      const errors: object[] = [];
      const logger = Object.assign(Object.create(SILENT), {
        error: (_: string, fields: object) => errors.push(fields),
      });
      const names = format === 'hosts' ? [] : ['GO.example.org/listed1', 'alias.example/revoked'];
      const kit = await polling(format, logger);
      for (const slug of ['listed1', 'other22', 'revoked']) await kit.createLink(slug, DESTINATION);
      await kit.changeLink('revoked', 'link.revoked');
      body = FORMATS[format]([...good, ...ADDRESSES, ...names]);
      await until(() => listOf(kit).own_addresses.length > 0);
      await settled(kit);
      expect(listOf(kit)).toMatchObject({ entries: 20 + names.length, quarantined: 0, last_error: null });
      expect(
        kit.bus.published.map(({ type, slug, threat_type, reasons }) => ({ type, slug, threat_type, reasons })),
      ).toEqual(
        format === 'hosts'
          ? []
          : [
              {
                type: 'threat.found',
                slug: 'listed1',
                threat_type: 'scam',
                reasons: [{ rule: 'feed:list', evidence: 'names this short link itself', threat_type: 'scam' }],
              },
            ],
      );
      expect(await kit.outcome(`https://${good[0]}/x`)).toBe('flagged');
      expect(await kit.outcome('https://www.example.org/')).toBe('clean');
      expect(await kit.outcome(DESTINATION)).toBe('clean');
      expect(listOf(kit).own_addresses).toEqual(
        ADDRESSES.map((name) => ({ entry: `${name}/`, since: NOW.toISOString() })),
      );
      expect(errors).toEqual([{ feed: 'list', addresses: ADDRESSES.map((name) => `${name}/`) }]);
      const metrics = createMetrics();
      scannerMetrics(metrics, kit.status);
      expect(await metrics.text()).toContain('own_entries{feed="list",kind="address"} 4');
      expect(await metrics.text()).toContain(`own_entries{feed="list",kind="link"} ${names.length}`);
      expect(kit.status()).toMatchObject({ ok: true, detail: expect.stringContaining('feeds that list this service') });
    },
  );

  test('has the page of its publisher for removals beside its entries', async () => {
    const kit = await polling('urls');
    body = FORMATS.urls([...good, 'go.example.org', 'go.example.org/listed1']);
    await until(() => listOf(kit).own_addresses.length > 0);
    expect(await kit.feeds.list()).toContainEqual(
      expect.objectContaining({
        name: 'list',
        entries: 21,
        last_error: null,
        own_addresses: [{ entry: 'go.example.org/', since: NOW.toISOString() }],
        own_links: [{ entry: 'listed1', since: NOW.toISOString() }],
        removal_url: 'https://lists.example.net/remove',
      }),
    );
  });

  test('is taken even if it names nothing else', async () => {
    const kit = await newScanner({ policy });
    await kit.list('list', ['https://go.example.org/']);
    expect(listOf(kit)).toMatchObject({ entries: 0, own_addresses: [{ entry: 'go.example.org/' }] });
  });

  test('keeps the time of its first entry over updates and restarts, and forgets what it dropped', async () => {
    let at = NOW;
    const kit = await newScanner({ policy, now: () => at });
    await kit.list('list', ['https://go.example.org/', 'https://app.example.org/', 'https://go.example.org/listed1']);
    at = new Date(NOW.getTime() + 3_600_000);
    await kit.list('list', [
      'https://go.example.org/',
      'https://go.example.org/other22',
      ...good.map((h) => `http://${h}/`),
    ]);
    const again = await newScanner({ policy, now: () => at, dataDir: kit.dataDir });
    expect(listOf(again)).toMatchObject({
      own_addresses: [{ entry: 'go.example.org/', since: NOW.toISOString() }],
      own_links: [{ entry: 'other22', since: at.toISOString() }],
    });
  });

  test('with a public suffix above our hosts is still refused', async () => {
    const kit = await newScanner({ policy });
    await expect(kit.list('list', ['org', ...good], { format: 'hosts' })).rejects.toThrow('no feed may list');
  });
});

describe('an entry', () => {
  const links = (entries: readonly string[]) =>
    newScanner({ policy }).then(async (kit) => {
      await kit.list('list', [...good, ...entries]);
      return { slugs: listOf(kit).own_links.map(({ entry }) => entry), own: listOf(kit).own_addresses.length };
    });

  test.each([
    'http://go.example.org/listed1',
    'HTTPS://GO.EXAMPLE.ORG:8443/listed1',
    'https://go.example.org./listed1',
    'go.example.org/listed1?utm=1',
    'https://go.example.org/listed1/',
    'https://go.example.org/listed1+',
    'https://go.example.org//listed1%E2%80%9D)',
    'https://go.example.org/%6cisted1#x',
    'https://app.example.org/listed1',
    'https://alias.example/listed1',
  ])('%s names the short link that a redirector would read', async (entry) => {
    expect(await links([entry])).toEqual({ slugs: ['listed1'], own: 0 });
  });

  test.each([
    ['a page of the service', 'https://app.example.org/login'],
    ['a page below it', 'https://go.example.org/report/listed1'],
    ['an address at a subdomain', 'https://www.go.example.org/listed1'],
  ])('for %s is an address of the service and no link', async (_, entry) => {
    expect(await links([entry])).toEqual({ slugs: [], own: 1 });
  });

  test('for a page at a parent is as any other', async () => {
    const kit = await newScanner({ policy });
    await kit.list('list', ['https://example.org/listed1']);
    expect(listOf(kit)).toMatchObject({ entries: 1, own_addresses: [], own_links: [] });
    expect(await kit.outcome('https://example.org/listed1')).toBe('flagged');
  });
});

test('a link that is created with a listed slug is flagged at once', async () => {
  const kit = await started({ policy });
  await kit.list('list', ['https://go.example.org/taken11', ...good]);
  await kit.createLink('taken11', DESTINATION);
  await kit.createLink('other22', DESTINATION);
  expect(kit.bus.published.map(({ slug }) => slug)).toEqual(['taken11']);
});

test('a short link that its list has not named for 72 hours is cleared as any other', async () => {
  let at = NOW.getTime();
  const now = () => new Date(at);
  const links = testLinks();
  const kit = await started({ policy, links, now });
  await kit.list('list', ['https://go.example.org/listed1', ...good]);
  await kit.createLink('listed1', DESTINATION);
  await kit.changeLink('listed1', 'link.flagged');
  await kit.list('list', good);
  await kit.stop();
  at += DELIST_AFTER_MS + 1_000;
  const later = await started({ policy, links, now, dataDir: kit.dataDir });
  await until(() => later.bus.published.length > 0);
  expect(later.bus.published).toEqual([expect.objectContaining({ type: 'threat.gone', slug: 'listed1' })]);
});
