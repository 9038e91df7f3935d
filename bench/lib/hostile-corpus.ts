/**
 * Costly requests, one kind after the other: every public way in, and the internal scanner call, each at its largest size
 * that passes the limits or just beyond. Made from this file alone, and no address in it is ever fetched.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

export interface HostileKind {
  readonly name: string;
  /** Which listener it goes to. */
  readonly to: 'redirect' | 'api' | 'internal';
  /** The bytes of one request; `n` counts requests, for those that must differ. */
  readonly request: (n: number) => Iterable<Buffer | string>;
  /** Connections that read nothing of what they ask for, all held open for the time of the kind. */
  readonly unread?: number;
}

/** What fits into the head of a request beside the rest, and what fits into a body. */
const HEAD = 15_600;
const BODY = 2 * 1024 * 1024;

const fill = (unit: string, size: number) => unit.repeat(Math.floor(size / unit.length));

export function hostileKinds(key: string, slugs: readonly string[]): HostileKind[] {
  const auth = `Authorization: Bearer ${key}\r\n`;
  const slug = slugs[0]!;

  const head = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
  const get = (target: string, headers = '') => [head(`GET ${target}`, headers)];
  const bytes = (body: string | Buffer) => (typeof body === 'string' ? Buffer.from(body) : body);
  const send = (method: string, target: string, body: string | Buffer, headers = auth) => {
    const content = bytes(body);
    const type = /content-type/i.test(headers) ? '' : 'Content-Type: application/json\r\n';
    return [head(`${method} ${target}`, `${headers}${type}Content-Length: ${content.length}\r\n`), content];
  };
  const post = (target: string, body: string | Buffer, headers = auth) => send('POST', target, body, headers);
  function* chunked(target: string, size: number, headers = auth) {
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    yield head(`POST ${target}`, `${headers}${type}`);
    for (let left = size; left > 0; left -= 1_000) yield fill('1\r\n[\r\n', 6 * Math.min(left, 1_000));
    yield '0\r\n\r\n';
  }

  const visitor = (name: string, request: HostileKind['request'], unread?: number): HostileKind => ({
    name: `visitor: ${name}`,
    to: 'redirect',
    request,
    ...(unread === undefined ? {} : { unread }),
  });
  const stranger = (name: string, request: HostileKind['request'], unread?: number): HostileKind => ({
    name: `no key: ${name}`,
    to: 'api',
    request,
    ...(unread === undefined ? {} : { unread }),
  });
  const caller = (name: string, request: HostileKind['request']): HostileKind => ({
    name: `key: ${name}`,
    to: 'api',
    request,
  });
  const inside = (name: string, request: HostileKind['request']): HostileKind => ({
    name: `scan: ${name}`,
    to: 'internal',
    request,
  });

  const link = (fields: object) => JSON.stringify({ destination_url: 'https://www.wikipedia.org/', ...fields });
  const create = (body: string | Buffer, headers = auth) => post('/api/v1/links', body, headers);
  const bulk = (row: (i: number) => unknown, count = 500, query = '') =>
    post(`/api/v1/links/bulk${query}`, JSON.stringify({ links: Array.from({ length: count }, (_, i) => row(i)) }));
  const dry = (url: (i: number) => string, count = 500) =>
    bulk((i) => ({ destination_url: url(i) }), count, '?dry_run=true');
  /** The rest of a destination of the largest size. */
  const wide = (start: string, unit: string, max = 2_040) => start + fill(unit, max - start.length);

  const manyHeaders = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: b\r\n`).join('');

  return [
    visitor('dots, then a plus', () => get(`/${fill('.', HEAD)}x+`)),
    visitor('every trailing punctuation', () => get(`/${fill(`/.,)]'!;:`, HEAD)}x`)),
    visitor('percent-encoded dots', () => get(`/${fill('%2E', HEAD)}x+`)),
    visitor('percent signs encoded twice', () => get(`/${fill('%252E', HEAD)}x+`)),
    visitor('plus signs', () => get(`/${fill('+', HEAD)}`)),
    visitor('one long word', () => get(`/${fill('a', HEAD)}`)),
    visitor('direction marks', () => get(`/${fill('%E2%80%AE', HEAD)}`)),
    visitor('bytes that are no UTF-8', () => get(`/${fill('%FF', HEAD)}`)),
    visitor('broken percent-encoding', () => get(`/${fill('%', HEAD)}`)),
    visitor('directories', () => get(`/${fill('a/', HEAD)}`)),
    visitor('markup', () => get(`/${fill('%3Cb%3E', HEAD)}`)),
    visitor('absolute form with a long host', () => get(`http://${fill('a.', HEAD)}/${slug}`)),
    visitor('absolute form with a long scheme', () => get(`${fill('a', HEAD)}:/`)),
    visitor('a query of languages', () => get(`/${slug}?${fill('lang=xx&', HEAD)}`)),
    visitor('a page with a query of languages', () => get(`/zzzzzzz?${fill('lang=xx&', HEAD)}`)),
    visitor('a page with a query of ampersands', () => get(`/zzzzzzz?${fill('&', HEAD)}`)),
    visitor('a page with a query of percent signs', () => get(`/zzzzzzz?${fill('%25', HEAD)}`)),
    visitor('a page, Accept of commas', () => get('/zzzzzzz', `Accept: ${fill(',', HEAD)}\r\n`)),
    visitor('a page, Accept of parameters', () => get('/zzzzzzz', `Accept: text/html${fill(';q=0', HEAD)}\r\n`)),
    visitor('a page, Accept of ranges', () => get('/zzzzzzz', `Accept: ${fill('a/b;q=0.1, ', HEAD)}\r\n`)),
    visitor('a page, Accept-Language of ranges', () =>
      get('/zzzzzzz', `Accept-Language: ${fill('de;q=0.1,', HEAD)}\r\n`),
    ),
    visitor('a page, Accept-Language of hyphens', () => get('/zzzzzzz', `Accept-Language: ${fill('-', HEAD)}\r\n`)),
    visitor('a page, Accept-Language of spaces', () => get('/zzzzzzz', `Accept-Language: a${fill(' ', HEAD)}b\r\n`)),
    visitor('a click, User-Agent of one word', () => get(`/${slug}`, `User-Agent: ${fill('a', HEAD)}\r\n`)),
    visitor('a click, User-Agent of brackets', () => get(`/${slug}`, `User-Agent: Mozilla/5.0 ${fill('(', HEAD)}\r\n`)),
    visitor('a click, User-Agents of platforms, each another', (n) =>
      get(`/${slug}`, `User-Agent: ${n} ${fill('Android; Mobile Safari/ ', HEAD)}\r\n`),
    ),
    visitor('a click, User-Agents of digits, each another', (n) =>
      get(`/${slug}`, `User-Agent: ${n} Version/${fill('1.', HEAD)}\r\n`),
    ),
    visitor('a click, User-Agent of high bytes', () =>
      get(`/${slug}`, `User-Agent: ${Buffer.alloc(HEAD, 0xfc).toString('latin1')}\r\n`),
    ),
    visitor('a click, Referer of one host', () => get(`/${slug}`, `Referer: https://${fill('a.', HEAD)}/\r\n`)),
    visitor('a click, Referer of schemes', () => get(`/${slug}`, `Referer: ${fill('http://', HEAD)}\r\n`)),
    visitor('a click, Referer of quotes', () => get(`/${slug}`, `Referer: ${fill('"\\', HEAD)}\r\n`)),
    visitor('a click, X-Forwarded-For of commas', () => get(`/${slug}`, `X-Forwarded-For: ${fill(',', HEAD)}\r\n`)),
    visitor('a click, X-Forwarded-For of addresses', () =>
      get(`/${slug}`, `X-Forwarded-For: ${fill('127.0.0.1, ', HEAD)}\r\n`),
    ),
    visitor('a click, X-Forwarded-For of colons', () => get(`/${slug}`, `X-Forwarded-For: ${fill('::', HEAD)}\r\n`)),
    visitor('a click, cookies', () => get(`/${slug}`, `Cookie: ${fill('a=b; ', HEAD)}\r\n`)),
    visitor('a click, a long purpose', () => get(`/${slug}`, `Sec-Purpose: ${fill('prefetc', HEAD)}\r\n`)),
    visitor('a thousand headers', () => get(`/${slug}`, manyHeaders(1_000))),
    visitor('five thousand headers', () => get(`/${slug}`, manyHeaders(5_000))),
    visitor('one header that is too long', () => get(`/${slug}`, `A: ${fill('a', 60_000)}\r\n`)),
    visitor('the same header again and again', () => get(`/${slug}`, fill('a: b\r\n', HEAD))),
    visitor('ranges', () => get(`/${slug}`, `Range: bytes=${fill('0-1,', HEAD)}\r\n`)),
    visitor('Expect', () => [head(`GET /${slug}`, 'Expect: 100-continue\r\n')]),
    visitor('Upgrade', () => [head(`GET /${slug}`, 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n')]),
    visitor('a POST that promises a gigabyte', () => [
      head('POST /', 'Content-Length: 1073741824\r\n'),
      fill('a', 60_000),
    ]),
    visitor('a POST of one-byte chunks', () => chunked('/', 20_000, '')),
    visitor('two lengths', () => [head('GET /', 'Content-Length: 1\r\nContent-Length: 2\r\n')]),
    visitor('a coding that is none', () => [head('GET /', 'Transfer-Encoding: gzip, chunked\r\n'), '0\r\n\r\n']),
    visitor('TRACE', () => [head(`TRACE /${slug}`)]),
    visitor('OPTIONS of everything', () => [head('OPTIONS *')]),
    visitor('HEAD', () => [head(`HEAD /${slug}`)]),
    visitor('unknown slugs, each another', (n) => get(`/u${(n + 100_000).toString(36)}${n % 7}`)),
    visitor('previews of a long destination', () => get(`/${slugs[1]}+`)),
    visitor('JSON twins', () => get(`/${slugs[1]}+`, 'Accept: application/json\r\n')),
    visitor('readiness', () => get('/readyz')),
    visitor('liveness', () => get('/healthz')),
    visitor('the icon', () => get('/favicon.ico')),
    visitor('security.txt', () => get('/.well-known/security.txt')),
    visitor(
      'five hundred pages asked for at once',
      () => [fill('GET /zzzzzzz HTTP/1.1\r\nHost: x\r\n\r\n', 18_500)],
      20,
    ),
    visitor('icons asked for and not read', () => [fill('GET /favicon.ico HTTP/1.1\r\nHost: x\r\n\r\n', 100_000)], 100),
    visitor('heads that never end', () => [`GET /${slug} HTTP/1.1\r\nHost: x\r\nA: `], 200),
    visitor('connections that say nothing', () => [''], 500),

    stranger('Authorization of spaces', () => get('/api/v1/links', `Authorization: Bearer a${fill(' ', HEAD)}b\r\n`)),
    stranger('Authorization of one word', () => get('/api/v1/links', `Authorization: Bearer ${fill('a', HEAD)}\r\n`)),
    stranger('Authorization like a key', () => get('/api/v1/links', `Authorization: Bearer wp_${fill('A', 46)}\r\n`)),
    stranger('a path of one word', () => get(`/${fill('a', HEAD)}`)),
    stranger('a path of percent signs', () => get(`/api/v1/links/${fill('%25', HEAD)}`)),
    stranger('a path of slashes', () => get(fill('/', HEAD))),
    stranger('a path that cannot be decoded', () => get(`/api/v1/links/${fill('%', HEAD)}`)),
    stranger('a sign-in token of any length', () => get(`/sign-in/${fill('a', HEAD)}`)),
    stranger('sign-in tokens, each another', (n) => get(`/sign-in/${n}`)),
    stranger('sign-in by POST', (n) => post(`/sign-in/${n}`, fill('a', 1_000), '')),
    stranger('traceparent', () => get('/healthz', `traceparent: 00-${fill('0', HEAD)}\r\n`)),
    stranger('tracestate', () => get('/healthz', `tracestate: ${fill('a=b,', HEAD)}\r\n`)),
    stranger('X-Request-Id', () => get('/healthz', `X-Request-Id: ${fill('a', HEAD)}\r\n`)),
    stranger('the reference page', () => get('/docs')),
    stranger('the description', () => get('/openapi.json')),
    stranger('the first page', () => get('/')),
    stranger('readiness', () => get('/readyz')),
    stranger('a body of 2 MiB', () => create(fill('[', BODY), '')),
    stranger('a body of one-byte chunks', () => chunked('/api/v1/links', 200_000, '')),
    stranger('a body where nothing is', () => post('/nothing', fill('[', BODY), '')),
    stranger('five thousand headers', () => get('/api/v1/links', manyHeaders(5_000))),
    stranger('a query of ampersands', () => get(`/openapi.json?${fill('&', HEAD)}`)),
    stranger(
      'descriptions asked for and not read',
      () => [fill('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n', 40_000)],
      100,
    ),
    stranger('heads that never end', () => ['GET /api/v1/links HTTP/1.1\r\nHost: x\r\nA: '], 200),

    caller('tags: 200,000 numbers', () => create(link({ tags: Array(200_000).fill(1) }))),
    caller('tags: 600,000 empty texts', () => create(link({ tags: Array(600_000).fill('') }))),
    caller('tags: one text of 2 MB', () => create(link({ tags: [fill('a', BODY - 200)] }))),
    caller('tags: one text of 500,000 emoji', () => create(link({ tags: [fill('😀', 1_000_000)] }))),
    caller('tags: one text of white space', () => create(link({ tags: [`a${fill(' ', BODY - 200)}b`] }))),
    caller('tags: 100,000 lists', () => create(link({ tags: Array(100_000).fill([[]]) }))),
    caller('2 MB of unknown fields', () => {
      const fields = Array.from({ length: 140_000 }, (_, i) => `"f${i}":1`).join(',');
      return create(`{"destination_url":"https://a.example/",${fields}}`);
    }),
    caller('unknown fields with long names', () =>
      create(`{${Array.from({ length: 20 }, (_, i) => `"${i}${fill('x', 100_000)}":1`).join(',')}}`),
    ),
    caller('the same field again and again', () => create(`{${fill('"tags":[],', BODY - 100)}"tags":[]}`)),
    caller('a million brackets', () => create(fill('[', 1_000_000) + fill(']', 1_000_000))),
    caller('200,000 nested objects', () => create(fill('{"a":', 1_000_000) + 1 + fill('}', 200_000))),
    caller('brackets in a field', () => create(`{"destination_url":${fill('[', 900_000)}${fill(']', 900_000)}}`)),
    caller('a destination of 2 MB', () =>
      create(link({ destination_url: `https://a.example/${fill('a', BODY - 300)}` })),
    ),
    caller('a destination of white space', () => create(link({ destination_url: `http://a${fill(' ', 8_180)}b` }))),
    caller('a destination of labels', () =>
      create(link({ destination_url: `http://${fill('a.', 2_000)}example.org/` })),
    ),
    caller('a destination of hyphens', () =>
      create(link({ destination_url: `http://${fill('-', 2_000)}.example.org/` })),
    ),
    caller('a destination in punycode', () =>
      create(link({ destination_url: `http://xn--${fill('z9', 2_000)}.example/` })),
    ),
    caller('a destination of percent escapes', () =>
      create(link({ destination_url: wide('http://a.example/', '%25') })),
    ),
    caller('a slug of 2 MB', () => create(link({ custom_slug: fill('a', BODY - 300) }))),
    caller('prototype fields', () => create(`{${fill('"__proto__":{},', BODY - 100)}"a":1}`)),
    caller('a number of 2 MB', () => create(`{"destination_url":${fill('1', BODY - 100)}}`)),
    caller('escapes', () => create(`{"destination_url":"${fill('\\u0000', BODY - 100)}"}`)),
    caller('white space', () => create(`${fill(' ', BODY - 10)}{}`)),
    caller('a fault at the end of 2 MB', () => create(`{"a":"${fill('a', BODY - 20)}"`)),
    caller('bytes that are no UTF-8', () => create(Buffer.alloc(BODY - 10, 0xff))),
    caller('a gigabyte in a megabyte', () =>
      create(gzipSync(Buffer.alloc(64 * BODY)), `${auth}Content-Encoding: gzip\r\n`),
    ),
    caller('gzip that becomes tags', () =>
      create(gzipSync(link({ tags: Array(900_000).fill(1) })), `${auth}Content-Encoding: gzip\r\n`),
    ),
    caller('deflate that becomes fields', () =>
      create(deflateSync(`{${fill('"a":1,', BODY - 100)}"b":1}`), `${auth}Content-Encoding: deflate\r\n`),
    ),
    caller('brotli that becomes brackets', () =>
      create(brotliCompressSync(fill('[', BODY - 100)), `${auth}Content-Encoding: br\r\n`),
    ),
    caller('200,000 one-byte chunks', () => chunked('/api/v1/links', 200_000)),
    caller('a content type of parameters', () =>
      create('{}', `${auth}Content-Type: application/json${fill(';a=b', HEAD - 200)}\r\n`),
    ),
    caller('a content type of spaces', () =>
      create('{}', `${auth}Content-Type: application/json;charset${fill(' ', HEAD - 200)}x\r\n`),
    ),
    caller('an Idempotency-Key of 15 kB', () =>
      create(link({}), `${auth}Idempotency-Key: ${fill('a', HEAD - 200)}\r\n`),
    ),
    caller('bulk: 250 destinations of white space', () =>
      bulk(() => ({ destination_url: `http://a${fill(' ', 8_180)}b` }), 250),
    ),
    caller('bulk: 500 rows of faults', () =>
      bulk(() => ({ destination_url: 1, custom_slug: 2, tags: 3, a: 1, b: 1, c: 1, d: 1 })),
    ),
    caller('bulk: 500 rows of unknown fields', () =>
      bulk(() => Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, 1]))),
    ),
    caller('bulk: 500 rows of tags', () =>
      bulk(() => ({ destination_url: 'https://a.example/', tags: Array(2_000).fill(1) })),
    ),
    caller('bulk: 501 rows', () => bulk(() => ({ destination_url: 'https://a.example/' }), 501)),
    caller('bulk: 500,000 numbers', () => bulk(() => 1, 500_000)),
    caller('bulk: 500 lists', () => bulk(() => [[[]]])),
    caller('bulk: one slug 500 times', () =>
      bulk(() => ({ destination_url: 'https://a.example/', custom_slug: 'same-slug' })),
    ),
    caller('bulk: one slug 500 times, and faults', () =>
      bulk(() => ({ destination_url: 'no', custom_slug: 'same-slug' })),
    ),
    caller('bulk: links is a text of 2 MB', () =>
      post('/api/v1/links/bulk', JSON.stringify({ links: fill('a', BODY - 100) })),
    ),
    caller('dry run: destinations that nest many others', () =>
      dry((i) => wide(`https://w${i}.wikipedia.org/?`, `u=http%3A%2F%2Fn${i}.wikipedia.org%2F&`)),
    ),
    caller('dry run: destinations that nest plain ones', () =>
      dry((i) => wide(`https://w${i}.wikipedia.org/?`, `u=http://n${i}.wikipedia.org/a/b&`)),
    ),
    caller('dry run: destinations nested in each other', () =>
      dry((i) => wide(`https://w${i}.wikipedia.org/`, `http://n${i}.wikipedia.org/`)),
    ),
    caller('dry run: names in the path of an archive', () =>
      dry((i) => wide(`https://web.archive.org/web/${i}/`, 'a.wikipedia.org/')),
    ),
    caller('dry run: three layers of percent-encoding', () =>
      dry((i) =>
        wide(
          `https://w${i}.wikipedia.org/?q=`,
          '%252568%252574%252574%252570%25253a%25252f%25252fb.wikipedia.org%25252f',
        ),
      ),
    ),
    caller('dry run: schemes that parse as nothing', () =>
      dry((i) => wide(`https://w${i}.wikipedia.org/?`, 'x=http://[&')),
    ),
    caller('dry run: tabs inside schemes', () => dry((i) => wide(`https://w${i}.wikipedia.org/?q=`, 'ht%09tp:%5c%5c'))),
    caller('dry run: JSON of URLs', () =>
      dry((i) => wide(`https://w${i}.wikipedia.org/?q=`, '%7B%22u%22%3A%22http%3A%5C%2F%5C%2Fj.wikipedia.org%22%7D')),
    ),
    caller('dry run: base64', () =>
      dry((i) =>
        wide(
          `https://w${i}.wikipedia.org/?`,
          `q=${Buffer.from(`https://b${i}.wikipedia.org/`).toString('base64url')}&`,
        ),
      ),
    ),
    caller('dry run: directories', () => dry((i) => wide(`https://w${i}.wikipedia.org/`, 'a/'))),
    caller('dry run: dots in directories', () => dry((i) => wide(`https://w${i}.wikipedia.org/`, '../a/./'))),
    caller('dry run: percent escapes', () => dry((i) => wide(`https://w${i}.wikipedia.org/`, '%2525'))),
    caller('dry run: labels', () => dry((i) => `https://${fill('a.', 200)}w${i}.wikipedia.org/`)),
    caller('dry run: hyphens and brands', () => dry((i) => `https://${fill('paypal-', 56)}${i}.iana.org/`)),
    caller('dry run: look-alike letters', () => dry((i) => `https://${fill('раураl', 12)}${i}.iana.org/`)),
    caller('dry run: parameters', () => dry((i) => wide(`https://w${i}.wikipedia.org/?`, 'a=b&'))),
    caller('dry run: semicolons and commas', () => dry((i) => wide(`https://w${i}.wikipedia.org/`, ';a,b'))),
    caller('dry run: a fragment', () => dry((i) => wide(`https://w${i}.wikipedia.org/#`, 'http://n.wikipedia.org/'))),
    caller('dry run: spellings of addresses', () =>
      dry((i) => `http://0x5d.0${(i % 8).toString(8)}.${i}.34/${fill('a', 1_900)}`),
    ),
    caller('list: a search of 15 kB', () => get(`/api/v1/links?search=${fill('a', HEAD - 200)}`, auth)),
    caller('list: a search of 2 kB', () => get(`/api/v1/links?search=${fill('a', 2_000)}`, auth)),
    caller('list: a search of one letter', () => get('/api/v1/links?search=w&limit=100&page=150', auth)),
    caller('list: a search in another script', () => get(`/api/v1/links?search=${fill('%C4%B0', 3_000)}`, auth)),
    caller('list: 3,000 tags', () => get(`/api/v1/links?${fill('tag=a&', HEAD - 200)}tag=a`, auth)),
    caller('list: 8,000 parameters', () => get(`/api/v1/links?${fill('a&', HEAD - 200)}`, auth)),
    caller('list: parameters that differ', () =>
      get(`/api/v1/links?${Array.from({ length: 2_500 }, (_, i) => `p${i}`).join('&')}`, auth),
    ),
    caller('list: a page of 15 kB', () => get(`/api/v1/links?page=${fill('1', HEAD - 200)}`, auth)),
    caller('list: the last page', () => get('/api/v1/links?page=999999999999999', auth)),
    caller('list: sorted by destination', () => get('/api/v1/links?sort=destination_url&limit=100&page=100', auth)),
    caller('get: a slug of 15 kB', () => get(`/api/v1/links/${fill('a', HEAD - 200)}`, auth)),
    caller('get: an encoded slug', () => get(`/api/v1/links/${fill('%41', HEAD - 200)}`, auth)),
    caller('revoke: a link that is not there', (n) => post(`/api/v1/links/nothere${n}/revoke`, '')),
    caller('revoke: a body of 2 MiB', () => post('/api/v1/links/nothere/revoke', fill('[', BODY))),
    caller('analytics: a period of 15 kB', () =>
      get(`/api/v1/links/${slug}/analytics?period=${fill('7', HEAD - 200)}`, auth),
    ),
    caller('analytics: 90 days', () => get(`/api/v1/links/${slug}/analytics?period=90d`, auth)),
    caller('analytics: of many links', (n) =>
      get(`/api/v1/links/${slugs[n % slugs.length]}/analytics?period=90d`, auth),
    ),
    caller('admin: an e-mail address of 15 kB', () =>
      send('PUT', `/api/v1/admin/accounts/${fill('a@', HEAD - 300)}/limit`, '{}'),
    ),
    caller('admin: a reason of 2 MB', () =>
      post(`/api/v1/admin/links/${slug}/review`, JSON.stringify({ reason: fill('a', BODY - 100) })),
    ),

    inside('2 MB of unknown fields', () => post('/scan', `{${fill('"abcde":1,', BODY)}"urls":[]}`, '')),
    inside('a million numbers', () => post('/scan', JSON.stringify({ urls: Array(1_000_000).fill(1) }), '')),
    inside('500 texts that are no URL', () =>
      post('/scan', JSON.stringify({ urls: Array(500).fill(fill('a', 4_000)) }), ''),
    ),
    inside('501 URLs', () => post('/scan', JSON.stringify({ urls: Array(501).fill('https://a.example/') }), '')),
    inside('a million brackets', () => post('/scan', `{"urls":${fill('[', 1_000_000)}${fill(']', 1_000_000)}}`, '')),
    inside('one URL of 4 MB', () => post('/scan', JSON.stringify({ urls: [fill('a', 2 * BODY - 100)] }), '')),
    inside('500 URLs that nest many others', () =>
      post(
        '/scan',
        JSON.stringify({
          urls: Array.from({ length: 500 }, (_, i) =>
            wide(`https://w${i}.wikipedia.org/?`, `u=http%3A%2F%2Fn${i}.wikipedia.org%2F&`),
          ),
        }),
        '',
      ),
    ),
    inside('an operator command without a right', () => post('/operator', fill('[', BODY), '')),
  ];
}
