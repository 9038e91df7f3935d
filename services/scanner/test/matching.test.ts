/** Tests every sentence of docs/contract.md, Matching, and hostile input. */
import { describe, expect, test } from '@jest/globals';
import { keysOf } from '../src/judge/judge.ts';
import { type HostileUrl, hostileUrls, type Kit, newScanner, POLICY, policyAllowing } from './scanner-kit.ts';

const kit = await newScanner();
await kit.list('hosts', ['bad.example.net', 'user.github.io', '45.33.32.1', 'deep.a.b.c.d.example.net'], {
  format: 'hosts',
  threatType: 'scam',
});
await kit.list(
  'urls',
  [
    'http://site.example.org/kit/page.php',
    'http://site.example.org/exact?id=7',
    'http://site.example.org/dir/',
    'http://site.example.org/a/b/c/d/e/f/g/',
    'http://whole.example.org',
    'https://whole-slash.example.org/',
    'http://1.2.3.4/bot',
    'https://raw.githubusercontent.com/evil/repo/main/a.exe',
    'http://page.github.io/phish/',
    'http://xn--bcher-kva.example.org/x',
    'http://case.example.org/Path',
    'http://listed.example.net/malware.exe',
  ],
  { threatType: 'malware' },
);

async function flagged(url: string): Promise<boolean> {
  const { verdicts } = await kit.scanner.scan([url]);
  return verdicts[0]!.reasons.some(({ rule }) => rule.startsWith('feed:'));
}

describe('does not hide a listed URL:', () => {
  test.each([
    ['scheme', 'https://site.example.org/kit/page.php'],
    ['port', 'http://site.example.org:8080/kit/page.php'],
    ['case of the host', 'http://SITE.Example.ORG/kit/page.php'],
    ['trailing dot', 'http://site.example.org./kit/page.php'],
    ['percent-encoding', 'http://site.example.org/kit/%70age.php'],
    ['doubled percent-encoding', 'http://site.example.org/kit/%2570age.php'],
    ['encoded host', 'http://s%69te.example.org/kit/page.php'],
    ['fragment', 'http://site.example.org/kit/page.php#top'],
    ['a query', 'http://site.example.org/kit/page.php?x=1'],
    ['parameters of a path segment', 'http://site.example.org/kit/page.php;jsessionid=1?x'],
    ['dot segments', 'http://site.example.org/kit/../kit/./page.php'],
    ['slashes', 'http://site.example.org//kit///page.php'],
    ['white space around it', '  http://site.example.org/kit/page.php\n'],
    ['a subdomain', 'http://www.site.example.org/kit/page.php'],
    ['its own script', 'http://bücher.example.org/x'],
  ])('%s', async (_, url) => {
    expect(await flagged(url)).toBe(true);
  });
});

describe('an entry', () => {
  test.each([
    'http://bad.example.net',
    'https://bad.example.net/any/path?q',
    'http://a.b.c.d.e.f.g.bad.example.net/x',
    'http://user.github.io/',
    'http://sub.user.github.io/x',
    'http://45.33.32.1/',
    'http://x.deep.a.b.c.d.example.net/',
    'http://1.2.3.4.5.6.deep.a.b.c.d.example.net/x/y',
    'http://site.example.org/exact?id=7',
    'http://site.example.org/dir/',
    'http://site.example.org/dir/a/b/c/d/e/f/g/h',
    'http://site.example.org/a/b/c/d/e/f/g/',
    'http://site.example.org/a/b/c/d/e/f/g/h/i?x=1',
    'http://whole.example.org/any?x',
    'http://sub.whole.example.org/any',
    'http://whole-slash.example.org/any',
    'https://1.2.3.4:81/bot?x',
    'https://raw.githubusercontent.com/evil/repo/main/a.exe',
    'http://page.github.io/phish/index.html',
  ])('covers %s', async (url) => {
    expect(await flagged(url)).toBe(true);
  });

  test.each([
    'http://example.net/',
    'http://notbad.example.net/',
    'http://bad.example.net.example.org/',
    'http://other.github.io/',
    'http://github.io/',
    'http://45.33.32.2/',
    'http://b.c.d.example.net/',
    'http://site.example.org/',
    'http://site.example.org/kit/',
    'http://site.example.org/kit/page.php/more',
    'http://site.example.org/kit/page.phpx',
    'http://site.example.org/exact',
    'http://site.example.org/exact?id=8',
    'http://site.example.org/dir',
    'http://site.example.org/a/b/c/d/e/f/',
    'http://1.2.3.4/other',
    'https://raw.githubusercontent.com/other/repo/main/a.txt',
    'http://page.github.io/',
    'http://case.example.org/path',
  ])('does not cover %s', async (url) => {
    expect(await flagged(url)).toBe(false);
  });
});

test('finds a listed URL inside another, and files a link under its keys for later imports', async () => {
  const url = 'https://www.google.com/url?q=http%3A%2F%2Fsite.example.org%2Fkit%2Fpage.php&sa=D';
  const inside = 'http://site.example.org/kit/page.php';
  const { verdicts } = await kit.scanner.scan([url, inside]);
  expect(verdicts[0]).toMatchObject({
    outcome: 'flagged',
    threat_type: 'malware',
    reasons: [{ rule: 'feed:urls', evidence: 'site.example.org/kit/page.php' }],
  });
  const keys = keysOf(inside, POLICY);
  expect(keys).toContainEqual(expect.stringMatching(/^-?\d{1,19}$/));
  expect(keysOf(url, POLICY)).toEqual(expect.arrayContaining(keys));
});

test('reports the most severe of several types, and names every source', async () => {
  await kit.list('second', ['http://bad.example.net/x'], { threatType: 'malware' });
  const { verdicts } = await kit.scanner.scan(['http://bad.example.net/x']);
  expect(verdicts[0]).toMatchObject({ outcome: 'flagged', threat_type: 'malware' });
  expect(verdicts[0]!.reasons.map(({ rule }) => rule)).toEqual(['feed:second', 'feed:hosts']);
});

test('matches an allowed host against feeds, but does not apply rules to it', async () => {
  const local = await newScanner({ policy: policyAllowing('127.0.0.0/8', 'localhost') });
  expect(await local.outcome('http://127.0.0.1:45678/bin.sh')).toBe('clean');
  await local.list('local', ['http://127.0.0.1:45678/bin.sh', 'http://localhost:9/x']);
  expect(await local.outcome('http://127.0.0.1:45678/bin.sh')).toBe('flagged');
  expect(await local.outcome('http://localhost:3000/x?y')).toBe('flagged');
  expect(await local.outcome('http://127.0.0.1:45678/other')).toBe('clean');
});

const OUTCOMES = {
  reject: /^refused$/,
  flag: /^flagged$/,
  accept: /^(clean|warned)$/,
  accept_normalised: /^(clean|warned)$/,
  accept_warn: /^(clean|warned)$/,
};

async function expectOutcome(scanner: Kit, { input, expect: expected }: HostileUrl): Promise<void> {
  const outcome = await scanner.outcome(input);
  expect({ input, outcome }).toEqual({ input, outcome: expect.stringMatching(OUTCOMES[expected]) });
}

const byCategory = Map.groupBy(hostileUrls(), ({ category }) => category);

describe('hostile input', () => {
  test.each([...byCategory])('%s', async (_, urls) => {
    for (const url of urls) await expectOutcome(kit, url);
  });

  test('gets the same verdict from the shipped data', async () => {
    const shipped = await newScanner({ shippedFeedsFile: undefined as never });
    for (const url of hostileUrls()) {
      if (url.expect === 'flag' && !/homograph|payload|obfuscated|embedding|typo/.test(url.category)) continue;
      await expectOutcome(shipped, url);
    }
  });
});

test('evidence holds no half of a character and no NUL, which no store takes', async () => {
  const inBase64 = Buffer.from('http://evil-blog.net/wp-content/%00.php').toString('base64');
  const results = await kit.scanner.scan([
    `https://some-blog.net/wp-content/plugins/${'a'.repeat(79)}😀/x.php`,
    `https://some-blog.net/?to=${inBase64}`,
  ]);
  const [cut, withNul] = results.verdicts.map(({ reasons }) => reasons);
  const rule = 'hidden-in-wordpress';
  expect(cut).toContainEqual({ rule, evidence: `/wp-content/plugins/${'a'.repeat(79)}\ufffd` });
  expect(withNul).toContainEqual({ rule, evidence: '/wp-content/\ufffd.php' });
});
