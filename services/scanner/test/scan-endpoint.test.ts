/** Tests the scanner as link-api calls it: in the same process and over HTTP. */
import { createServer } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { httpUrlScanner } from '@waypost/adapter-http';
import { type UrlScannerUnderTest, urlScannerContract } from '@waypost/contracts';
import type { UrlScanner } from '@waypost/ports';
import { listening, SILENT } from '@waypost/test-support';
import express from 'express';
import request from 'supertest';
import { type Kit, newScanner } from './scanner-kit.ts';

const kit = await newScanner();
const app = express().use(kit.router);

const postAs = (type: string, body: string) => request(app).post('/scan').set('Content-Type', type).send(body);
const postRaw = (json: string) => postAs('application/json', json);
const post = (body: unknown) => postRaw(JSON.stringify(body));

async function cpuMsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

describe('POST /scan', () => {
  test('refuses more than 500 URLs, and names this limit', async () => {
    const { body } = await post({ urls: new Array(501).fill('https://example.com/') });
    expect(body).toEqual({ error: 'bad_request', status: 400, message: expect.stringContaining('1 to 500') });
  });

  const megabytes = 2 * 1024 * 1024;
  const bombs: [string, () => string][] = [
    ['many fields', () => `{${Array.from({ length: megabytes / 12 }, (_, i) => `"field${i}":1`).join(',')}}`],
    ['numbers for URLs', () => `{"urls":[${'1,'.repeat(megabytes / 2)}1]}`],
    ['brackets for URLs', () => `{"urls":${'['.repeat(megabytes / 2)}${']'.repeat(megabytes / 2)}}`],
    ['brackets', () => '['.repeat(megabytes / 2) + ']'.repeat(megabytes / 2)],
    ['objects in one another', () => `{"urls":${'{"a":'.repeat(megabytes / 6)}1${'}'.repeat(megabytes / 6)}}`],
    ['a name', () => `{"${'x'.repeat(megabytes)}":1}`],
    ['names that are methods', () => '{"__proto__":{"urls":["http://a.com/"]},"constructor":1,"toString":1,"urls":[]}'],
  ];
  test.each(bombs)('answers 400 at once to a body of %s', async (_, bodyOf) => {
    const raw = bodyOf();
    let answer: Awaited<ReturnType<typeof postRaw>> | undefined;
    const ratios: number[] = [];
    for (let i = 0; i < 3; i++) {
      const parsing = await cpuMsOf(() => JSON.parse(raw));
      const cost = await cpuMsOf(async () => {
        answer = await postRaw(raw);
      });
      ratios.push((cost - 100) / parsing);
    }
    expect([answer!.status, answer!.body.error]).toEqual([400, 'bad_request']);
    expect(answer!.text.length).toBeLessThan(2_000);
    // Reading such a body may cost as much as parsing it, on a machine of any speed.
    expect(Math.min(...ratios)).toBeLessThan(8);
  });

  test.each([
    ...['', 'null', '[]', '"https://example.com"', '{', '{"urls":NaN}', '{"urls":[]}', '{"urls":null}'],
    ...['{"urls":"https://example.com"}', '{"Urls":["https://example.com"]}'],
    ...['{"__proto__":{"urls":["https://example.com"]}}', '{"urls":["https://example.com",null]}'],
    ...['{"urls":["https://example.com",{"toString":"x"}]}', '{"urls":[["https://example.com"]]}'],
  ])('refuses the body %j', async (raw) => {
    const { status, body } = await postRaw(raw);
    expect([status, body.status, body.error]).toEqual([400, 400, 'bad_request']);
  });

  test('refuses other content types, other methods and large bodies', async () => {
    const text = await postAs('text/plain', 'x');
    expect([text.status, text.body.error]).toEqual([415, 'unsupported_media_type']);
    const none = await request(app).post('/scan');
    expect([none.status, none.body.error]).toEqual([415, 'unsupported_media_type']);
    const get = await request(app).get('/scan');
    expect([get.status, get.body.error, get.headers.allow]).toEqual([405, 'method_not_allowed', 'POST']);
    const large = await post({ urls: ['x'.repeat(5_000_000)] });
    expect([large.status, large.body.error]).toEqual([413, 'payload_too_large']);
  });

  test('answers 503 without a threat database', async () => {
    const bare = await newScanner({ shippedFeedsFile: '/nonexistent/shipped.bin' });
    expect(bare.status()).toMatchObject({ ok: false, entries: 0, generation: null });
    const { status, body, headers } = await request(express().use(bare.router))
      .post('/scan')
      .send({ urls: ['https://example.com/'] });
    expect([status, body.error, headers['retry-after']]).toEqual([503, 'service_unavailable', '5']);
  });
});

type Connect = (kit: Kit) => Promise<{ readonly scanner: UrlScanner; close(): Promise<void> }>;

const inProcess: Connect = async ({ scanner }) => ({ scanner, close: async () => undefined });
const overHttp: Connect = async ({ router }) => {
  const server = createServer(express().use(router));
  const url = `http://127.0.0.1:${await listening(server)}`;
  const scanner = httpUrlScanner({ url, logger: SILENT, budgetMs: 10_000 });
  return {
    scanner,
    async close() {
      await scanner.stop();
      server.close();
    },
  };
};

async function open(connect: Connect): Promise<UrlScannerUnderTest> {
  const kit = await newScanner();
  const empty = await newScanner({ shippedFeedsFile: '/nonexistent' });
  const connections = [await connect(kit), await connect(empty)] as const;
  const listed: string[] = [];
  return {
    scanner: connections[0].scanner,
    withoutData: connections[1].scanner,
    list: (url, threatType) => kit.list(`feed-${listed.push(url)}`, [url], { threatType }),
    close: async () => void (await Promise.all(connections.map(({ close }) => close()))),
  };
}

urlScannerContract('in process', () => open(inProcess));
urlScannerContract('over HTTP', () => open(overHttp));
