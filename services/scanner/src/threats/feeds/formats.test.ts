import { describe, expect, test } from '@jest/globals';
import { costOfDoubling } from '@waypost/test-support';
import fc from 'fast-check';
import { fixture } from '../../../test/scanner-kit.ts';
import { entryExpression } from './entry.ts';
import { FEED_FORMATS, type FeedFormat, PARSERS } from './formats.ts';

function read(format: FeedFormat, content: string): { expressions: string[]; problems: string[] } {
  const lines = [...PARSERS[format](content)];
  return {
    expressions: lines.flatMap(({ entries }) => entries.map(entryExpression)),
    problems: lines.flatMap(({ number, problem }) => (problem === undefined ? [] : [`${number}: ${problem}`])),
  };
}

test('urls: reads one URL per line, with or without a scheme, and skips comments', () => {
  const content = [
    '\ufeff# a list',
    'http://Bad.example.net:8080/a%2Fb?x=1#frag\r',
    '',
    'https://whole.example.net',
    '  bare.example.net/path   # seen twice',
    'bare.example.net',
    'http://1.2.3.4//arm5',
    'http://localhost:3000/x',
    'not a url',
    'word',
    'ftp://files.example.net/x',
    'http://',
    'http://bad_host!.example.net/',
    'last.example.net/x',
  ].join('\n');
  expect(read('urls', content)).toEqual({
    expressions: [
      'bad.example.net/a/b?x=1',
      'whole.example.net/',
      'bare.example.net/path',
      'bare.example.net/',
      '1.2.3.4/arm5',
      'localhost/x',
      'last.example.net/x',
    ],
    problems: ['9: not a URL', '10: not a URL', '11: not a URL', '12: not a URL', '13: not a URL'],
  });
});

test('hosts: reads names and lines of a hosts file, except lines about the machine itself', () => {
  expect(read('hosts', fixture('hosts.txt'))).toEqual({
    expressions: [
      'one.example.net/',
      'www.one.example.net/',
      'two.example.net/',
      'three.example.net/',
      'four.example.net/',
      'five.example.net/',
      'six.example.net/',
      'xn--bcher-kva.example.net/',
      '45.33.32.156/',
      'user.github.io/',
    ],
    problems: [],
  });
});

describe('a host that DNS does not allow is not an entry:', () => {
  const labels = (count: number) => Array.from({ length: count }, () => 'a'.repeat(49)).join('.');
  const lineOf: Readonly<Record<FeedFormat, (host: string) => string[]>> = {
    urls: (host) => [host, `www.${host}`, `http://${host}/`, `https://www.${host}:8080/kit?a=1`],
    hosts: (host) => [host, `www.${host}`, `*.${host}`, `0.0.0.0 ${host}`],
    'urlhaus-csv': (host) => [`"1","2026","http://${host}/kit"`, `2,2026,https://www.${host}/`],
    adblock: (host) => [`||${host}^`, `||www.${host}^`, `|https://${host}/kit`],
    json: (host) => [JSON.stringify([host]), JSON.stringify([`http://www.${host}/kit`])],
  };
  test.each(FEED_FORMATS)('%s', (format) => {
    const entries = (host: string) => lineOf[format](host).map((line) => read(format, line).expressions.length);
    const none = lineOf[format]('').map(() => 0);
    const one = lineOf[format]('').map(() => 1);
    expect(entries(`${'a'.repeat(63)}.example.net`)).toEqual(one);
    expect(entries(`${'a'.repeat(64)}.example.net`)).toEqual(none);
    expect(entries(`xn--${'a'.repeat(60)}.example.net`)).toEqual(none);
    expect(entries(`a.${'b'.repeat(64)}`)).toEqual(none);
    // With `www.`, this host has 253 characters, the most that DNS allows.
    expect(entries(`${labels(4)}.${'b'.repeat(45)}.net`)).toEqual(one);
    expect(entries(`${labels(4)}.${'b'.repeat(50)}.net`)).toEqual(none);
  });
});

test('hosts: lines about the machine itself, in every spelling, are not bad lines', () => {
  expect(read('hosts', 'fe80::1%lo0 localhost\n::1 ip6-loopback\n127.0.0.1 localhost')).toEqual({
    expressions: [],
    problems: [],
  });
});

test.each([
  'not a host name',
  'host name',
  '<<<',
  'fine.example.net <<<',
  '0.0.0.0 fine.example.net name!',
  'http://a.example.net/',
  'a.example.net/x',
  'a.example.net:80',
  'intranet',
  'a b',
  '10.0.0.1 a.example.net',
  'a..b',
  'a%41.net',
  '<html>',
])('hosts: %s is not a host', (line) => {
  expect(read('hosts', line).problems).toHaveLength(1);
});

test('urlhaus-csv: reads the published dump', () => {
  const { expressions, problems } = read('urlhaus-csv', fixture('urlhaus.csv'));
  expect(problems).toEqual([]);
  expect(expressions).toHaveLength(6);
  expect(expressions[0]).toBe('117.209.87.242/bin.sh');
});

test('urlhaus-csv: takes the columns from the header, reads quoted fields and reports broken rows', () => {
  const content = [
    '# id,url,dateadded',
    '"1","http://a.example.net/x?a=""b"",c","2026"',
    '2,http://b.example.net/,2026',
    '"3","not a url","2026"',
    '"4',
    '',
  ].join('\r\n');
  expect(read('urlhaus-csv', content)).toEqual({
    expressions: ['a.example.net/x?a="b",c', 'b.example.net/'],
    problems: ['4: no URL in field 2', '5: no URL in field 2'],
  });
});

test('adblock: reads rules of uBlock Origin and AdGuard that name a host or an address', () => {
  expect(read('adblock', fixture('adblock.txt'))).toEqual({
    expressions: [
      'bad-host.example.net/',
      'bad-host-too.example.net/',
      '203.0.112.7/',
      'files.example.net/payload/app.zip',
      'files.example.net/uc?export=download&id=1',
      'exact.example.net/page',
      'plain-host.example.net/',
      'plain-path.example.net/kit/login.php',
      '198.18.5.5/',
      'docs.example.net/dir/',
    ],
    problems: [],
  });
});

test('json: reads the lists of several projects, but not their allowed hosts', () => {
  const lists = {
    discord: { domains: ['one.example.net', 'TWO.example.net'] },
    metamask: {
      version: 2,
      tolerance: 2,
      fuzzylist: ['wallet.example.org'],
      whitelist: ['good.example.net'],
      blacklist: ['bad.example.net', 'good.example.net', 'shared.example.net/path/kit'],
    },
    polkadot: { allow: ['good.example.net'], deny: ['bad.example.net'] },
    bare: ['http://bad.example.net/kit?x=1', 'bad.example.net'],
  };
  const results = Object.values(lists).map((list) => read('json', JSON.stringify(list)));
  expect(results).toEqual([
    { expressions: ['one.example.net/', 'two.example.net/'], problems: [] },
    { expressions: ['bad.example.net/', 'shared.example.net/path/kit'], problems: [] },
    { expressions: ['bad.example.net/'], problems: [] },
    { expressions: ['bad.example.net/kit?x=1', 'bad.example.net/'], problems: [] },
  ]);
  expect(read('json', JSON.stringify(['a.example.net', 7, null, 'no host', { x: 1 }]))).toEqual({
    expressions: ['a.example.net/'],
    problems: ['2: not a host or a URL', '3: not a host or a URL', '4: not a host or a URL', '5: not a host or a URL'],
  });
});

test.each(['', '{', '"text"', 'null', '7', '{}', '{"domains":"a.example.net"}', '<html>'])(
  'json: %s is no list',
  (content) => {
    expect(read('json', content)).toEqual({ expressions: [], problems: ['1: not JSON with a list of hosts or URLs'] });
  },
);

test('the lists of a category of UT1, and the text of URLhaus, are lists of URLs', () => {
  const ut1 = '0001-x.pages.dev/ar/privacy\nkit.example.net/a/index_2.html\n';
  const urlhaus =
    '################\n# abuse.ch URLhaus  #\n#\nhttp://198.51.100.7:41494/i\nhttp://198.51.100.7//arm5\n';
  expect(read('urls', ut1)).toEqual({
    expressions: ['0001-x.pages.dev/ar/privacy', 'kit.example.net/a/index_2.html'],
    problems: [],
  });
  expect(read('urls', urlhaus)).toEqual({ expressions: ['198.51.100.7/i', '198.51.100.7/arm5'], problems: [] });
});

test.each([
  '||a.example.net^$third-party',
  '||ads.*^',
  '/banner[0-9]+/',
  '||a.example.net^$domain=b.com',
  '-ad-banner.',
  'word',
])('adblock: %s is not an entry, since it does not block a page', (line) => {
  expect(read('adblock', line)).toEqual({ expressions: [], problems: [expect.any(String)] });
});

describe('a feed of twice the size', () => {
  const content: [string, (size: number) => string][] = [
    ['spaces', (size) => `x${' '.repeat(size)}x`],
    ['spaces and hashes', (size) => ' #'.repeat(size / 2)],
    ['hashes', (size) => '#'.repeat(size)],
    ['commas', (size) => `id,${'url,'.repeat(size / 4)}`],
    ['quotes', (size) => '"'.repeat(size)],
    ['quoted fields', (size) => '"a""b",'.repeat(size / 7)],
    ['bars and dollars', (size) => '|$^*'.repeat(size / 4)],
    ['dots', (size) => 'a.'.repeat(size / 2)],
    ['slashes', (size) => `http://a.example.net/${'/'.repeat(size)}`],
    ['escapes', (size) => `http://a.example.net/${'%25'.repeat(size / 3)}41`],
    ['words on a line', (size) => 'a.example.net '.repeat(size / 14)],
    ['one long word', (size) => 'a'.repeat(size)],
    ['empty lines', (size) => '\n'.repeat(size)],
  ];
  test.each(content)('costs at most 2.5 times as much: %s', async (_, contentOf) => {
    for (const format of FEED_FORMATS) {
      const cost = await costOfDoubling(contentOf, (text) => [...PARSERS[format](text)].length, 32_000);
      expect({ format, isLinear: cost < 2.5 || cost }).toEqual({ format, isLinear: true });
    }
  });
});

describe('laws', () => {
  test('no content makes a parser throw, and every line counts at most once', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FEED_FORMATS),
        fc.string({ unit: 'binary', maxLength: 300 }),
        (format, content) => {
          const numbers = [...PARSERS[format](content)].map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        },
      ),
    );
  });

  test('the kind of line ends does not change the result', () => {
    const line = fc.webUrl();
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), (lines) => {
        const plain = read('urls', lines.join('\n'));
        expect(read('urls', `\ufeff${lines.join('\r\n')}\r\n`)).toEqual(plain);
      }),
    );
  });
});
