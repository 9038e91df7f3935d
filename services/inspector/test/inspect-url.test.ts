/** Tests single requests to a hostile server: the inspector refuses addresses and keeps its limits. */
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { NO_ALLOWED_HOSTS, parseAllowed } from '@waypost/domain';
import type { Inspection } from '@waypost/ports';
import { within } from '@waypost/test-support';
import { type InspectDeps, inspectUrl } from '../src/inspect-url.ts';
import { registrableDomain } from '../src/inspector.ts';
import { hostileServer } from './hostile-server.ts';

const server = await hostileServer();

const BOUNDS = { timeoutMs: 400, bodyBytes: 8 * 1024 };
/** The timeout is long, so that the limit of bytes ends the request. */
const PATIENT = { ...BOUNDS, timeoutMs: 10_000 };

function inspect(url: string, more: Partial<InspectDeps> = {}, withinMs = 10_000): Promise<Inspection> {
  const deps: InspectDeps = {
    policy: { registrableDomain, ownHosts: ['sho.example.com'] },
    allowed: parseAllowed(['127.0.0.1/32']),
    ports: [80, 443, server.port],
    resolve: server.resolve,
    bounds: BOUNDS,
    ...more,
  };
  return inspectUrl(deps, url, withinMs);
}

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now();
  const result = await work;
  return [result, performance.now() - startedAt];
}

describe('connects to no address that is refused', () => {
  test.each(
    '127.0.0.2 169.254.169.254 2130706434 %31%32%37.0.0.2 [::1] [64:ff9b::7f00:2] localhost sho.example.com'.split(' '),
  )('%s', async (host) => {
    expect(await inspect(server.at(host))).toMatchObject({ kind: 'refused' });
    expect([server.requests, server.forbidden]).toEqual([[], []]);
  });

  test.each([
    ['127.0.0.2'],
    ['64:ff9b::7f00:2'],
    // one of these is public
    ['127.0.0.1', '::1'],
  ])('a name that resolves to %s %s', async (...addresses) => {
    server.names.set('evil.example.net', () => addresses);
    expect(await inspect(server.at('evil.example.net'))).toMatchObject({ kind: 'refused' });
    expect([server.requests, server.forbidden]).toEqual([[], []]);
  });

  test('a name that resolves to another address each time is called at the address that was checked', async () => {
    let requests = 0;
    server.names.set('rebinding.example.net', () => (requests++ === 0 ? ['127.0.0.1'] : ['127.0.0.2']));
    server.page('rebinding.example.net/', '<title>first</title>');
    expect(await inspect(server.at('rebinding.example.net'))).toMatchObject({ kind: 'page', title: 'first' });
    expect(await inspect(server.at('rebinding.example.net'))).toMatchObject({ kind: 'refused' });
    expect(server.forbidden).toEqual([]);
    expect(requests).toBe(2);
  });

  test.each(['ftp:', 'file:', 'gopher:', 'data:', 'javascript:', 'blob:http:'])('the scheme %s', async (scheme) => {
    expect(await inspect(`${scheme}//evil.example.net:${server.port}/`)).toMatchObject({ kind: 'refused' });
    expect(server.requests).toEqual([]);
  });

  test('credentials, other ports, and private hosts that are not allowed', async () => {
    expect(await inspect(`http://a:b@evil.example.org:${server.port}/`)).toMatchObject({ kind: 'refused' });
    expect(await inspect(server.at('a.example.org'), { ports: [80, 443] })).toMatchObject({ kind: 'refused' });
    expect(await inspect(server.at('a.example.org'), { allowed: NO_ALLOWED_HOSTS })).toMatchObject({ kind: 'refused' });
    expect(server.requests).toEqual([]);
  });
});

describe('keeps its limits', () => {
  test('of time, if an answer never comes or comes too slowly, or if headers never end', async () => {
    server.answer('silent.example.org/', () => undefined);
    server.answer('slow.example.org/', (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      const trickle = setInterval(() => response.write('<p>'), 20);
      response.on('close', () => clearInterval(trickle));
    });
    server.answer('zipped.example.org/', (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': 'gzip' });
      response.write(gzipSync('<title>never ends</title>').subarray(0, 20));
    });
    server.answer('informing.example.org/', (_, response) => {
      const trickle = setInterval(() => response.writeProcessing(), 20);
      response.on('close', () => clearInterval(trickle));
    });
    const hosts = ['silent', 'slow', 'zipped', 'informing'].map((name) => server.at(`${name}.example.org`));
    for (const [inspection, ms] of await Promise.all(hosts.map((url) => timed(inspect(url))))) {
      expect(inspection).toEqual({ kind: 'failed', why: 'no response within 400 ms' });
      expect(ms).toBeLessThan(4_000);
    }
    const hurried = await inspect(hosts[0]!, {}, 49.5);
    expect(hurried).toEqual({ kind: 'failed', why: 'no response within 50 ms' });
  });

  test('of headers', async () => {
    server.answer(
      'headers.example.org/',
      ({ socket }) => void socket.write(`HTTP/1.1 200 OK\r\nA: ${'a'.repeat(99_999)}`),
    );
    expect(await inspect(server.at('headers.example.org'))).toMatchObject({ kind: 'failed' });
  });

  test('of bytes, and reads only the start of a gigabyte', async () => {
    let sent = 0;
    server.answer('huge.example.org/', (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Length': String(1024 ** 3) });
      response.write('<title>huge</title>');
      const chunk = Buffer.alloc(64 * 1024, ' ');
      const write = () => {
        while (!response.destroyed && sent < 1024 ** 3) {
          sent += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    });
    const [inspection, ms] = await timed(inspect(server.at('huge.example.org'), { bounds: PATIENT }));
    expect(inspection).toMatchObject({ kind: 'page', title: 'huge' });
    expect(ms).toBeLessThan(5_000);
    // The buffers of the two sockets hold less than this.
    expect(sent).toBeLessThan(32 * 1024 ** 2);
  });

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('of decompression: a bomb of 16 MB in %s', async (encoding, compress) => {
    const bomb = compress(Buffer.concat([Buffer.from('<title>bomb</title>'), Buffer.alloc(16 * 1024 ** 2, ' ')]));
    server.answer(
      'bomb.example.org/',
      (_, response) =>
        void response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Encoding': encoding }).end(bomb),
    );
    const before = process.memoryUsage().arrayBuffers;
    const [inspection, ms] = await timed(inspect(server.at('bomb.example.org'), { bounds: PATIENT }));
    expect(inspection).toMatchObject({ kind: 'page', title: 'bomb' });
    expect(ms).toBeLessThan(5_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4 * 1024 ** 2);
  });

  test.each(['gzip', 'deflate', 'br'])('reads damaged %s up to the first fault', async (encoding) => {
    server.page('broken.example.org/', 'no such thing', { 'Content-Type': 'text/html', 'Content-Encoding': encoding });
    expect(await inspect(server.at('broken.example.org'))).toMatchObject({ kind: 'page', title: '' });
  });

  test.each([
    ['attributes', `<a ${Array.from({ length: 16_000 }, (_, i) => i.toString(36)).join(' ')}`],
    ['open tags', '<b><p>'.repeat(11_000)],
    ['ends', '</p>'.repeat(16_000)],
    ['comments', '<!--'.repeat(16_000)],
    ['references', '&amp'.repeat(16_000)],
    ['titles', '<title>'.repeat(9_000)],
    ['refreshes', '<meta http-equiv=refresh content=";;;;;;;;;;;;;;;;;;;;">'.repeat(1_000)],
    ['spaces in a refresh', `<meta http-equiv=refresh content="1${' '.repeat(60_000)}x">`],
  ])('of parsing: 64 KB of %s', async (_, html) => {
    server.page('parse.example.org/', html);
    const bounds = { timeoutMs: 3_000, bodyBytes: 64 * 1024 };
    await within(1_500, async () => {
      const { kind } = await inspect(server.at('parse.example.org'), { bounds });
      expect(['page', 'redirect']).toContain(kind);
    });
  });
});

describe('reports the answer of the server', () => {
  const at = (path: string) => inspect(server.at('seen.example.org', path));

  test('reports a redirect to any address, and does not follow it', async () => {
    for (const to of ['http://127.0.0.2/', 'file:///etc/passwd', '//evil.example.net/x', '../y', 'http://[']) {
      server.redirect('seen.example.org/go', to);
      expect(await at('/go')).toEqual({ kind: 'redirect', location: to });
    }
    expect(server.requests).toHaveLength(5);
    expect(server.forbidden).toEqual([]);
    server.redirect('seen.example.org/go', `/${'x'.repeat(8_000)}`);
    expect(await at('/go')).toEqual({ kind: 'redirect', location: `/${'x'.repeat(4_095)}` });
  });

  test.each([
    ['<meta http-equiv="Refresh" content="0; url=https://a.example.org/">', 'https://a.example.org/'],
    [`<meta http-equiv=refresh content="3;URL='/next?a=1&amp;b=2'x">`, '/next?a=1&b=2'],
    ['<meta content="0,/comma" http-equiv=refresh>', '/comma'],
  ])('reports a page that redirects: %s', async (html, location) => {
    server.page('seen.example.org/refresh', html);
    expect(await at('/refresh')).toEqual({ kind: 'redirect', location });
  });

  test.each([
    '<meta http-equiv=refresh content="300; url=/later">',
    '<meta http-equiv=refresh content="5">',
    '<!-- <meta http-equiv=refresh content="0; url=/x"> -->',
    '<script>"<meta http-equiv=refresh content=0;/x>"</script>',
  ])('reports a page that does not redirect soon: %s', async (html) => {
    server.page('seen.example.org/stay', html);
    expect(await at('/stay')).toMatchObject({ kind: 'page' });
  });

  test('reports the title, the form and the icon of a page', async () => {
    server.page(
      'seen.example.org/form',
      '<TITLE>Sign &amp; in</TITLE><link rel="shortcut icon" href="https://i.example.org/f.ico"><form><input TYPE=Password>',
    );
    expect(await at('/form')).toEqual({
      kind: 'page',
      status: 200,
      title: 'Sign & in',
      hasPassword: true,
      icon: 'https://i.example.org/f.ico',
      program: null,
    });
  });

  test('reports a program under any file name', async () => {
    const program = Buffer.alloc(200);
    program.write('MZ');
    server.answer(
      'seen.example.org/picture.png',
      (_, response) => void response.writeHead(200, { 'Content-Type': 'image/png' }).end(program),
    );
    expect(await at('/picture.png')).toMatchObject({ kind: 'page', program: 'a Windows program' });
    server.page('seen.example.org/text', 'MZ is a text', { 'Content-Type': 'text/plain' });
    expect(await at('/text')).toMatchObject({ program: null });
  });

  test('reports 404 as a page, but 403, 429 and 500 as failures', async () => {
    expect(await at('/nothing')).toMatchObject({ kind: 'page', status: 404 });
    for (const status of [403, 429, 500]) {
      server.answer('seen.example.org/no', (_, response) => void response.writeHead(status).end());
      expect(await at('/no')).toEqual({ kind: 'failed', why: `answered ${status}` });
    }
  });

  test('sends no cookie, referrer or credential', async () => {
    let headers: unknown;
    server.answer('seen.example.org/headers', (request, response) => {
      ({ headers } = request);
      response.writeHead(200, { 'Set-Cookie': 'a=b' }).end();
    });
    await at('/headers');
    await at('/headers');
    expect(headers).toEqual({
      host: `seen.example.org:${server.port}`,
      'user-agent': 'waypost-scanner/1',
      accept: 'text/html, */*;q=0.1',
      'accept-encoding': 'identity',
      range: 'bytes=0-8191',
      connection: 'close',
    });
  });
});
