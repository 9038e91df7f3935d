/**
 * Makes expensive requests of every public entry point and of the internal scanner call. Each is at its largest size
 * within the limits, or just over them. No address in them is ever fetched.
 */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

export interface HostileKind {
  readonly name: string;
  readonly to: 'redirect' | 'api' | 'internal';
  /** Returns the bytes of one request. `n` counts requests, for kinds whose requests must differ. */
  readonly request: (n: number) => Iterable<Buffer | string>;
  /** This many connections stay open for the whole kind and read none of their responses. */
  readonly unread: number;
}

/** The head of a request has this much room beside its other headers, and the body has 2 MiB. */
const HEAD = 15_600;
const BODY = 2 * 1024 * 1024;
/** Part of `http://b.wikipedia.org/`, percent-encoded three times. */
const LAYERS = '%252568%252574%252574%252570%25253a%25252f%25252fb.wikipedia.org%25252f';
const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';

const fill = (unit: string, size: number) => unit.repeat(Math.floor(size / unit.length));

type Request = HostileKind['request'];
type Requests = Readonly<Record<string, Request | { readonly unread: number; readonly request: Request }>>;
const kinds = (of: string, to: HostileKind['to'], requests: Requests): HostileKind[] =>
  Object.entries(requests).map(([name, kind]) => ({
    name: `${of}: ${name}`,
    to,
    ...(typeof kind === 'function' ? { request: kind, unread: 0 } : kind),
  }));

/**
 * `apiHost` is the only `Host` that the tool server answers. Scans without a link are limited per account, so their
 * requests take the keys of other accounts in turn.
 */
export function hostileKinds(
  { key, otherKeys }: { readonly key: string; readonly otherKeys: readonly string[] },
  slugs: readonly string[],
  apiHost: string,
): HostileKind[] {
  const authOf = (one: string) => `Authorization: Bearer ${one}\r\n`;
  const auth = authOf(key);
  let turn = 0;
  const nextAuth = () => authOf(otherKeys[turn++ % otherKeys.length]!);
  const slug = slugs[0]!;

  const head = (line: string, headers = '') => `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers}\r\n`;
  const get = (target: string, headers = '') => [head(`GET ${target}`, headers)];
  const pipelined = (target: string, size: number) => [fill(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`, size)];
  const send = (method: string, target: string, body: string | object, headers = auth) => {
    const content = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const type = /content-type/i.test(headers) ? '' : 'Content-Type: application/json\r\n';
    return [head(`${method} ${target}`, `${headers}${type}Content-Length: ${content.length}\r\n`), content];
  };
  const post = (target: string, body: string | object, headers = auth) => send('POST', target, body, headers);
  function* chunked(target: string, size: number, headers = auth) {
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n';
    yield head(`POST ${target}`, `${headers}${type}`);
    for (let remaining = size; remaining > 0; remaining -= 1_000)
      yield fill('1\r\n[\r\n', 6 * Math.min(remaining, 1_000));
    yield '0\r\n\r\n';
  }

  const link = (fields: object) => JSON.stringify({ destination_url: 'https://www.wikipedia.org/', ...fields });
  const mcp = `${auth}Accept: application/json, text/event-stream\r\n`;
  const tool = (args: unknown, name = 'bulk_create_links') =>
    post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }, mcp).map((part) =>
      typeof part === 'string' ? part.replace('Host: x', `Host: ${apiHost}`) : part,
    );
  const create = (body: string | Buffer, headers = auth) => post('/api/v1/links', body, headers);
  const bulk = (row: (i: number) => unknown, count = 500, query = '', headers = auth) =>
    post(`/api/v1/links/bulk${query}`, { links: Array.from({ length: count }, (_, i) => row(i)) }, headers);
  const dry = (url: (i: number) => string) =>
    bulk((i) => ({ destination_url: url(i) }), 500, '?dry_run=true', nextAuth());
  const wide = (start: string, unit: string) => start + fill(unit, 2_040 - start.length);

  const base64url = (text: string) => Buffer.from(text).toString('base64url');
  /** Destinations that name twelve other hosts each. */
  const twelve = (name: string, domain: string) =>
    dry((i) => {
      const nested = Array.from({ length: 12 }, (_, j) => `u=http://${name}-${i}x${j}.${domain}/a/b?c`);
      return `https://w${i}.wikipedia.org/?${nested.join('&')}`;
    });
  const manyHeaders = (count: number) => Array.from({ length: count }, (_, i) => `a${i}: b\r\n`).join('');

  return [
    ...kinds('visitor', 'redirect', {
      'dots, then a plus': () => get(`/${fill('.', HEAD)}x+`),
      'every trailing punctuation': () => get(`/${fill(`/.,)]'!;:`, HEAD)}x`),
      'percent-encoded dots': () => get(`/${fill('%2E', HEAD)}x+`),
      'plus signs': () => get(`/${fill('+', HEAD)}`),
      'one long word': () => get(`/${fill('a', HEAD)}`),
      'bytes that are no UTF-8': () => get(`/${fill('%FF', HEAD)}`),
      'broken percent-encoding': () => get(`/${fill('%', HEAD)}`),
      markup: () => get(`/${fill('%3Cb%3E', HEAD)}`),
      'absolute form with a long host': () => get(`http://${fill('a.', HEAD)}/${slug}`),
      'absolute form with a long scheme': () => get(`${fill('a', HEAD)}:/`),
      'a query of languages': () => get(`/${slug}?${fill('lang=xx&', HEAD)}`),
      'a page with a query of languages': () => get(`/zzzzzzz?${fill('lang=xx&', HEAD)}`),
      'a page with a query of ampersands': () => get(`/zzzzzzz?${fill('&', HEAD)}`),
      'a page with a query of percent signs': () => get(`/zzzzzzz?${fill('%25', HEAD)}`),
      'a page, Accept of parameters': () => get('/zzzzzzz', `Accept: text/html${fill(';q=0', HEAD)}\r\n`),
      'a page, Accept of ranges': () => get('/zzzzzzz', `Accept: ${fill('a/b;q=0.1, ', HEAD)}\r\n`),
      'a page, Accept-Language of ranges': () => get('/zzzzzzz', `Accept-Language: ${fill('de;q=0.1,', HEAD)}\r\n`),
      'a page, Accept-Language of spaces': () => get('/zzzzzzz', `Accept-Language: a${fill(' ', HEAD)}b\r\n`),
      'a click, User-Agent of brackets': () => get(`/${slug}`, `User-Agent: Mozilla/5.0 ${fill('(', HEAD)}\r\n`),
      'a click, User-Agents of platforms, each another': (n) =>
        get(`/${slug}`, `User-Agent: ${n} ${fill('Android; Mobile Safari/ ', HEAD)}\r\n`),
      'a click, User-Agents of digits, each another': (n) =>
        get(`/${slug}`, `User-Agent: ${n} Version/${fill('1.', HEAD)}\r\n`),
      'a click, User-Agent of high bytes': () =>
        get(`/${slug}`, `User-Agent: ${Buffer.alloc(HEAD, 0xfc).toString('latin1')}\r\n`),
      'a click, Referer of one host': () => get(`/${slug}`, `Referer: https://${fill('a.', HEAD)}/\r\n`),
      'a click, Referer of quotes': () => get(`/${slug}`, `Referer: ${fill('"\\', HEAD)}\r\n`),
      'a click, X-Forwarded-For of addresses': () =>
        get(`/${slug}`, `X-Forwarded-For: ${fill('127.0.0.1, ', HEAD)}\r\n`),
      'a click, X-Forwarded-For of colons': () => get(`/${slug}`, `X-Forwarded-For: ${fill('::', HEAD)}\r\n`),
      'five thousand headers': () => get(`/${slug}`, manyHeaders(5_000)),
      'one header that is too long': () => get(`/${slug}`, `A: ${fill('a', 60_000)}\r\n`),
      Expect: () => [head(`GET /${slug}`, 'Expect: 100-continue\r\n')],
      Upgrade: () => [head(`GET /${slug}`, 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n')],
      'a POST that promises a gigabyte': () => [head('POST /', 'Content-Length: 1073741824\r\n'), fill('a', 60_000)],
      'a POST of one-byte chunks': () => chunked('/', 20_000, ''),
      'two lengths': () => [head('GET /', 'Content-Length: 1\r\nContent-Length: 2\r\n')],
      'a coding that is none': () => [head('GET /', 'Transfer-Encoding: gzip, chunked\r\n'), '0\r\n\r\n'],
      'OPTIONS of everything': () => [head('OPTIONS *')],
      HEAD: () => [head(`HEAD /${slug}`)],
      'a pass of 15 kB': () => get(`/${slug}?pass=${fill('a', HEAD)}`),
      'a query of passes': () => get(`/${slug}?${fill('pass=aaaaaaaaaaaaaaaaaaaaaa&', HEAD)}`),
      'unknown slugs, each another': (n) => get(`/u${(n + 100_000).toString(36)}${n % 7}`),
      'previews of a long destination': () => get(`/${slugs[1]}+`),
      'JSON twins': () => get(`/${slugs[1]}+`, 'Accept: application/json\r\n'),
      readiness: () => get('/readyz'),
      'the icon': () => get('/favicon.ico'),
      'five hundred pages asked for at once': { unread: 20, request: () => pipelined('/zzzzzzz', 18_500) },
      'icons asked for and not read': { unread: 100, request: () => pipelined('/favicon.ico', 100_000) },
      'heads that never end': { unread: 200, request: () => [`GET /${slug} HTTP/1.1\r\nHost: x\r\nA: `] },
      'connections that say nothing': { unread: 500, request: () => [''] },
    }),
    ...kinds('no key', 'api', {
      'Authorization of spaces': () => get('/api/v1/links', `Authorization: Bearer a${fill(' ', HEAD)}b\r\n`),
      'Authorization like a key': () => get('/api/v1/links', `Authorization: Bearer wp_${fill('A', 46)}\r\n`),
      'a path of percent signs': () => get(`/api/v1/links/${fill('%25', HEAD)}`),
      'a path of slashes': () => get(fill('/', HEAD)),
      'a path that cannot be decoded': () => get(`/api/v1/links/${fill('%', HEAD)}`),
      'a sign-in token of any length': () => get(`/sign-in/${fill('a', HEAD)}`),
      'sign-in tokens, each another': (n) => get(`/sign-in/${n}`),
      'sign-in by POST': (n) => post(`/sign-in/${n}`, fill('a', 1_000), ''),
      traceparent: () => get('/healthz', `traceparent: 00-${fill('0', HEAD)}\r\n`),
      tracestate: () => get('/healthz', `tracestate: ${fill('a=b,', HEAD)}\r\n`),
      'X-Request-Id': () => get('/healthz', `X-Request-Id: ${fill('a', HEAD)}\r\n`),
      'the reference page': () => get('/docs'),
      'the description': () => get('/openapi.json'),
      'the first page': () => get('/'),
      readiness: () => get('/readyz'),
      'a body of 2 MiB': () => create(fill('[', BODY), ''),
      'a body of one-byte chunks': () => chunked('/api/v1/links', 200_000, ''),
      'a body where nothing is': () => post('/nothing', fill('[', BODY), ''),
      'five thousand headers': () => get('/api/v1/links', manyHeaders(5_000)),
      'a query of ampersands': () => get(`/openapi.json?${fill('&', HEAD)}`),
      'a sign-in with a body of 2 MiB': () => post('/session', fill('[', BODY), ''),
      'a sign-in with a password of 2 MiB': () =>
        post('/session', { email: 'a@example.org', password: fill('a', BODY - 100) }, ''),
      'sign-ins, each another name': (n) =>
        post('/session', { email: `a${n}@example.org`, password: fill('a', 1_000) }, ''),
      'a session of 15 kB': () => get('/api/v1/account', `Cookie: waypost_session=${fill('a', HEAD)}\r\n`),
      'two thousand cookies': () => get('/api/v1/account', `Cookie: ${fill('a=b; ', HEAD)}\r\n`),
      'a first account with a token of 2 MiB': () =>
        post('/first-run', { token: fill('a', BODY - 100), email: 'a', password: 'b' }, ''),
      'challenges for passkeys': () => post('/session/passkey/challenge', '', ''),
      'a passkey of 16 kB': () =>
        post('/session/passkey', { passkey: { id: 'a', response: { signature: fill('a', 16_000) } } }, ''),
      'the report page of a long link': () => get(`/report?link=${fill('%26', HEAD)}`),
      'a report of 2 MiB': () => post('/report', fill('a=b&', BODY), FORM),
      'reports of links that are not there': (n) => post('/report', `link=nothere${n}&category=spam`, FORM),
      'cases that are not there': (n) => get(`/report/${n}${fill('a', 14)}`),
      'an asset of dots': () => get(`/assets/${fill('../', HEAD)}`),
      'a tool call of 2 MiB': () => post('/mcp', fill('[', BODY), ''),
      'descriptions asked for and not read': { unread: 100, request: () => pipelined('/openapi.json', 40_000) },
      'heads that never end': { unread: 200, request: () => ['GET /api/v1/links HTTP/1.1\r\nHost: x\r\nA: '] },
    }),
    ...kinds('key', 'api', {
      'tools: a message of 2 MiB': () => tool(fill('a', BODY - 300)),
      'tools: 100,000 messages': () => post('/mcp', `[${fill('{},', 300_000)}{}]`, mcp),
      'tools: 100,000 fields': () =>
        tool({ ...Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`f${i}`, 1])) }),
      'tools: 500 rows of faults': () => tool({ links: Array(500).fill({ destination_url: 1, tags: 2 }) }),
      'tools: tags of 700,000 objects': () =>
        tool({ destination_url: 'https://a.example/', tags: Array(690_000).fill({}) }, 'create_short_link'),
      'tools: a code of a long URL': () => tool({ slug }, 'generate_qr'),
      'webhooks: an address of 2 MB': () =>
        post('/api/v1/webhooks', { url: `https://a.example/${fill('a', BODY - 200)}`, events: ['link.created'] }),
      'webhooks: 500,000 events': () =>
        post('/api/v1/webhooks', { url: 'https://a.example/', events: Array(500_000).fill('a') }),
      'account: keys with names of 2 MB': () =>
        post('/api/v1/account/keys', { name: fill('a', BODY - 100), scopes: ['read'] }),
      'account: its end, with an address of 2 MB': () =>
        send('DELETE', '/api/v1/account', { email: fill('a', BODY - 100) }),
      'account: everything about it': () => get('/api/v1/account/export', auth),
      'account: everything after 15 kB': () => get(`/api/v1/account/export?after=${fill('a', HEAD - 200)}`, auth),
      'counts and tags in use': () => get('/api/v1/facets', auth),
      'scans of a link': () => get(`/api/v1/links/${slug}/scan`, auth),
      'tags: 200,000 numbers': () => create(link({ tags: Array(200_000).fill(1) })),
      'tags: 700,000 objects': () => create(link({ tags: Array(700_000).fill({}) })),
      'tags: objects that differ': () =>
        create(link({ tags: Array.from({ length: 150_000 }, (_, i) => ({ [i.toString(36)]: 1 })) })),
      'tags: one text of 2 MB': () => create(link({ tags: [fill('a', BODY - 200)] })),
      'tags: one text of 500,000 emoji': () => create(link({ tags: [fill('😀', 1_000_000)] })),
      'tags: one text of white space': () => create(link({ tags: [`a${fill(' ', BODY - 200)}b`] })),
      '2 MB of unknown fields': () => {
        const fields = Array.from({ length: 140_000 }, (_, i) => `"f${i}":1`).join(',');
        return create(`{"destination_url":"https://a.example/",${fields}}`);
      },
      'unknown fields with long names': () =>
        create(`{${Array.from({ length: 20 }, (_, i) => `"${i}${fill('x', 100_000)}":1`).join(',')}}`),
      'the same field again and again': () => create(`{${fill('"tags":[],', BODY - 100)}"tags":[]}`),
      'a million brackets': () => create(fill('[', 1_000_000) + fill(']', 1_000_000)),
      '200,000 nested objects': () => create(fill('{"a":', 1_000_000) + 1 + fill('}', 200_000)),
      'a destination of 2 MB': () => create(link({ destination_url: `https://a.example/${fill('a', BODY - 300)}` })),
      'a destination of white space': () => create(link({ destination_url: `http://a${fill(' ', 8_180)}b` })),
      'a destination of labels': () => create(link({ destination_url: `http://${fill('a.', 2_000)}example.org/` })),
      'a destination in punycode': () => create(link({ destination_url: `http://xn--${fill('z9', 2_000)}.example/` })),
      'a destination of percent escapes': () => create(link({ destination_url: wide('http://a.example/', '%25') })),
      'a slug of 2 MB': () => create(link({ custom_slug: fill('a', BODY - 300) })),
      'prototype fields': () => create(`{${fill('"__proto__":{},', BODY - 100)}"a":1}`),
      'a number of 2 MB': () => create(`{"destination_url":${fill('1', BODY - 100)}}`),
      escapes: () => create(`{"destination_url":"${fill('\\u0000', BODY - 100)}"}`),
      'white space': () => create(`${fill(' ', BODY - 10)}{}`),
      'a fault at the end of 2 MB': () => create(`{"a":"${fill('a', BODY - 20)}"`),
      'bytes that are no UTF-8': () => create(Buffer.alloc(BODY - 10, 0xff)),
      'a gigabyte in a megabyte': () => create(gzipSync(Buffer.alloc(64 * BODY)), `${auth}Content-Encoding: gzip\r\n`),
      'gzip that becomes tags': () =>
        create(gzipSync(link({ tags: Array(900_000).fill(1) })), `${auth}Content-Encoding: gzip\r\n`),
      'deflate that becomes fields': () =>
        create(deflateSync(`{${fill('"a":1,', BODY - 100)}"b":1}`), `${auth}Content-Encoding: deflate\r\n`),
      'brotli that becomes brackets': () =>
        create(brotliCompressSync(fill('[', BODY - 100)), `${auth}Content-Encoding: br\r\n`),
      '200,000 one-byte chunks': () => chunked('/api/v1/links', 200_000),
      'a content type of parameters': () =>
        create('{}', `${auth}Content-Type: application/json${fill(';a=b', HEAD - 200)}\r\n`),
      'a content type of spaces': () =>
        create('{}', `${auth}Content-Type: application/json;charset${fill(' ', HEAD - 200)}x\r\n`),
      'an Idempotency-Key of 15 kB': () => create(link({}), `${auth}Idempotency-Key: ${fill('a', HEAD - 200)}\r\n`),
      'bulk: 250 destinations of white space': () =>
        bulk(() => ({ destination_url: `http://a${fill(' ', 8_180)}b` }), 250),
      'bulk: 500 rows of faults': () =>
        bulk(() => ({ destination_url: 1, custom_slug: 2, tags: 3, a: 1, b: 1, c: 1, d: 1 })),
      'bulk: 500 rows of unknown fields': () =>
        bulk(() => Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, 1]))),
      'bulk: 500 rows of tags': () =>
        bulk(() => ({ destination_url: 'https://a.example/', tags: Array(2_000).fill(1) })),
      'bulk: 501 rows': () => bulk(() => ({ destination_url: 'https://a.example/' }), 501),
      'bulk: one slug 500 times': () =>
        bulk(() => ({ destination_url: 'https://a.example/', custom_slug: 'same-slug' })),
      'dry run: destinations that nest many others': () =>
        dry((i) => wide(`https://w${i}.wikipedia.org/?`, `u=http%3A%2F%2Fn${i}.wikipedia.org%2F&`)),
      'dry run: destinations nested in each other': () =>
        dry((i) => wide(`https://w${i}.wikipedia.org/`, `http://n${i}.wikipedia.org/`)),
      'dry run: names in the path of an archive': () =>
        dry((i) => wide(`https://web.archive.org/web/${i}/`, 'a.wikipedia.org/')),
      'dry run: schemes that parse as nothing': () => dry((i) => wide(`https://w${i}.wikipedia.org/?`, 'x=http://[&')),
      'dry run: tabs inside schemes': () => dry((i) => wide(`https://w${i}.wikipedia.org/?q=`, 'ht%09tp:%5c%5c')),
      'dry run: JSON of URLs': () =>
        dry((i) => wide(`https://w${i}.wikipedia.org/?q=`, '%7B%22u%22%3A%22http%3A%5C%2F%5C%2Fj.wikipedia.org%22%7D')),
      'dry run: three layers of percent-encoding': () => dry((i) => wide(`https://w${i}.wikipedia.org/?q=`, LAYERS)),
      'dry run: base64': () =>
        dry((i) => wide(`https://w${i}.wikipedia.org/?`, `q=${base64url(`https://b${i}.org/`)}&`)),
      'dry run: twelve other hosts in each': () => twelve('paypal-login', 'weebly.com'),
      'dry run: twelve hosts without a sign in each': () => twelve('garden-tools', 'example.org'),
      'dry run: a path of bot-file names': () => dry((i) => wide(`http://93.184.216.34/${i}/`, 'arm7/')),
      'dry run: line ends in nested URLs': () =>
        dry((i) => wide(`https://w${i}.wikipedia.org/?q=`, 'http://n.co/%2509%250a')),
      'dry run: dots in directories': () => dry((i) => wide(`https://w${i}.wikipedia.org/`, '../a/./')),
      'dry run: percent escapes': () => dry((i) => wide(`https://w${i}.wikipedia.org/`, '%2525')),
      'dry run: labels': () => dry((i) => `https://${fill('a.', 200)}w${i}.wikipedia.org/`),
      'dry run: hyphens and brands': () => dry((i) => `https://${fill('paypal-', 56)}${i}.iana.org/`),
      'dry run: look-alike letters': () => dry((i) => `https://${fill('раураl', 12)}${i}.iana.org/`),
      'dry run: parameters': () => dry((i) => wide(`https://w${i}.wikipedia.org/?`, 'a=b&')),
      'dry run: a fragment': () => dry((i) => wide(`https://w${i}.wikipedia.org/#`, 'http://n.wikipedia.org/')),
      'dry run: spellings of addresses': () =>
        dry((i) => `http://0x5d.0${(i % 8).toString(8)}.${i}.34/${fill('a', 1_900)}`),
      'check: an address that nests many others': () =>
        post(
          '/api/v1/check',
          { url: wide('https://w.wikipedia.org/?', 'u=http%3A%2F%2Fn.wikipedia.org%2F&') },
          nextAuth(),
        ),
      'list: a search of 15 kB': () => get(`/api/v1/links?search=${fill('a', HEAD - 200)}`, auth),
      'list: a search of one letter': () => get('/api/v1/links?search=w&limit=100&page=150', auth),
      'list: a search in another script': () => get(`/api/v1/links?search=${fill('%C4%B0', 3_000)}`, auth),
      'list: 3,000 tags': () => get(`/api/v1/links?${fill('tag=a&', HEAD - 200)}tag=a`, auth),
      'list: 8,000 parameters': () => get(`/api/v1/links?${fill('a&', HEAD - 200)}`, auth),
      'list: a page of 15 kB': () => get(`/api/v1/links?page=${fill('1', HEAD - 200)}`, auth),
      'list: the last page': () => get('/api/v1/links?page=999999999999999', auth),
      'list: sorted by destination': () => get('/api/v1/links?sort=destination_url&limit=100&page=100', auth),
      'get: an encoded slug': () => get(`/api/v1/links/${fill('%41', HEAD - 200)}`, auth),
      'revoke: a link that is not there': (n) => post(`/api/v1/links/nothere${n}/revoke`, ''),
      'revoke: a body of 2 MiB': () => post('/api/v1/links/nothere/revoke', fill('[', BODY)),
      'analytics: 90 days': () => get(`/api/v1/links/${slug}/analytics?period=90d`, auth),
      'analytics: of many links': (n) => get(`/api/v1/links/${slugs[n % slugs.length]}/analytics?period=90d`, auth),
      'admin: an e-mail address of 15 kB': () =>
        send('PUT', `/api/v1/admin/accounts/${fill('a@', HEAD - 300)}/limit`, '{}'),
      'admin: a reason of 2 MB': () => post(`/api/v1/admin/links/${slug}/review`, { reason: fill('a', BODY - 100) }),
    }),
    ...kinds('scan', 'internal', {
      '2 MB of unknown fields': () => post('/scan', `{${fill('"abcde":1,', BODY)}"urls":[]}`, ''),
      'a million numbers': () => post('/scan', { urls: Array(1_000_000).fill(1) }, ''),
      '500 texts that are no URL': () => post('/scan', { urls: Array(500).fill(fill('a', 4_000)) }, ''),
      '501 URLs': () => post('/scan', { urls: Array(501).fill('https://a.example/') }, ''),
      'a million brackets': () => post('/scan', `{"urls":${fill('[', 1_000_000)}${fill(']', 1_000_000)}}`, ''),
      'one URL of 4 MB': () => post('/scan', { urls: [fill('a', 2 * BODY - 100)] }, ''),
      'an operator command without a right': () => post('/operator', fill('[', BODY), ''),
    }),
  ];
}
