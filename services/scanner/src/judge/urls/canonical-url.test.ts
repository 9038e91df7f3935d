import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fixture } from '../../../test/scanner-kit.ts';
import { canonicalIpv4, canonicalUrl, unescaped } from './canonical-url.ts';
import { expressionKey, signedDecimal } from './expression-key.ts';
import { deeperExpressionsOf, expressionsOf } from './expressions.ts';

interface Vectors {
  readonly canonicalize: readonly { input?: string; input_hex?: string; output: string }[];
  readonly must_fail: readonly { input: string }[];
  readonly ipv4: readonly { input: string; output: string }[];
  readonly expressions_v4: readonly {
    url: string;
    expressions: readonly { expression: string; sha256: string }[];
  }[];
}
const vectors: Vectors = JSON.parse(fixture('google-canonicalization-vectors.json'));

function textOf(input: string | Uint8Array): string | undefined {
  const url = canonicalUrl(input);
  return url && `${url.scheme}://${url.host}${url.path}${url.query}`;
}

describe("Google's published vectors", () => {
  test.each(vectors.canonicalize)('%j', ({ input, input_hex, output }) => {
    expect(textOf(input ?? Buffer.from(input_hex!, 'hex'))).toBe(output);
  });

  test.each(vectors.must_fail)('have no canonical form: %j', ({ input }) => {
    expect(canonicalUrl(input)).toBeUndefined();
  });

  test.each(vectors.ipv4)('as an address: %j', ({ input, output }) => {
    expect(canonicalIpv4(input) ?? '').toBe(output);
  });

  test.each(vectors.expressions_v4)('as expressions: $url', ({ url, expressions }) => {
    const actual = expressionsOf(canonicalUrl(url)!);
    expect(actual.toSorted()).toEqual(expressions.map(({ expression }) => expression).toSorted());
    for (const { expression, sha256 } of expressions) {
      expect(expressionKey(expression).toString(16).padStart(16, '0')).toBe(sha256.slice(0, 16));
    }
  });
});

describe('expressions', () => {
  const of = (url: string) => {
    const canonical = canonicalUrl(url)!;
    return [...expressionsOf(canonical), ...deeperExpressionsOf(canonical)];
  };

  test('never name a public suffix, nor a host that many tenants share', () => {
    expect(of('http://a.b.co.uk/').filter((text) => text === 'co.uk/')).toEqual([]);
    expect(of('http://www.user.github.io/x')).not.toContain('github.io/');
    expect(of('http://www.user.github.io/x')).toContain('user.github.io/');
    expect(of('http://github.io/x')).toEqual(['github.io/x', 'github.io/']);
  });

  test('of an IP address name only this exact host', () => {
    expect(of('http://1.2.3.4/a/b')).toEqual(['1.2.3.4/a/b', '1.2.3.4/', '1.2.3.4/a/']);
  });

  test('include every parent host and every directory at any depth', () => {
    const all = of('http://a.b.c.d.e.f.g.example.com/1/2/3/4/5/6/x.html');
    for (const host of ['b.c.d.e.f.g.example.com', 'e.f.g.example.com', 'example.com'])
      expect(all).toContain(`${host}/`);
    expect(all).toContain('a.b.c.d.e.f.g.example.com/1/2/3/4/5/6/');
  });

  test('are unique', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const all = of(url);
        expect(new Set(all).size).toBe(all.length);
        expect(expressionsOf(canonicalUrl(url)!).length).toBeLessThanOrEqual(30);
      }),
    );
  });
});

describe('laws', () => {
  test('canonicalising a canonical form changes nothing', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
        const once = textOf(url)!;
        expect(textOf(once)).toBe(once);
      }),
    );
  });

  test('no input makes it throw', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void canonicalUrl(text)));
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void canonicalUrl(bytes)));
  });

  test('unescaping in one pass equals unescaping until nothing changes', () => {
    const repeated = (text: string): string => {
      const next = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
      return next === text ? text : repeated(next);
    };
    const escapes = fc.string({ unit: fc.constantFrom('%', '2', '5', '4', '1', 'a', 'F', 'x'), maxLength: 60 });
    fc.assert(
      fc.property(escapes, (text) => expect(unescaped(text)).toBe(repeated(text))),
      { numRuns: 1000 },
    );
  });

  test('the decimal form of a key is a signed 64-bit number', () => {
    expect(signedDecimal(0xffff_ffff_ffff_ffffn)).toBe('-1');
    expect(signedDecimal(0x7fff_ffff_ffff_ffffn)).toBe('9223372036854775807');
    expect(signedDecimal(1n)).toBe('1');
  });
});
