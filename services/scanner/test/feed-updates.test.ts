/** Tests polled feeds, with a local server that makes the usual mistakes. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { parseAllowed } from '@waypost/domain';
import { createMetrics } from '@waypost/telemetry';
import { listening, pause, SILENT, until } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { DEFAULT_FEEDS_FILE, feedsFrom, scannerConfig } from '../src/config.ts';
import { judge } from '../src/judge/judge.ts';
import { scannerMetrics } from '../src/metrics.ts';
import { buildGeneration } from '../src/threats/build-generation.ts';
import { feedPoller } from '../src/threats/feed-poller.ts';
import { feedStatuses, listFeeds, listQuarantine } from '../src/threats/feed-status.ts';
import { type FeedSource, parseFeedSources } from '../src/threats/feeds/feed-source.ts';
import { nextHop } from '../src/threats/feeds/fetch-feed.ts';
import { importFeed } from '../src/threats/import-feed.ts';
import { SHIPPED_FEEDS_FILE } from '../src/threats/shipped-feeds.ts';
import { openThreatStore, type ThreatStore } from '../src/threats/threat-store.ts';
import { NOW, newScanner, POLICY, started } from './scanner-kit.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
let answer: Answer;
let requests = 0;
const server = createServer((request, response) => {
  requests++;
  // The next test must not reuse a connection that this test has cut.
  response.setHeader('Connection', 'close');
  answer(request, response);
});
const url = `http://127.0.0.1:${await listening(server)}/feed.txt`;
afterAll(() => void server.close());
afterEach(() => server.closeAllConnections());

const lines = (count: number) => Array.from({ length: count }, (_, i) => `http://h${i}.example.net/x`).join('\n');
const text =
  (body: string, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/plain', ...headers }).end(body);

function sourceAt(at: string, more: Partial<FeedSource> = {}): FeedSource {
  const allowed = parseAllowed(['127.0.0.1']);
  const rest = { format: 'urls', threatType: 'phishing', everyMs: 3_600_000 } as const;
  return { name: 'live', urls: [at], ...rest, http: true, allowed, ...more };
}

async function polling(more: Partial<FeedSource> = {}, folder = newFolder()) {
  const source = sourceAt(url, more);
  let at = NOW.getTime();
  const now = () => new Date(at);
  const store = await openThreatStore(folder, {
    shippedFile: 'none',
    build: buildGeneration,
  });
  const poller = feedPoller({
    sources: [source],
    store,
    logger: SILENT,
    now,
    limits: { timeoutMs: 1_000, bytes: 100_000 },
    importFeed: (file, feed, update) =>
      importFeed({ store, ownHosts: ['sho.example.com'], now }, { file }, feed, update),
  });
  afterwards(() => poller.stop());
  return {
    store,
    poll: () => poller.poll(source),
    start: () => poller.start(),
    feeds: () => listFeeds(store, [source]),
    statuses: () => feedStatuses(store, [source], now()),
    pass: (ms: number) => {
      at += ms;
    },
  };
}

/** Removes the random delay of the first poll after a start. */
function pollAtOnce(): void {
  const random = jest.spyOn(Math, 'random').mockReturnValue(0);
  afterwards(() => random.mockRestore());
}

const LISTED = { name: 'live', last_error: null };
const generationOf = (store: ThreatStore) => store.database()?.generation;

describe('an update', () => {
  test('is imported, and is downloaded again only if it has changed', async () => {
    const { poll, store, feeds } = await polling();
    expect(feeds()).toEqual([{ ...LISTED, entries: 0, updated_at: null }]);
    answer = text(lines(10), { ETag: '"one"', 'Last-Modified': 'Fri, 20 Nov 2026 12:00:00 GMT' });
    expect(await poll()).toBe('updated');
    expect(feeds()).toEqual([{ ...LISTED, entries: 10, updated_at: '2026-11-20T12:00:00.000Z' }]);
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
    ['an error', (_, response) => void response.writeHead(500).end('oops'), 'status 500'],
    ['"not modified" though nobody asked', (_, response) => void response.writeHead(304).end(), 'status 304'],
    ['nothing there', (_, response) => void response.writeHead(404).end(), 'status 404'],
    ['a web page', text('<html>', { 'Content-Type': 'text/html; charset=utf-8' }), 'a web page'],
    ['a web page that says it is text', text('<html>\n<p>Sign in</p>'), 'cannot be parsed'],
    ['nothing', text(''), 'no entries'],
    ['a list that shrank', text(lines(4)), '4 entries where 5 to 50 were expected'],
    ['a list that swelled', text(lines(51)), '51 entries where 5 to 50 were expected'],
    ['a poisoned list', text(`${lines(10)}\nhttps://google.com/`), 'no feed may list'],
    ['more than the limit', text('#'.repeat(200_000)), 'larger than'],
    ['silence', () => {}, 'timeout'],
    [
      'a list that comes too slowly',
      (_, response) => {
        const drip = setInterval(() => response.write('http://h1.example.net/x\n'), 50);
        response.once('close', () => clearInterval(drip));
      },
      'timeout',
    ],
    [
      'a list that breaks off',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': '100000' });
        response.write(lines(10));
        setTimeout(() => response.destroy(), 20);
      },
      'ended early',
    ],
  ];
  test.each(failures)('that is %s changes nothing and is reported', async (_, bad, problem) => {
    const { poll, store, feeds } = await polling();
    answer = text(lines(10));
    await poll();
    const before = generationOf(store);
    answer = bad;
    expect(await poll()).toBe('failed');
    expect(generationOf(store)).toBe(before);
    expect(feeds()).toEqual([
      { ...LISTED, entries: 10, updated_at: NOW.toISOString(), last_error: expect.stringContaining(problem) },
    ]);
    answer = text(lines(11));
    expect(await poll()).toBe('updated');
    expect(feeds()).toMatchObject([{ entries: 11, last_error: null }]);
  });
});

describe('the age of a feed is that of its content:', () => {
  const HOUR = 3_600_000;
  const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR);

  test('"not modified" for ten periods makes it stale, and a change makes it fresh', async () => {
    const { poll, pass, statuses } = await polling();
    answer = text(lines(10), { ETag: '"one"' });
    await poll();
    answer = (_, response) => void response.writeHead(304).end();
    for (let period = 0; period < 10; period++) {
      pass(HOUR);
      expect(await poll()).toBe('unchanged');
      expect(statuses()).toMatchObject([{ stale: period >= 7, last_error: null, age_seconds: (period + 1) * 3_600 }]);
    }
    answer = text(lines(11));
    await poll();
    expect(statuses()).toMatchObject([{ stale: false, age_seconds: 0, entries: 11 }]);
  });

  test('the same list again renews nothing, whatever its `Last-Modified` says', async () => {
    const { poll, pass, statuses } = await polling();
    for (let period = 0; period < 10; period++) {
      answer = text(lines(10), { 'Last-Modified': new Date(NOW.getTime() + period * HOUR).toUTCString() });
      expect(await poll()).toBe('updated');
      pass(HOUR);
    }
    expect(statuses()).toMatchObject([{ stale: true, age_seconds: 10 * 3_600 }]);
  });

  test.each([
    ['its `Last-Modified`', lines(10), { 'Last-Modified': hoursAgo(5).toUTCString() }, 5],
    ['a date in it', `# Updated: ${hoursAgo(6).toISOString()}\n${lines(10)}`, {}, 6],
    [
      'a date in it rather than `Last-Modified`',
      `# Updated: ${hoursAgo(6).toISOString()}\n${lines(10)}`,
      { 'Last-Modified': hoursAgo(1).toUTCString() },
      6,
    ],
    ['now, if its date is in the future', `# Updated: ${hoursAgo(-6).toISOString()}\n${lines(10)}`, {}, 0],
    ['now, if it says nothing', lines(10), { 'Last-Modified': 'yesterday' }, 0],
  ])('at first by %s', async (_, list, headers, hours) => {
    const { poll, statuses } = await polling();
    answer = text(list, headers);
    await poll();
    expect(statuses()).toMatchObject([{ age_seconds: hours * 3_600 }]);
  });

  test('a date that its publisher never changes does not hide new entries', async () => {
    const { poll, pass, statuses } = await polling();
    const dated = (count: number) => text(`# Date: 2020-08-03\n${lines(count)}`);
    answer = dated(10);
    await poll();
    expect(statuses()[0]!.updated_at).toBe('2020-08-03T00:00:00.000Z');
    pass(HOUR);
    answer = dated(11);
    await poll();
    expect(statuses()).toMatchObject([{ age_seconds: 0, stale: false }]);
  });
});

describe('mirrors', () => {
  const [one, two] = [`${url}?one`, `${url}?two`];
  const DEAD = 'http://127.0.0.1:9/feed.txt';
  const byMirror =
    (first: Answer, second: Answer): Answer =>
    (request, response) =>
      (request.url!.endsWith('one') ? first : second)(request, response);

  const bad: [string, Answer][] = [
    ['is empty', text('')],
    ['answers 503', (_, response) => void response.writeHead(503).end()],
    ['does not answer in time', () => {}],
    [
      'sends 200 MB',
      (_, response) => {
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': String(200 * 1024 * 1024) });
        const more = () => void (response.destroyed || response.write('#'.repeat(60_000), () => setImmediate(more)));
        more();
      },
    ],
    ['has a list that no feed may have', text(`${lines(10)}\nhttps://google.com/`)],
  ];
  test.each(bad)('if the first %s, the second serves', async (_, first) => {
    const { poll, feeds } = await polling({ urls: [one, two] });
    answer = byMirror(first, text(lines(10)));
    expect(await poll()).toBe('updated');
    expect(feeds()).toMatchObject([{ entries: 10, last_error: null }]);
  });

  test('if the first is dead, the second serves; if both are, both are named', async () => {
    const { poll, feeds } = await polling({ urls: [DEAD, two] });
    answer = text(lines(10));
    expect(await poll()).toBe('updated');
    answer = text('');
    expect(await poll()).toBe('failed');
    expect(feeds()).toMatchObject([
      {
        entries: 10,
        last_error: expect.stringMatching(/cannot be reached.*\(mirror 1\); the list has no entries \(mirror 2\)/),
      },
    ]);
  });

  test('a mirror is asked only about what it sent itself', async () => {
    const { poll } = await polling({ urls: [one, two] });
    const conditions: unknown[] = [];
    const tagged =
      (tag: string, count: number): Answer =>
      (request, response) => {
        conditions.push([tag, request.headers['if-none-match']]);
        if (request.headers['if-none-match'] === tag) response.writeHead(304).end();
        else text(lines(count), { ETag: tag })(request, response);
      };
    answer = byMirror(tagged('"one"', 10), tagged('"two"', 10));
    await poll();
    await poll();
    answer = byMirror(text(''), tagged('"two"', 11));
    await poll();
    await poll();
    answer = byMirror(tagged('"one"', 10), tagged('"two"', 11));
    expect(await poll()).toBe('updated');
    expect(conditions).toEqual([
      ['"one"', undefined],
      ['"one"', '"one"'],
      ['"two"', undefined],
      ['"two"', '"two"'],
      ['"one"', undefined],
    ]);
  });
});

describe('a change of FEEDS', () => {
  const unlessKnown =
    (body: string, etag: string): Answer =>
    (request, response) => {
      if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
      else text(body, { ETag: etag })(request, response);
    };

  test('that corrects a threat type takes effect with the next poll, though the list has not changed', async () => {
    const folder = newFolder();
    answer = unlessKnown(lines(10), '"one"');
    await (await polling({ threatType: 'spam' }, folder)).poll();
    const { poll, store } = await polling({ threatType: 'malware' }, folder);
    expect(await poll()).toBe('updated');
    expect(judge('http://h1.example.net/x', { ...store.database()!, policy: POLICY }).threat_type).toBe('malware');
    expect(await poll()).toBe('unchanged');
  });

  test('causes a poll soon after the start, even if the feed is not due yet', async () => {
    const folder = newFolder();
    answer = text(lines(10));
    await (await polling({ threatType: 'spam' }, folder)).poll();
    pollAtOnce();
    const unchanged = await polling({ threatType: 'spam' }, folder);
    const changed = await polling({ threatType: 'malware' }, folder);
    requests = 0;
    unchanged.start();
    await pause(100);
    expect(requests).toBe(0);
    changed.start();
    await until(() => changed.store.state().feeds[0]!.threatType === 'malware');
  });

  test('to another address allows a list of any size, and later sizes are compared with this one', async () => {
    const folder = newFolder();
    answer = text(lines(100));
    await (await polling({}, folder)).poll();
    const { poll } = await polling({ urls: [`${url}?moved`] }, folder);
    answer = text(lines(3));
    expect(await poll()).toBe('updated');
    answer = text(lines(100));
    expect(await poll()).toBe('failed');
  });
});

test('a page of a much visited site waits for a review, unless a person imports it', async () => {
  const { poll, store } = await polling();
  const page = 'www.wikipedia.org/wiki/kit';
  answer = text(`${lines(10)}\nhttps://${page}\nhttps://raw.githubusercontent.com/a/b/x.exe`);
  expect(await poll()).toBe('updated');
  expect(listQuarantine(store)).toEqual([{ feed: 'live', entry: page, problem: 'a page of a popular site' }]);
  expect(store.state().feeds[0]!.entries).toBe(11);
  const kit = await newScanner();
  await kit.list('mine', [`https://${page}`]);
  expect(await kit.outcome(`https://${page}`)).toBe('flagged');
  expect(kit.listQuarantine()).toEqual([]);
});

describe('a feed that redirects', () => {
  const to =
    (location: string): Answer =>
    (request, response) =>
      void (request.url === '/feed.txt'
        ? response.writeHead(302, { Location: location }).end()
        : text(lines(3))(request, response));

  test('is followed at most three times', async () => {
    const { poll } = await polling();
    answer = ({ url: path }, response) => {
      const hop = Number(/^\/hop(\d)$/.exec(path!)?.[1] ?? 0);
      if (hop === 3) response.end(lines(3));
      else response.writeHead(302, { Location: `/hop${hop + 1}` }).end();
    };
    expect(await poll()).toBe('updated');
    answer = (_, response) => void response.writeHead(302, { Location: '/feed.txt' }).end();
    requests = 0;
    expect(await poll()).toBe('failed');
    expect(requests).toBe(4);
  });

  test.each([
    ['another address of this machine', () => url.replace('127.0.0.1', '127.0.0.2'), 'not public'],
    ['another protocol', () => 'file:///etc/passwd', 'without https'],
    ['nonsense', () => 'http://[', 'an invalid URL'],
    ['an address with a password', () => 'https://a:b@example.com/', 'an invalid URL'],
  ])('to %s gets nothing', async (_, location, problem) => {
    const { poll, feeds } = await polling({ allowed: parseAllowed(['127.0.0.1/32']) });
    answer = to(location());
    expect(await poll()).toBe('failed');
    expect(feeds()[0]!.last_error).toContain(problem);
  });

  test('never goes from https to http, and stays on http only if the feed allows it', () => {
    const [https, http] = [new URL('https://a.example.net/x'), new URL('http://a.example.net/x')];
    expect(nextHop(https, '/y', {}).href).toBe('https://a.example.net/y');
    expect(nextHop(http, 'https://b.example.net/', {}).protocol).toBe('https:');
    expect(nextHop(http, '/y', { http: true }).protocol).toBe('http:');
    expect(() => nextHop(http, '/y', {})).toThrow('without https');
    expect(() => nextHop(https, 'http://a.example.net/', { http: true })).toThrow('without https');
  });
});

describe('a feed that is not public', () => {
  test('is not fetched, unless its name or address is allowed', async () => {
    requests = 0;
    answer = text(lines(3));
    const literal = await polling({ allowed: parseAllowed([]) });
    expect(await literal.poll()).toBe('failed');
    const named = { urls: [url.replace('127.0.0.1', 'localhost')] };
    const resolved = await polling({ ...named, allowed: parseAllowed([]) });
    expect(await resolved.poll()).toBe('failed');
    expect(resolved.feeds()[0]!.last_error).toBe('the host is not public');
    expect(requests).toBe(0);
    expect(await (await polling({ ...named, allowed: parseAllowed(['localhost']) })).poll()).toBe('updated');
  });
});

test('a reported failure contains nothing that the server sent', async () => {
  const { poll, feeds } = await polling();
  for (const bad of [
    text('AccessKeyId ASIA-SECRET\nToken SECRET\u202e\u0007'),
    text('SECRET', { 'Content-Encoding': 'SECRET' }),
    text('SECRET', { 'Content-Encoding': 'gzip' }),
    (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(302, { Location: 'http://SECRET.invalid/' }).end(),
    (_: IncomingMessage, response: ServerResponse) => void response.writeHead(503, 'SECRET').end('SECRET'),
  ]) {
    answer = bad;
    expect(await poll()).toBe('failed');
    expect(feeds()[0]!.last_error).toMatch(/^the [a-zA-Z0-9 %;,()_]+$/);
    expect(feeds()[0]!.last_error).not.toContain('SECRET');
  }
});

test('reads a compressed list, and bounds its decompressed size', async () => {
  const { poll, feeds } = await polling();
  const gzip = { 'Content-Type': 'text/plain', 'Content-Encoding': 'gzip' };
  answer = (_, response) => void response.writeHead(200, gzip).end(gzipSync(lines(10)));
  expect(await poll()).toBe('updated');
  const bomb = gzipSync('#'.repeat(5_000_000));
  answer = (_, response) => void response.writeHead(200, gzip).end(bomb);
  expect(await poll()).toBe('failed');
  expect(feeds()[0]!.last_error).toContain('larger than');
});

test('a failed feed appears in the log, metrics, health and list, and its old data stays in use', async () => {
  const warned: { message: string; fields: object }[] = [];
  const logger = Object.assign(Object.create(SILENT), {
    warn: (message: string, fields: object) => warned.push({ message, fields }),
  });
  pollAtOnce();
  answer = text(`http://bad.example.net/\nhttps://google.com/`);
  const kit = await newScanner({ feeds: [sourceAt(url)], logger });
  await kit.list('live', ['http://earlier.example.net/']);
  await kit.start();
  afterwards(() => kit.stop());
  await until(() => kit.status().feeds.some((feed) => feed.last_error !== null));
  const metrics = createMetrics();
  scannerMetrics(metrics, kit.status);
  expect(warned[0]).toMatchObject({ message: 'a feed was not updated, will retry', fields: { feed: 'live' } });
  expect(warned[0]!.fields).toMatchObject({ details: { 'line 2': expect.stringContaining('https://google.com/') } });
  expect(kit.status().ok).toBe(true);
  expect(kit.status().detail).toMatch(/feeds whose last update failed: .*live/);
  expect(await metrics.text()).toContain('waypost_scanner_feed_failing{feed="live"} 1');
  expect(await kit.outcome('http://bad.example.net/')).toBe('clean');
  expect(await kit.outcome('https://google.com/')).toBe('clean');
  expect(await kit.outcome('http://earlier.example.net/')).toBe('flagged');
});

test('a feed that is switched off is not polled', async () => {
  requests = 0;
  answer = text(lines(3));
  pollAtOnce();
  await started({ feeds: [sourceAt(url)], feedsOff: ['live'] });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(requests).toBe(0);
});

test('without a network the shipped feeds are in use, and the status has their age', async () => {
  const kit = await newScanner({ shippedFeedsFile: SHIPPED_FEEDS_FILE });
  const { feeds, detail, entries } = kit.status();
  expect(entries).toBeGreaterThan(10_000);
  expect(detail).toMatch(/^the newest threat data is \d+ days old$/);
  expect(feeds.map(({ name }) => name)).toContain('urlhaus');
  for (const feed of feeds) expect(feed.age_seconds).toBeGreaterThan(0);
});

test('a running scanner polls soon after its start and then again, but never after its stop', async () => {
  const everyMs = 20;
  answer = text('http://polled.example.net/');
  requests = 0;
  pollAtOnce();
  const kit = await started({ feeds: [sourceAt(url, { everyMs })] });
  await until(() => requests > 1 && kit.listFeeds().some(({ name, entries }) => name === 'live' && entries === 1));
  expect(await kit.outcome('http://polled.example.net/x')).toBe('flagged');
  expect(kit.status().feeds.find(({ name }) => name === 'live')).toMatchObject({ age_seconds: 0, stale: false });
  await kit.stop();
  const polled = requests;
  await pause(10 * everyMs);
  expect(requests).toBe(polled);
});

const NEEDED = {
  DATABASE_URL: 'postgres://waypost@127.0.0.1/waypost',
  KAFKA_BROKERS: '127.0.0.1:9092',
  DATA_DIR: '/var/lib/waypost',
  BASE_URL: 'https://api.example.org',
  REDIRECT_BASE_URL: 'https://go.example.org',
};

describe('FEEDS', () => {
  test('is by default a readable list of feeds that may be used', () => {
    const feeds = feedsFrom(DEFAULT_FEEDS_FILE);
    expect(feeds).not.toBe('none');
    expect(scannerConfig(NEEDED).feeds).toEqual(feeds);
    const sources = feeds === 'none' ? [] : feeds;
    for (const type of ['phishing', 'malware'])
      expect(sources.filter(({ threatType }) => threatType === type).length).toBeGreaterThanOrEqual(2);
  });

  test('may be the word none', () => {
    expect(scannerConfig({ ...NEEDED, FEEDS: 'none', DESTINATION_HOSTS_ALLOWED: 'none' })).toMatchObject({
      feeds: 'none',
      destinationHostsAllowed: { hosts: [], networks: { rules: [] } },
    });
  });

  test('has a period for each feed', () => {
    const feed = { name: 'a', url: 'https://feeds.example.net/a', format: 'urls', threat_type: 'spam' };
    const every = (value: string) => parseFeedSources(JSON.stringify([{ ...feed, every: value }]))[0]!.everyMs;
    expect(['15m', '6h', '1d'].map(every)).toEqual([900_000, 21_600_000, 86_400_000]);
  });

  test('has one address for each feed, or several mirrors, and maybe a page to ask for removal', () => {
    const feed = { name: 'a', format: 'urls', threat_type: 'spam', every: '1d' };
    const [one, two] = ['https://one.example.net/a', 'https://two.example.net/a'];
    const read = (more: object) => parseFeedSources(JSON.stringify([{ ...feed, ...more }]))[0]!;
    expect(read({ url: one }).urls).toEqual([one]);
    expect(read({ urls: [one, two], removal_url: two })).toMatchObject({ urls: [one, two], removalUrl: two });
    expect(() => read({})).toThrow('at least one of [url, urls]');
    for (const wrong of [
      { url: one, urls: [two] },
      { urls: [] },
      { urls: [one, one] },
      { url: one, removal_url: 'javascript:1' },
    ])
      expect(() => read(wrong)).toThrow(/url/);
    expect(() => read({ urls: [one, 'http://two.example.net/a'] })).toThrow('without https');
  });

  test('requires https and a public host, unless a feed allows otherwise', () => {
    const feed = { name: 'a', url: 'http://feeds.intranet/a', format: 'urls', threat_type: 'spam', every: '1d' };
    const read = (more: object) => parseFeedSources(JSON.stringify([{ ...feed, ...more }]))[0]!;
    expect(() => read({})).toThrow('"a" has a URL without https');
    expect(() => read({ http: true, allow: ['10.0.0.0/33'] })).toThrow(/allow/);
    expect(read({ http: true, allow: ['feeds.intranet', '10.0.0.0/8'] })).toMatchObject({
      http: true,
      allowed: { hosts: ['feeds.intranet'], networks: { rules: ['Subnet: IPv4 10.0.0.0/8'] } },
    });
  });

  test('is refused if it has faults, and the error names every fault', () => {
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
    expect(() => scannerConfig({ OPERATOR_SOCKET: 'here.sock' })).toThrow(
      /OPERATOR_SOCKET must be none or an absolute path/,
    );
    expect(scannerConfig({ ...NEEDED, OPERATOR_SOCKET: '/run/o.sock' }).operatorSocket).toBe('/run/o.sock');
    expect(scannerConfig(NEEDED).operatorSocket).toBe('none');
  });
});

test('a start is refused on a feed to switch off that is none, and the message names it', async () => {
  const off = { feeds: [sourceAt(url)], feedsOff: ['live', 'urlhause'] };
  await expect(newScanner(off)).rejects.toThrow(/^FEEDS_OFF contains unknown feeds: urlhause$/);
});
