import http from 'node:http';
import { describe, expect, test } from '@jest/globals';
import type { UrlScanner } from '@waypost/ports';
import { listening, SILENT, within } from '@waypost/test-support';
import { afterwards, serve } from '@waypost/test-support/afterwards';
import { type HttpUrlScanner, type HttpUrlScannerOptions, httpUrlScanner } from '../src/index.ts';

const UNAVAILABLE = { name: 'DomainError', code: 'unavailable', retryAfterSeconds: expect.any(Number) };

async function counted(listener: http.RequestListener) {
  let [connections, requests] = [0, 0];
  const server = http.createServer((request, response) => {
    requests += 1;
    listener(request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  afterwards(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${await listening(server)}`;
  return { url, connections: () => connections, requests: () => requests };
}

function connect(url: string, overrides: Partial<HttpUrlScannerOptions> = {}): HttpUrlScanner {
  const scanner = httpUrlScanner({ url, logger: SILENT, budgetMs: 400, ...overrides });
  afterwards(() => scanner.stop());
  return scanner;
}

const VERDICT = { url: 'https://example.com/', outcome: 'clean', threat_type: null, reasons: [] };
const scanOne = (scanner: UrlScanner) => scanner.scan([VERDICT.url]);
const json =
  (body: unknown, status = 200, headers = {}): http.RequestListener =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };

describe('the scanner over HTTP', () => {
  test('reuses one connection, and opens a new one when the scanner has closed it', async () => {
    let seen = 0;
    const server = await counted((request, response) => {
      seen += 1;
      request.resume();
      // After every fifth request the server answers and then closes the connection without notice.
      json({ generation: 'g', verdicts: [VERDICT] })(request, response);
      if (seen % 5 === 0) response.on('finish', () => setTimeout(() => request.socket.destroy(), 1));
    });
    const scanner = connect(server.url, { budgetMs: 5_000 });
    for (let i = 0; i < 30; i++) {
      expect((await scanOne(scanner)).generation).toBe('g');
      if (i % 3 === 0) await new Promise((resolve) => setTimeout(resolve, 3));
    }
    expect(server.connections()).toBeLessThanOrEqual(8);
  });

  test.each<readonly [string, http.RequestListener]>([
    ['hangs', () => undefined],
    ['answers 500', json({}, 500)],
    ['answers 404', json({}, 404)],
    ['redirects', json({}, 302, { location: 'http://127.0.0.1:1/' })],
    ['answers with something other than JSON', (_, response) => response.end('<html>')],
    ['hangs up', (request) => request.socket.destroy()],
    [
      'hangs up in its answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '500' });
        response.write('{"generation":"g","verdicts":[');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    [
      'stops in its answer',
      (_, response) => {
        response.writeHead(200, { 'content-length': '500' });
        response.write('{"generation":');
      },
    ],
    [
      'drips',
      (_, response) => {
        const drip = setInterval(() => response.write(' '), 50);
        response.on('close', () => clearInterval(drip));
      },
    ],
    [
      'does not end',
      (_, response) => {
        const flood = () => {
          while (response.write(Buffer.alloc(1 << 20, 32)));
          response.once('drain', flood);
        };
        flood();
      },
    ],
  ])('a scanner that %s is reported as `unavailable` within the time limit', async (_, listener) => {
    const url = await serve(listener);
    await within(900, () => expect(scanOne(connect(url))).rejects.toMatchObject(UNAVAILABLE));
  });

  test.each<readonly [string, unknown]>([
    ['null', null],
    ['a list', [VERDICT]],
    ['no generation', { verdicts: [VERDICT] }],
    ['too few verdicts', { generation: 'g', verdicts: [] }],
    ['too many verdicts', { generation: 'g', verdicts: [VERDICT, VERDICT] }],
    ['a verdict on something else', { generation: 'g', verdicts: [{ ...VERDICT, url: 'https://example.org/' }] }],
    ['an unknown outcome', { generation: 'g', verdicts: [{ ...VERDICT, outcome: 'fine' }] }],
    ['flagged without a threat', { generation: 'g', verdicts: [{ ...VERDICT, outcome: 'flagged' }] }],
    ['clean with a threat', { generation: 'g', verdicts: [{ ...VERDICT, threat_type: 'malware' }] }],
    ['no reasons', { generation: 'g', verdicts: [{ ...VERDICT, reasons: undefined }] }],
    ['reasons of another shape', { generation: 'g', verdicts: [{ ...VERDICT, reasons: ['x'] }] }],
  ])('a response with %s is rejected', async (_, body) => {
    const url = await serve(json(body));
    await expect(scanOne(connect(url))).rejects.toMatchObject(UNAVAILABLE);
  });

  test('an unreachable scanner is `unavailable`, and health shows it', async () => {
    const scanner = connect('http://127.0.0.1:1');
    await expect(scanOne(scanner)).rejects.toMatchObject(UNAVAILABLE);
    expect(await scanner.health()).toMatchObject({ ok: false, detail: expect.any(String) });
    const url = await serve(json({ status: 'ready' }));
    expect(await connect(url).health()).toEqual({ ok: true });
  });

  test('Retry-After is passed on, and no request is sent before it has passed', async () => {
    let now = 0;
    let isBusy = true;
    const server = await counted((request, response) =>
      (isBusy ? json({}, 503, { 'retry-after': '7' }) : json({ generation: 'g', verdicts: [VERDICT] }))(
        request,
        response,
      ),
    );
    const scanner = connect(server.url, { monotonicMs: () => now });
    await expect(scanOne(scanner)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfterSeconds: 7 });
    isBusy = false;
    now = 6_500;
    await expect(scanOne(scanner)).rejects.toMatchObject({ ...UNAVAILABLE, retryAfterSeconds: 1 });
    expect(server.requests()).toBe(1);
    now = 7_000;
    await expect(scanOne(scanner)).resolves.toMatchObject({ generation: 'g' });
  });

  test('three failures in a row stop all requests for a second, and one success resets the count', async () => {
    let now = 0;
    let isBroken = true;
    const server = await counted((request, response) =>
      json(isBroken ? {} : { generation: 'g', verdicts: [VERDICT] }, isBroken ? 500 : 200)(request, response),
    );
    const scanner = connect(server.url, { monotonicMs: () => now });
    for (let i = 0; i < 10; i++) await expect(scanOne(scanner)).rejects.toMatchObject(UNAVAILABLE);
    expect(server.requests()).toBe(3);
    now = 1_000;
    for (let i = 0; i < 5; i++) await expect(scanOne(scanner)).rejects.toMatchObject(UNAVAILABLE);
    expect(server.requests()).toBe(4);
    now = 2_000;
    isBroken = false;
    await scanOne(scanner);
    isBroken = true;
    for (let i = 0; i < 2; i++) await expect(scanOne(scanner)).rejects.toMatchObject(UNAVAILABLE);
    isBroken = false;
    await scanOne(scanner);
  });

  test('only the first few callers wait for a scanner that hangs', async () => {
    const server = await counted(() => undefined);
    await within(1_500, async () => {
      const scanner = connect(server.url, { budgetMs: 150 });
      for (let i = 0; i < 20; i++) await expect(scanOne(scanner)).rejects.toMatchObject(UNAVAILABLE);
    });
  });
});

describe('feeds', () => {
  const FEED = {
    name: 'urlhaus',
    entries: 3,
    updated_at: '2026-11-21T09:30:00.000Z',
    age_seconds: 5,
    stale: false,
    last_error: null,
    own_addresses: [{ entry: 'go.example/', since: '2026-11-21T09:30:00.000Z' }],
    own_links: [],
    removal_url: null,
  };

  test('are those that the scanner lists', async () => {
    const never = { ...FEED, updated_at: null, age_seconds: null, last_error: 'no answer' };
    const url = await serve((request, response) => {
      if (request.url === '/feeds') json({ feeds: [FEED, never] })(request, response);
      else json({}, 404)(request, response);
    });
    expect(await connect(url).feeds.list()).toEqual([FEED, never]);
  });

  test.each([
    ['an error', json({ error: 'internal_error' }, 500)],
    ['no list', json({ feeds: {} })],
    ['a feed without its entries', json({ feeds: [{ ...FEED, entries: undefined }] })],
    ['a feed with an odd own entry', json({ feeds: [{ ...FEED, own_links: ['k7Qm2Rx'] }] })],
    ['a feed with an odd time', json({ feeds: [{ ...FEED, updated_at: 5 }] })],
    ['nothing', ((request) => request.socket.destroy()) as http.RequestListener],
  ])('are `unavailable` when the answer is %s, and scans continue', async (_what, listener) => {
    const url = await serve((request, response) =>
      request.url === '/scan'
        ? json({ generation: '1', verdicts: [VERDICT] })(request, response)
        : listener(request, response),
    );
    const scanner = connect(url);
    for (let i = 0; i < 5; i++) await expect(scanner.feeds.list()).rejects.toMatchObject(UNAVAILABLE);
    expect((await scanOne(scanner)).verdicts).toEqual([VERDICT]);
  });
});
