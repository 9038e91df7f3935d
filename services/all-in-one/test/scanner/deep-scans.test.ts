/**
 * Tests verdicts that come after the creation. A link to another shortener shows the preview page until its deep scan
 * is done (docs/scanner.md). A provider or a report causes a new verdict.
 */
import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { within } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, freshHost, freshSlug, importFeed, newLink, onLoopback, visit } from '../support.ts';
import type { Json } from '../waypost-process.ts';

/** Redirects of other shorteners. Each answers when its test resolves the promise. */
const answers = new Map<string, Promise<string>>();
const shorteners = http.createServer(async (request, response) => {
  const location = await answers.get(request.url ?? '');
  if (location === undefined) response.writeHead(404).end();
  else response.writeHead(301, { Location: location }).end();
});
const { port } = new URL(await onLoopback(shorteners));
/** This DNS server answers every name with 127.0.0.1. */
const names = dgram.createSocket('udp4', (query, { port }) => {
  const end = query.indexOf(0, 12) + 5;
  const isA = query.readUInt16BE(end - 4) === 1;
  const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const answer = isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1]) : Buffer.alloc(0);
  names.send(Buffer.concat([head, query.subarray(12, end), answer]), port, '127.0.0.1');
});
names.bind(0, '127.0.0.1');
await once(names, 'listening');
afterAll(() => void names.close());

const listing =
  (...bad: string[]) =>
  (url: string, response: http.ServerResponse) =>
    void response.end(JSON.stringify(bad.includes(url) ? { query_status: 'ok', url } : { query_status: 'no_results' }));
/** This gateway on loopback imitates URLhaus. */
let lookUp = listing();
const gateway = http.createServer(async (request, response) => {
  response.setHeader('Connection', 'close');
  lookUp(new URLSearchParams(await text(request)).get('url') ?? '', response);
});

const { waypost, api } = product({
  URLHAUS_KEY: 'key',
  PROVIDERS_URL: await onLoopback(gateway),
  DEEP_SCANS: 'redirects',
  DEEP_SCAN_HOSTS_ALLOWED: '127.0.0.1/32',
  DEEP_SCAN_PORTS: port,
  DEEP_SCAN_DNS: `127.0.0.1:${names.address().port}`,
});

/** Returns a short URL of another shortener. It redirects when the test calls `lead`. */
function shortLink(host = 'bit.ly') {
  const slug = freshSlug('deep');
  const { promise, resolve: lead } = Promise.withResolvers<string>();
  answers.set(`/${slug}`, promise);
  return { slug, destination_url: `http://${host}:${port}/${slug}`, lead };
}
async function shortened(host?: string) {
  const { slug, destination_url, lead } = shortLink(host);
  return { slug, destination_url, link: await newLink(api, { destination_url, custom_slug: slug }), lead };
}
const read = async (slug: string) => (await api('GET', `/api/v1/links/${slug}`)).body;
const visited = (slug: string, status: number) =>
  comesTo(() => visit(waypost.redirect, `/${slug}`), { status }, 15_000);
const scanned = (slug: string, withinMs = 15_000) => comesTo(() => read(slug), { deep_scan: 'done' }, withinMs);

beforeAll(() => importFeed(waypost, 'http://listed.example.net/malware.exe', { name: 'listed' }));

test('a link to another shortener shows the preview page until its final address is known', async () => {
  const { slug, destination_url, link, lead } = await shortened();
  expect(link).toMatchObject({ status: 'active', deep_scan: 'queued', preview_first: true });
  const first = await visit(waypost.redirect, `/${slug}`);
  expect([first.status, first.headers.location]).toEqual([200, undefined]);
  expect(first.text).toContain(destination_url);
  const button = /href="([^"]+pass=[^"]+)"/.exec(first.text)![1]!;
  expect(await visit(waypost.redirect, button)).toMatchObject({ status: 302, headers: { location: destination_url } });

  lead('https://www.wikipedia.org/');
  expect((await visited(slug, 302)).headers.location).toBe(destination_url);
  const after = await scanned(slug);
  expect(after).toMatchObject({ status: 'active', threat_type: null, deep_scan: 'done', preview_first: false });
  expect(after.updated_at).toBe(link.updated_at);
});

test('a link whose final address is listed is flagged, and an administrator can clear it', async () => {
  const { slug, lead } = await shortened('t.co');
  lead('http://listed.example.net/malware.exe?from=short');
  expect(await visited(slug, 403)).toMatchObject({ status: 403 });
  expect(await scanned(slug)).toMatchObject({ status: 'flagged', threat_type: 'malware', preview_first: false });

  const reviewed = await waypost.admin<Json>('review', { slug, decision: 'clear', reason: 'a test of our own' });
  expect(reviewed).toMatchObject({ status: 'active', deep_scan: 'done' });
});

describe('a link that becomes bad later', () => {
  test('is created although a provider is away, and is judged again after a report', async () => {
    const destination_url = `https://${freshHost('away')}/`;
    lookUp = () => {};
    let slug = '';
    await within(1_000, async () => {
      const { status, body } = await api('POST', '/api/v1/links', { destination_url });
      expect([status, body.link.status]).toEqual([201, 'active']);
      slug = body.link.slug;
    });
    lookUp = listing(destination_url);
    const report = new URLSearchParams({ link: slug, about: 'report', category: 'malware', message: '' });
    expect((await fetch(`${waypost.api}/report`, { method: 'POST', redirect: 'manual', body: report })).status).toBe(
      303,
    );
    expect(await comesTo(() => read(slug), { status: 'flagged' }, 20_000)).toMatchObject({ threat_type: 'malware' });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
  });
});
