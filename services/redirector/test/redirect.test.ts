/** The tests cover every row of docs/contract.md, Redirects, on a real server. */
import { createHmac } from 'node:crypto';
import type { OutgoingHttpHeaders } from 'node:http';
import net from 'node:net';
import { afterAll, describe, expect, test } from '@jest/globals';
import { unavailable } from '@waypost/domain';
import { parseProxies } from '@waypost/settings';
import { afterwards } from '@waypost/test-support/afterwards';
import { eventually, link, rawRequest, startRedirector } from './support.ts';

const REVOKED = link('gone123', { status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z', version: 2 });
const FLAGGED = link('bad1234', {
  status: 'flagged',
  threatType: 'phishing',
  destinationUrl: 'https://evil.example/x',
});
const DESTINATION = 'https://example.org/abcDEF1?a=1&b=2';
const JSON_ONLY = { accept: 'application/json' };

const running = await startRedirector([
  link('abcDEF1'),
  REVOKED,
  FLAGGED,
  link('idn1234', { destinationUrl: 'https://bücher.example/straße?q=ü#ä' }),
  link('odd1234', { destinationUrl: 'HTTP://EXAMPLE.org:80/a/../b c' }),
]);
afterAll(() => running.close());

const another: typeof startRedirector = async (...args) => {
  const one = await startRedirector(...args);
  afterwards(one.close);
  return one;
};

async function counted(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 30));
  return running.visited().answers.redirect;
}

describe('active', () => {
  test('answers 302 with the destination, and nothing may cache or index it', async () => {
    const answer = await running.get('/abcDEF1');
    expect(answer.status).toBe(302);
    expect(answer.headers.location).toBe(DESTINATION);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['x-robots-tag']).toBe('noindex');
    expect(answer.headers['strict-transport-security']).toBe('max-age=31536000');
    expect(answer.headers['referrer-policy']).toBeUndefined();
    expect(answer.body).toBe('');
  });

  test('sends Location in ASCII, as the URL standard serialises it', async () => {
    expect((await running.get('/idn1234')).headers.location).toBe(
      'https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%BC#%C3%A4',
    );
    expect((await running.get('/odd1234')).headers.location).toBe('http://example.org/b%20c');
  });

  test('HEAD gets the same answer and never counts', async () => {
    const before = await counted();
    const answer = await running.get('/abcDEF1', { method: 'HEAD' });
    expect([answer.status, answer.headers.location]).toEqual([302, DESTINATION]);
    expect(await counted()).toBe(before);
  });

  test.each([
    ['Sec-Purpose', 'prefetch;prerender'],
    ['Purpose', 'PREFETCH'],
    ['X-Purpose', 'preview'],
    ['X-Moz', 'Prefetch'],
  ])('a prefetch (%s: %s) is redirected and not counted', async (name, value) => {
    const before = await counted();
    expect((await running.get('/abcDEF1', { headers: { [name]: value } })).status).toBe(302);
    expect(await counted()).toBe(before);
  });

  test.each([
    '/',
    '.',
    ',',
    ')',
    ']',
    "'",
    '"',
    '!',
    ';',
    ':',
    '%2E',
    '%29',
    '%22',
    '.)',
    '/).,',
    '%3B%3a',
    '%20',
    '%C2%A0',
    '%E2%80%9D',
    '*',
  ])('forgives a trailing %s', async (tail) => {
    expect((await running.get(`/abcDEF1${tail}`)).status).toBe(302);
  });

  test('forgives spaces and slashes before it', async () => {
    expect((await running.get('//%20abcDEF1')).status).toBe(302);
  });

  test('a percent-encoded slug leads to the same link', async () => {
    expect((await running.get('/%61bcDEF1')).status).toBe(302);
  });
});

describe('revoked', () => {
  test.each(['/gone123', '/gone123+', '/gone123%2B', '/gone123.'])(
    '%s answers 410 and hides the destination',
    async (target) => {
      const answer = await running.get(target);
      expect([answer.status, answer.headers.location]).toEqual([410, undefined]);
      expect(answer.body).toContain('The owner disabled this link');
      expect(answer.body).toContain('19 August 2026');
      expect(answer.body).not.toContain('example.org/gone123?');
    },
  );
});

describe('flagged', () => {
  test.each(['/bad1234', '/bad1234+'])('%s answers 403 and never redirects', async (target) => {
    const answer = await running.get(target);
    expect([answer.status, answer.headers.location]).toEqual([403, undefined]);
    expect(answer.body).toContain('<b>phishing</b>');
    expect(answer.body).not.toContain('evil');
  });

  test('never claims that a program decided, as a person may have taken the link down', async () => {
    expect((await running.get('/bad1234')).body).not.toMatch(/automatic/i);
  });
});

describe('a link with an end', () => {
  const END = '2026-12-01T12:00:00.000Z';
  const rows = [
    link('ends123', { endsAt: END }),
    link('bad1234', { status: 'flagged', threatType: 'phishing', endsAt: END }),
    link('gone123', { status: 'revoked', revokedAt: '2026-08-19T10:00:00.000Z', endsAt: END, version: 2 }),
    link('over123', { status: 'revoked', revokedAt: END, endsAt: END, version: 2 }),
  ];

  test('redirects a millisecond before its end, and never from then on, in memory or not', async () => {
    let now = Date.parse(END) - 1;
    const one = await another(rows, { now: () => now });
    expect((await one.get('/ends123')).status).toBe(302);
    expect((await one.get('/ends123')).status).toBe(302);
    expect((await one.get('/bad1234')).status).toBe(403);
    now += 1;
    const fresh = await another(rows, { now: () => now });
    for (const { get } of [one, fresh]) {
      for (const path of ['/ends123', '/ends123+', '/ends123', '/bad1234', '/over123']) {
        const { status, headers, body } = await get(path);
        expect([path, status, headers.location]).toEqual([path, 410, undefined]);
        expect(body).toContain('ended as planned on <time datetime="2026-12-01T12:00:00.000Z">1 December 2026</time>');
        expect(body).not.toContain('https://example.org');
      }
      const { status, body } = await get('/ends123', { headers: JSON_ONLY });
      expect([status, JSON.parse(body)]).toEqual([
        410,
        {
          slug: 'ends123',
          status: 'revoked',
          threat_type: null,
          destination_url: null,
          revoked_at: END,
          scanned_at: expect.any(String),
          message: expect.stringContaining('ended as planned on 1 December 2026'),
        },
      ]);
      const revoked = await get('/gone123');
      expect([revoked.status, revoked.body.includes('planned')]).toEqual([410, false]);
    }
    expect(one.visited().answers.redirect).toBe(2);
    expect(fresh.visited().answers.redirect).toBe(0);
  });

  test('begins no redirect after its end, from 64 visitors at any moment around it', async () => {
    const began = performance.now();
    const now = () => Date.parse(END) - 40 + (performance.now() - began);
    const one = await another(rows, { now });
    const late: number[] = [];
    let redirects = 0;
    const visitor = async () => {
      for (;;) {
        const at = now();
        const { status } = await one.get('/ends123');
        if (at >= Date.parse(END)) late.push(status);
        else if (status === 302) redirects++;
        if (late.length > 128) return;
      }
    };
    await Promise.all(Array.from({ length: 64 }, visitor));
    expect(new Set(late)).toEqual(new Set([410]));
    expect(one.visited().answers.redirect).toBeGreaterThanOrEqual(redirects);
  });

  test('says on its preview when it ends', async () => {
    const one = await another(rows, { now: () => Date.parse(END) - 1 });
    const { status, body } = await one.get('/ends123+');
    expect(status).toBe(200);
    expect(body).toContain('It ends on <time datetime="2026-12-01T12:00:00.000Z">1 December 2026</time>.');
  });
});

describe('unknown and malformed', () => {
  test('a malformed slug never reaches the store', async () => {
    const before = running.reader.lookups.length;
    for (const target of ['/a', '/-abc', `/${'a'.repeat(51)}`, '/a%20b', '/a/b']) {
      expect((await running.get(target)).status).toBe(404);
    }
    expect(running.reader.lookups.length).toBe(before);
  });

  test.each([
    'GET //',
    'GET //abcDEF1',
    'GET /../../etc/passwd',
    'GET /..%2f..%2fetc',
    'GET /%00',
    'GET /abc%00DEF',
    'GET /%',
    'GET /%zz',
    'GET /%ff%fe',
    'GET /%ed%a0%80',
    'GET /%E2%80%AEabc',
    'GET http://',
    'GET http://[::1',
    'GET http://a/%2B',
    'GET /?',
    'GET /+',
    'GET /++',
    'GET /abc+def',
    `GET /${'a'.repeat(8_000)}`,
    `GET /${'%41'.repeat(2_500)}`,
    `GET /abc${'.'.repeat(8_000)}x`,
    `GET /${'.'.repeat(15_900)}x+`,
    `GET /abc?${'lang=xx&'.repeat(900)}`,
  ])('%s never causes a server error', async (line) => {
    const first = await rawRequest(running.port, `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect(first).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
  });

  test('bytes that are not UTF-8 in the request line cause no server error', async () => {
    const bytes = Buffer.concat([
      Buffer.from('GET /a'),
      Buffer.from([0xff, 0xc3, 0x28]),
      Buffer.from(' HTTP/1.1\r\nHost: x\r\n\r\n'),
    ]);
    expect(await rawRequest(running.port, bytes)).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test('closes a connection that pipelines a thousand pages, and answers others', async () => {
    const flood = net.connect(running.port, '127.0.0.1', () =>
      flood.write('GET /nothing1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1_000)),
    );
    let answers = 0;
    flood.on('data', (bytes) => {
      answers += bytes.toString().split('HTTP/1.1 ').length - 1;
    });
    await new Promise((resolve) => flood.once('error', resolve).once('close', resolve));
    expect(answers).toBeLessThanOrEqual(64);
    expect((await running.get('/abcDEF1')).status).toBe(302);
  });
});

describe('preview', () => {
  test.each(['/abcDEF1+', '/abcDEF1%2B', '/abcDEF1%2b', '/abcDEF1+.', '/abcDEF1+?lang=en'])(
    '%s shows the destination as text and counts no click',
    async (target) => {
      const before = await counted();
      const answer = await running.get(target);
      expect(answer.status).toBe(200);
      expect(answer.body).toContain('https://example.org/abcDEF1?a=1&amp;b=2');
      expect(answer.body).toContain('No threat was found 14 minutes ago.');
      expect(answer.body).toContain('href="/abcDEF1"');
      expect(answer.body).not.toMatch(/href="https?:/);
      expect(await counted()).toBe(before);
    },
  );
});

describe('pages', () => {
  const nothing = { threat_type: null, destination_url: null, revoked_at: null, scanned_at: null };
  const scanned_at = REVOKED.scannedAt;
  test.each([
    ['/gone123', 410, { slug: 'gone123', status: 'revoked', revoked_at: REVOKED.revokedAt, scanned_at }],
    ['/gone123+', 410, { slug: 'gone123', status: 'revoked', revoked_at: REVOKED.revokedAt, scanned_at }],
    ['/bad1234', 403, { slug: 'bad1234', status: 'flagged', threat_type: 'phishing', scanned_at }],
    ['/bad1234+', 403, { slug: 'bad1234', status: 'flagged', threat_type: 'phishing', scanned_at }],
    ['/abcDEF1+', 200, { slug: 'abcDEF1', status: 'active', destination_url: DESTINATION, scanned_at }],
    ['/unknown1', 404, { slug: 'unknown1', status: 'not_found' }],
    ['/api/v1/links', 404, { slug: 'api/v1/links', status: 'not_found' }],
  ])('%s answers JSON with the status %i and the same facts', async (target, status, facts) => {
    const { status: answered, headers, body } = await running.get(target, { headers: JSON_ONLY });
    expect([answered, headers.location]).toEqual([status, undefined]);
    expect(JSON.parse(body)).toEqual({ ...nothing, ...facts, message: expect.stringMatching(/\S/) });
  });

  test('have headers that forbid scripts and caching', async () => {
    const { headers, body } = await running.get('/nothere');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; img-src 'self'; form-action 'self'; frame-ancestors 'none'/,
    );
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      vary: 'Accept, Accept-Language',
      'content-language': 'en',
      'content-type': 'text/html; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
    });
  });

  test.each([
    [{ 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' }, '/nothere', 'de'],
    [{ 'accept-language': 'zh,ja;q=0.4,fr;q=0.7' }, '/nothere', 'fr'],
    [{ 'accept-language': 'xx' }, '/nothere', 'en'],
    [{ 'accept-language': 'de;q=0' }, '/nothere', 'en'],
    [{ 'accept-language': 'de' }, '/nothere?lang=ar', 'ar'],
    [{ 'accept-language': 'pt-BR' }, '/nothere?lang=klingon', 'pt'],
  ])('a request with %j %s is answered in %s', async (headers, target, language) => {
    const answer = await running.get(target, { headers });
    expect(answer.headers['content-language']).toBe(language);
    expect(answer.body).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
  });

  test.each([
    ['*/*', 'html'],
    ['text/html,application/xhtml+xml,*/*;q=0.8', 'html'],
    ['application/json', 'json'],
    ['application/json, text/plain, */*', 'json'],
    ['text/html;q=0.5, application/json', 'json'],
    ['application/json;q=0.4, text/html;q=0.5', 'html'],
    ['application/json, text/html', 'html'],
    ['application/*', 'json'],
    ['application/json;q=0', 'html'],
    ['APPLICATION/JSON', 'json'],
    ['', 'html'],
    [';;;q=,,', 'html'],
  ])('a request with Accept: %s gets %s', async (accept, kind) => {
    const answer = await running.get('/nothere', { headers: { accept } });
    expect(answer.headers['content-type']).toContain(kind);
  });

  test('HEAD gets the headers of GET without the body', async () => {
    const get = await running.get('/gone123');
    const head = await running.get('/gone123', { method: 'HEAD' });
    expect(head.status).toBe(410);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('paths other than links', () => {
  test('robots.txt, favicon.ico and security.txt are served', async () => {
    expect((await running.get('/robots.txt')).body).toBe('User-agent: *\nDisallow:\n');
    const icon = await running.get('/favicon.ico');
    expect([icon.status, icon.headers['content-type']]).toEqual([200, 'image/x-icon']);
    const { body } = await running.get('/.well-known/security.txt');
    expect(body).toMatch(/^Contact: mailto:security@example\.org$/m);
    const expires = /^Expires: (.+)$/m.exec(body)?.[1] ?? '';
    expect(Date.parse(expires)).toBeGreaterThan(Date.now());
    expect(Date.parse(expires)).toBeLessThan(Date.now() + 365 * 86_400_000);
  });

  test('/readyz shows names and states only, and "not ready" if the states are unknown', async () => {
    const states = { click_log: { ok: true }, store: { ok: false } };
    const answers = [
      async () => ({ status: 'not_ready' as const, dependencies: states }),
      async () => Promise.reject(new Error('gone')),
    ];
    for (const [i, readiness] of answers.entries()) {
      const other = await another([], { readiness });
      const answer = await other.get('/readyz');
      expect(answer.status).toBe(503);
      expect(JSON.parse(answer.body)).toEqual({ status: 'not_ready', dependencies: i === 0 ? states : {} });
    }
  });
});

describe('the click', () => {
  async function clickOf(headers: OutgoingHttpHeaders, more: Parameters<typeof startRedirector>[1] = {}) {
    const { get, clicks } = await another([link('abcDEF1')], more);
    await get('/abcDEF1', { headers });
    await eventually(() => expect(clicks()).toHaveLength(1));
    return clicks()[0]!;
  }
  const visitorAt = (address: string) =>
    createHmac('sha256', Buffer.alloc(32, 1)).update(`abcDEF1${address}`).digest('hex').slice(0, 16);

  test('reaches the bus within seconds, with a keyed hash instead of the address', async () => {
    const click = await clickOf({ 'user-agent': 'Test "UA" \\ é', referer: 'https://news.example/a?token=secret#x' });
    expect(click).toMatchObject({
      slug: 'abcDEF1',
      visitor: visitorAt('127.0.0.1'),
      country: 'ZZ',
      referrer: 'https://news.example',
    });
    expect(JSON.stringify(click)).not.toContain('127.0.0.1');
  });

  test.each([
    ['https://ada:secret@news.example/a', 'https://news.example'],
    ['https://news.example?token=secret', 'https://news.example'],
    ['https:\\\\news.example\\secret', ''],
    ['news.example/secret', ''],
    ['mailto:secret@news.example', ''],
  ])('has only the scheme and host of the referrer %s', async (referer, referrer) => {
    expect(await clickOf({ referer })).toMatchObject({ referrer });
  });

  test('says that its visitor named no browser', async () => {
    expect(await clickOf({ 'user-agent': '' })).toMatchObject({ user_agent: '-' });
    expect(await clickOf({})).toMatchObject({ user_agent: '-' });
  });

  test.each([
    ['honour', { dnt: '1' }, true],
    ['honour', { 'sec-gpc': '1' }, true],
    ['honour', { dnt: '0' }, false],
    ['honour', {}, false],
    ['ignore', { dnt: '1', 'sec-gpc': '1' }, false],
  ] as const)('respects privacy signals as configured: %s, %j', async (privacySignals, signals, isUnidentified) => {
    const other = await another([link('abcDEF1')], { privacySignals, trustedProxies: parseProxies(['127.0.0.1']) });
    for (const address of ['8.8.8.8', '9.9.9.9'])
      await other.get('/abcDEF1', {
        headers: { ...signals, 'user-agent': 'UA', referer: 'https://news.example/', 'x-forwarded-for': address },
      });
    await eventually(() => expect(other.clicks()).toHaveLength(2));
    const [one, two] = other.clicks();
    const nothing = { country: 'ZZ', user_agent: '', referrer: '' };
    const all = { country: 'US', user_agent: 'UA', referrer: 'https://news.example' };
    expect(one).toMatchObject(isUnidentified ? nothing : all);
    expect(one!.visitor === two!.visitor).toBe(isUnidentified);
  });

  test.each([
    [[], '8.8.8.8', '127.0.0.1'],
    [['127.0.0.0/8', '10.0.0.0/8'], '1.1.1.1, 8.8.8.8:4711, 10.0.0.7', '8.8.8.8'],
    [['127.0.0.1'], '::ffff:8.8.4.4', '8.8.4.4'],
    [['127.0.0.1'], '[2001:0DB8:0:0::1]:443', '2001:db8::1'],
    [['127.0.0.1'], '8.8.8.8, nonsense', '127.0.0.1'],
    [['127.0.0.0/8', '10.0.0.0/8'], '8.8.8.8,', '8.8.8.8'],
    [['127.0.0.0/8', '10.0.0.0/8'], '1.1.1.1,8.8.8.8, ,10.0.0.7 , ', '8.8.8.8'],
    [['127.0.0.1'], ' , ', '127.0.0.1'],
    [['127.0.0.1'], '999.1.1.1', '127.0.0.1'],
  ])(
    'uses the forwarded address only from a trusted proxy, and then the last untrusted hop: %j, %s is %s',
    async (trusted, forwarded, address) => {
      const { visitor } = await clickOf({ 'x-forwarded-for': forwarded }, { trustedProxies: parseProxies(trusted) });
      expect(visitor).toBe(visitorAt(address));
    },
  );

  test('a client that disconnects at any moment does no harm to others', async () => {
    const other = await another([link('abcDEF1')]);
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => {
        return new Promise<void>((resolve) => {
          const socket = net.connect(other.port, '127.0.0.1', () => {
            socket.write('GET /abcDEF1 HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(3).slice(0, 30 + i * 2), () =>
              socket.resetAndDestroy(),
            );
          });
          socket.on('close', () => resolve());
          socket.on('error', () => undefined);
        });
      }),
    );
    expect((await other.get('/abcDEF1')).status).toBe(302);
  });
});

describe('a failing store', () => {
  test('answers 503 with Retry-After, never 404', async () => {
    const other = await another([], {
      reader: {
        find: async () => {
          throw unavailable('down');
        },
      },
    });
    for (const target of ['/abcDEF1', '/abcDEF1+']) {
      const answer = await other.get(target);
      expect(answer.status).toBe(503);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    const json = await other.get('/abcDEF1', { headers: JSON_ONLY });
    expect(JSON.parse(json.body)).toMatchObject({ slug: 'abcDEF1', status: 'unavailable' });
  });
});

test('counts the open connections of visitors', async () => {
  const other = await another();
  expect((await other.redirector.status()).openConnections).toBe(0);
  const visitors = [net.connect(other.port, '127.0.0.1'), net.connect(other.port, '127.0.0.1')];
  await eventually(async () => expect((await other.redirector.status()).openConnections).toBe(2));
  for (const visitor of visitors) visitor.destroy();
  await eventually(async () => expect((await other.redirector.status()).openConnections).toBe(0));
});

describe('stopping', () => {
  test('answers pending requests, captures their clicks, and takes no new connection', async () => {
    let find: ((record: ReturnType<typeof link>) => void) | undefined;
    const other = await startRedirector([], {
      reader: { find: () => new Promise((resolve) => (find = resolve)) },
    });
    const answer = other.get('/abcDEF1');
    await eventually(() => expect(find).toBeDefined());
    const stopped = other.close();
    find?.(link('abcDEF1'));
    expect((await answer).status).toBe(302);
    await stopped;
    expect(await other.redirector.status()).toMatchObject({ captured: 1, uncaptured: 0 });
    await expect(other.get('/abcDEF1')).rejects.toThrow();
  });
});
