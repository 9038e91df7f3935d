/** Polled feeds against a server on loopback that behaves as servers do. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { DEFAULT_FEEDS_FILE, feedsFrom, scannerConfig } from '../src/config.ts';
import { type FeedSource, parseFeedSources } from '../src/feeds/feed-source.ts';
import { feedPoller } from '../src/feeds/poller.ts';
import { buildGeneration } from '../src/threat-index/build-generation.ts';
import { openThreatStore, type ThreatStore } from '../src/threat-index/threat-store.ts';
import { importFeed } from '../src/use-cases/import-feed.ts';
import { listFeeds } from '../src/use-cases/list-feeds.ts';
import { NOW, newFolder, newScanner, SILENT, until } from './scanner-kit.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answer: Answer;
let asked = 0;
const server = createServer((request, response) => {
  asked++;
  // A connection kept for the next test would be one that this test has cut.
  response.setHeader('Connection', 'close');
  answer(request, response);
});
let url: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed.txt`;
});
afterAll(() => void server.close());
afterEach(() => server.closeAllConnections());

const lines = (count: number) => Array.from({ length: count }, (_, i) => `http://h${i}.example.net/x`).join('\n');
const text =
  (body: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/plain', ...headers }).end(body);

async function polling() {
  const source: FeedSource = { name: 'live', url, format: 'urls', threatType: 'phishing', everyMs: 3_600_000 };
  const store = await openThreatStore(newFolder(), {
    shippedFile: 'none',
    build: buildGeneration,
  });
  const poller = feedPoller({
    sources: [source],
    store,
    logger: SILENT,
    now: () => NOW,
    limits: { timeoutMs: 300, bytes: 100_000 },
    importFeed: (file, feed, update) => importFeed({ store, ownHosts: [], now: () => NOW }, { file }, feed, update),
  });
  return { store, poll: () => poller.poll(source), feeds: () => listFeeds(store, [source]) };
}

const generationOf = (store: ThreatStore) => store.database()?.generation;

describe('an update', () => {
  test('is taken, and asked for again only if it changed', async () => {
    const { poll, store, feeds } = await polling();
    expect(feeds()).toEqual([{ name: 'live', entries: 0, updated_at: null, last_error: null }]);
    answer = text(lines(10), { ETag: '"one"', 'Last-Modified': 'Fri, 20 Nov 2026 12:00:00 GMT' });
    expect(await poll()).toBe('updated');
    expect(feeds()).toEqual([{ name: 'live', entries: 10, updated_at: NOW.toISOString(), last_error: null }]);
    const before = generationOf(store);
    answer = (request, response) => {
      expect(request.headers).toMatchObject({
        'if-none-match': '"one"',
        'if-modified-since': 'Fri, 20 Nov 2026 12:00:00 GMT',
      });
      response.writeHead(304).end();
    };
    expect(await poll()).toBe('unchanged');
    expect(generationOf(store)).toBe(before);
  });

  const failures: [string, Answer, string][] = [
    ['an error', (_, response) => void response.writeHead(500).end('oops'), 'answered 500'],
    ['nothing there', (_, response) => void response.writeHead(404).end(), 'answered 404'],
    ['a web page', text('<html>', { 'Content-Type': 'text/html; charset=utf-8' }), 'a web page'],
    ['a web page that says it is text', text('<html>\n<p>Sign in</p>'), 'cannot be read'],
    ['nothing', text(''), 'no entries'],
    ['a list that shrank', text(lines(4)), '4 entries where 5 to 50 were expected'],
    ['a list that swelled', text(lines(51)), '51 entries where 5 to 50 were expected'],
    ['a poisoned list', text(`${lines(10)}\nhttps://google.com/`), 'no feed may list'],
    ['more than the limit', text('#'.repeat(200_000)), 'larger than'],
    ['silence', () => {}, 'timeout'],
    [
      'a list that breaks off',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '100000' });
        response.write(lines(10));
        setTimeout(() => response.destroy(), 20);
      },
      'terminated',
    ],
  ];
  test.each(failures)('that is %s changes nothing and is told', async (_, bad, problem) => {
    const { poll, store, feeds } = await polling();
    answer = text(lines(10));
    await poll();
    const before = generationOf(store);
    answer = bad;
    expect(await poll()).toBe('failed');
    expect(generationOf(store)).toBe(before);
    expect(feeds()).toEqual([
      { name: 'live', entries: 10, updated_at: NOW.toISOString(), last_error: expect.stringContaining(problem) },
    ]);
    answer = text(lines(11));
    expect(await poll()).toBe('updated');
    expect(feeds()).toMatchObject([{ entries: 11, last_error: null }]);
  });
});

test('a running scanner asks by itself, soon after its start, and no more after its stop', async () => {
  answer = text('http://polled.example.net/');
  asked = 0;
  const source: FeedSource = { name: 'live', url, format: 'urls', threatType: 'phishing', everyMs: 3_600_000 };
  const random = Math.random;
  Math.random = () => 0;
  try {
    const kit = await newScanner({ feeds: [source] });
    await kit.start();
    await until(() => asked > 0 && kit.listFeeds().some(({ name, entries }) => name === 'live' && entries === 1));
    expect(await kit.outcome('http://polled.example.net/x')).toBe('flagged');
    expect(kit.status().feeds.find(({ name }) => name === 'live')).toMatchObject({ ageSeconds: 0, stale: false });
    await kit.stop();
  } finally {
    Math.random = random;
  }
});

const NEEDED = {
  DATABASE_URL: 'postgres://waypost@127.0.0.1/waypost',
  KAFKA_BROKERS: '127.0.0.1:9092',
  DATA_DIR: '/var/lib/waypost',
  BASE_URL: 'https://api.example.org',
  REDIRECT_BASE_URL: 'https://go.example.org',
};

describe('FEEDS', () => {
  test('is by default a list that can be read, of feeds that may be used', () => {
    const feeds = feedsFrom(DEFAULT_FEEDS_FILE);
    expect(feeds).not.toBe('none');
    expect(scannerConfig(NEEDED).FEEDS).toEqual(feeds);
  });

  test('may be none', () => {
    expect(scannerConfig({ ...NEEDED, FEEDS: 'none', DESTINATION_HOSTS_ALLOWED: 'none' })).toMatchObject({
      FEEDS: 'none',
      DESTINATION_HOSTS_ALLOWED: { hosts: [], cidrs: [] },
    });
  });

  test('reads its periods', () => {
    const feed = { name: 'a', url: 'https://feeds.example.net/a', format: 'urls', threat_type: 'spam' };
    const every = (value: string) => parseFeedSources(JSON.stringify([{ ...feed, every: value }]))[0]!.everyMs;
    expect(['15m', '6h', '1d'].map(every)).toEqual([900_000, 21_600_000, 86_400_000]);
  });

  test('that is wrong is refused with every fault', () => {
    const bad = [
      { name: 'a', url: 'ftp://x.example.net/', format: 'csv', threat_type: 'spam', every: '5s' },
      { name: 'a', url: 'https://x.example.net/', format: 'urls', threat_type: 'bad', every: '1d', more: 1 },
    ];
    expect(() => parseFeedSources(JSON.stringify(bad))).toThrow(/url.*format.*every.*threat_type.*more.*duplicate/s);
    expect(() => parseFeedSources('{')).toThrow('is not JSON');
  });

  test('and the allowed hosts are both named when both are wrong', () => {
    const wrong = { ...NEEDED, FEEDS: '/nonexistent.json', DESTINATION_HOSTS_ALLOWED: 'a b' };
    expect(() => scannerConfig(wrong)).toThrow(/FEEDS .*nonexistent/);
    expect(() => scannerConfig(wrong)).toThrow(/DESTINATION_HOSTS_ALLOWED .*"a b"/);
    // and what is missing
    expect(() => scannerConfig({ OPERATOR_SOCKET: 'here.sock' })).toThrow(
      /OPERATOR_SOCKET must be none or an absolute path/,
    );
    expect(scannerConfig({ ...NEEDED, OPERATOR_SOCKET: '/run/o.sock' }).OPERATOR_SOCKET).toBe('/run/o.sock');
    expect(scannerConfig(NEEDED).OPERATOR_SOCKET).toBe('none');
  });
});
