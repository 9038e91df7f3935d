import { describe, expect, test } from '@jest/globals';
import { costOfDoubling } from '@waypost/test-support';
import fc from 'fast-check';
import { checkDestinationUrl, NO_ALLOWED_HOSTS, parseAllowed, type UrlPolicy } from './destination-url.ts';

const SUFFIXES = new Set(
  'com net org uk co.uk gov.uk nhs.uk br gov.br ac.gov.br fr gouv.fr au com.au la jp de xn--p1ai xn--wgbh1c'.split(' '),
);

function registrableDomain(host: string): string | null {
  const labels = host.split('.');
  for (let at = 0; at < labels.length; at++) {
    if (SUFFIXES.has(labels.slice(at).join('.'))) return at === 0 ? null : labels.slice(at - 1).join('.');
  }
  return labels.slice(-2).join('.');
}

const OWN_HOSTS = ['sho.example.com:443', 'own.example.org'];
const POLICY: UrlPolicy = { registrableDomain, ownHosts: OWN_HOSTS, allowed: NO_ALLOWED_HOSTS };

function check(input: unknown, policy: Partial<UrlPolicy> = {}) {
  return checkDestinationUrl(input, { ...POLICY, ...policy });
}

function allowing(...list: string[]): Partial<UrlPolicy> {
  return { allowed: parseAllowed(list) };
}

describe('a destination URL', () => {
  test.each([
    ['https://example.com/a?b=c#d'],
    ['HTTP://EXAMPLE.com'],
    ['https://example.com./'],
    ['https://bücher.de/'],
    ['https://правительство.xn--p1ai/'],
    ['https://example.com:8443/x'],
    ['https://1.1.1.1/'],
    ['http://134744072/'],
    ['https://[2606:4700:4700::1111]/'],
    ['https://medium.com/@user'],
    ['https://my_shop--x.a-b.example.com/'],
    ['https://example.com/%0d%0aSet-Cookie:%20a=b'],
    ["https://example.com/'><svg/onload=alert(1)>"],
    ['https://gov.uk/check-mot-status'],
    ['https://nhs.uk/'],
    ['https://gouv.fr/'],
    ['https://ac.gov.br/'],
  ])('may be %s', (url) => {
    expect(check(url)).toMatchObject({ ok: true, destinationUrl: url, href: new URL(url).href });
  });

  test.each([
    [null, 'must be a string'],
    [['https://example.com'], 'must be a string'],
    ['', 'must not be empty'],
    [' \t', 'must not be empty'],
    ['example.com', 'http://'],
    ['javascript:alert(1)', 'http://'],
    ['ftp://example.com/', 'http://'],
    ['https:///example.com', 'http://'],
    ['https:/example.com', 'http://'],
    ['https:\\\\example.com', 'http://'],
    ['https://?q=1', 'must have a host'],
    ['https://user@example.com/', 'user name'],
    ['https://example.com\\@evil.example.org', 'user name'],
    ['https://example.com\\.evil.example.org/', 'backslash'],
    ['https://example.com /', 'white space'],
    ['https://exam\nple.com/', 'control characters'],
    ['https://example.com/\u0000', 'control characters'],
    ['https://example.com/\u007f', 'control characters'],
    ['https://example.com/a\u2028b', 'direction'],
    ['https://example.com/photo\u202egpj.exe', 'direction'],
    ['https://example.com/\ud800', 'invalid Unicode'],
    ['https://example.com/%00', '%00'],
    ['https://exa{mple}.com/', 'host name'],
    ['https://xn--0.pt/', 'host name'],
    ['https://xn--/', 'host name'],
    ['https://exa%6dple/', 'public host'],
    ['https://\u0640.com/', 'host name'],
    [`https://${'a'.repeat(64)}.com/`, 'host name'],
    ['https://-example.com/', 'host name'],
    ['https://example-.com/', 'host name'],
    ['https://a.-b.example.com/', 'host name'],
    ['https://a.b-.example.com./', 'host name'],
    ['http://localhost/', 'public host'],
    ['http://db.internal/', 'public host'],
    ['http://x.example/', 'public host'],
    ['http://co.uk/', 'public suffix'],
    ['http://com.au/', 'public suffix'],
    ['http://com/', 'public host'],
    ['http://127.0.0.1/', 'private or reserved'],
    ['http://0x7f.1/', 'private or reserved'],
    ['http://１２７.0.0.1/', 'private or reserved'],
    ['http://[fd00::1]/', 'private or reserved'],
    ['http://10.1/', 'private or reserved'],
    ['http://169.254.169.254/', 'private or reserved'],
    ['http://[::1]/', 'private or reserved'],
    ['http://[::ffff:8.8.8.8]/', 'private or reserved'],
    ['http://[64:ff9b::a9fe:a9fe]/', 'private or reserved'],
    ['http://example.com:0/', 'port 0'],
    ['http://example.com:22/', 'port 22'],
    ['http://example.com:6379/', 'port 6379'],
    ['http://example.com:65536/', 'cannot be read'],
    ['https://SHO.example.com.:8443/abc', 'this service'],
    ['https://own.example.org/abc', 'this service'],
    ['https://x.y.OWN.example.org./abc', 'this service'],
    [`https://example.com/${'é'.repeat(400)}`, '2048 bytes'],
    [`https://example.com/${'é'.repeat(1_020)}`, '2048 bytes'],
    [`https://example.com/${'a'.repeat(2029)}`, '2048 bytes'],
  ])('may not be %j', (url, problem) => {
    expect(check(url)).toEqual({ ok: false, problem: expect.stringContaining(problem) });
  });

  test('is trimmed at its ends and otherwise stored as sent', () => {
    for (const space of ['\r\n\t \u00a0\ufeff', '\v\f\u0085\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000']) {
      expect(check(`${space}https://EXAMPLE.com/a b${space}`)).toMatchObject({
        destinationUrl: 'https://EXAMPLE.com/a b',
        href: 'https://example.com/a%20b',
      });
    }
  });

  test('may have exactly 2,048 bytes, without the white space around it', () => {
    expect(check(`https://example.com/${'a'.repeat(2028)}`).ok).toBe(true);
    expect(check(`${' '.repeat(256)}https://example.com/${'a'.repeat(2028)}${'\n'.repeat(256)}`).ok).toBe(true);
  });

  test('may have a host whose name only contains the name of this service, or is below it', () => {
    expect(check('https://shop.sho.example.com/spring').ok).toBe(true);
    expect(check('https://sho.example.com.evil.org/').ok).toBe(true);
    expect(check('https://xsho.example.com/').ok).toBe(true);
  });
});

describe('allowed hosts', () => {
  test('permit exactly the listed hosts and networks, on any port', () => {
    const policy = allowing('localhost', '127.0.0.0/8', 'intranet', '.corp', 'fd00::/8');
    for (const url of ['http://localhost:6379/', 'http://127.9.9.9:22/', 'http://intranet/', 'http://a.corp/']) {
      expect(check(url, policy)).toMatchObject({ ok: true, allowedHost: true });
    }
    expect(check('http://[fd00::1]/', policy).ok).toBe(true);
    expect(check('https://example.com/', policy)).toMatchObject({ ok: true, allowedHost: false });
    for (const url of ['http://10.0.0.1/', 'http://x.intranet/', 'http://corp/', 'http://localhost:0/']) {
      expect(check(url, policy).ok).toBe(false);
    }
  });

  test('do not permit the service itself, on its own port', () => {
    const policy = { ...allowing('localhost'), ownHosts: ['localhost:8081'] };
    expect(check('http://localhost:8081/abc', policy).ok).toBe(false);
    expect(check('http://localhost:9999/abc', policy).ok).toBe(true);
    expect(check('http://localhost:9999/abc', { ownHosts: ['localhost:8081'] }).ok).toBe(false);
  });

  test('permit a host below one of OWN_HOSTS, on any port', () => {
    for (const port of ['', ':8443', ':22']) {
      expect(check(`https://shop.own.example.org${port}/`, allowing('shop.own.example.org')).ok).toBe(true);
      expect(check(`https://shop.own.example.org${port}/`).ok).toBe(false);
    }
  });

  test('are refused with an error that names every malformed entry', () => {
    expect(() => parseAllowed(['ok.test', '10.0.0.256', '10.0.0.0/33', 'a b', ''])).toThrow(
      'not a host name or CIDR: "10.0.0.256", "10.0.0.0/33", "a b", ""',
    );
    expect(() => parseAllowed(['010.0.0.0/8', '10.0.0.0/08', '1.2.3.4::'])).toThrow(
      'not a host name or CIDR: "010.0.0.0/8", "10.0.0.0/08", "1.2.3.4::"',
    );
  });
});

describe('checking a URL of twice the size', () => {
  const hostile: [string, (size: number) => string][] = [
    ['white space inside', (size) => `http://a${' '.repeat(size)}b`],
    ['white space around', (size) => `${' '.repeat(size)}http://a.com${' '.repeat(size)}`],
    ['labels', (size) => `http://${'a.'.repeat(size / 2)}com/`],
    ['hyphens', (size) => `http://${'-'.repeat(size)}.com/`],
    ['an encoded label', (size) => `http://xn--${'a'.repeat(size)}.com/`],
    ['encoded labels', (size) => `http://${'xn--bcher-kva.'.repeat(size / 14)}com/`],
    ['escapes', (size) => `http://a.com/${'%25'.repeat(size / 3)}00`],
    ['digits of an address', (size) => `http://${'1'.repeat(size)}.1/`],
    ['colons', (size) => `http://[${'1:'.repeat(size / 2)}]/`],
    ['slashes', (size) => `http://${'/'.repeat(size)}`],
    ['what is not ASCII', (size) => `http://a.com/${'é'.repeat(size / 2)}`],
  ];
  test.each(hostile)('takes at most 2.5 times as long: %s', async (_, inputOf) => {
    for (const size of [400, 1_000, 100_000])
      expect(await costOfDoubling(inputOf, (url) => check(url), size)).toBeLessThan(2.5);
  });
});

describe('every URL', () => {
  test('is checked without an error, and is still accepted after it was serialised', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl({ withFragments: true }), fc.anything()),
        (input) => {
          const first = check(input);
          if (first.ok) expect(check(first.href)).toMatchObject({ ok: true, href: first.href });
        },
      ),
    );
  });

  test('with a private network address is refused, in any spelling', () => {
    const octet = fc.integer({ min: 0, max: 255 });
    const spelling = fc.constantFrom(
      (n: number) => n.toString(),
      (n: number) => `0x${n.toString(16)}`,
      (n: number) => `0${n.toString(8)}`,
    );
    fc.assert(
      fc.property(fc.constantFrom(10, 127), octet, octet, octet, spelling, (a, b, c, d, spell) => {
        expect(check(`http://${[a, b, c, d].map(spell).join('.')}/`).ok).toBe(false);
        expect(check(`http://${spell(((a * 256 + b) * 256 + c) * 256 + d)}/`).ok).toBe(false);
        expect(check(`http://[::ffff:${a}.${b}.${c}.${d}]/`).ok).toBe(false);
      }),
    );
  });
});
