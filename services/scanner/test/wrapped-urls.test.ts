/** Tests docs/contract.md, Matching: the scanner finds a listed URL inside another, however it is wrapped. */
import { describe, expect, test } from '@jest/globals';
import { MOST_VISITED } from '../src/data.ts';
import { entryExpression } from '../src/threats/feeds/entry.ts';
import { PARSERS } from '../src/threats/feeds/formats.ts';
import { fixture, hostileUrls, newScanner } from './scanner-kit.ts';

const once = encodeURIComponent;
const withoutScheme = (url: string) => url.replace(/^https?:\/\//i, '');
const everyCharacter = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const decoys = (count: number) => Array.from({ length: count }, (_, i) => `x=http://x${i}.example.com/&`).join('');
/** A browser drops tabs and line ends, wherever they are in a URL. */
const broken = (url: string, mark: string) =>
  Array.from(url, (character, at) => (at % 9 === 4 ? mark + character : character)).join('');
const directories = (count: number) => Array.from({ length: count }, (_, i) => `${i}/`).join('');
const translated = (url: string) => {
  const { hostname, pathname, search } = new URL(url);
  return `https://${hostname.replaceAll('-', '--').replaceAll('.', '-')}.translate.goog${pathname}${search}`;
};
const proofpoint = (url: string) =>
  once(url).replaceAll('%2F', '_').replaceAll('.', '.').replaceAll('-', '-2D').replaceAll('%', '-');

const WRAPPINGS: Readonly<Record<string, (url: string) => string>> = {
  'as it is, in a parameter': (url) => `https://r.example.com/?u=${url}`,
  'encoded once': (url) => `https://www.google.com/url?sa=D&q=${once(url)}&ust=1`,
  'encoded twice': (url) => `https://r.example.com/?u=${once(once(url))}`,
  'encoded three times': (url) => `https://r.example.com/?u=${once(once(once(url)))}`,
  'every character encoded': (url) => `https://r.example.com/?u=${everyCharacter(url)}`,
  'only the scheme encoded': (url) => `https://r.example.com/?u=%68%74%74%70%3a//${withoutScheme(url)}`,
  'slashes left as they are': (url) => `https://r.example.com/?u=${once(url).replaceAll('%2F', '/')}&v=1`,
  'a parameter of a parameter': (url) =>
    `https://a.example.com/?u=${once(`https://b.example.com/?v=${once(url)}&w=1`)}&x=2`,
  'a name of a parameter': (url) => `https://r.example.com/?${once(url)}=1&y=2`,
  'the whole query': (url) => `https://href.li/?${url}`,
  'the path': (url) => `https://web.archive.org/web/20200101000000/${url}`,
  'the path, encoded': (url) => `https://r.example.com/go/${once(url)}/more?x=1`,
  'the fragment': (url) => `https://r.example.com/#!/go?to=${url}`,
  backslashes: (url) => `https://r.example.com/?q=${url.replaceAll('/', '\\')}`,
  'one backslash and one slash': (url) => `https://r.example.com/?q=http:\\/${withoutScheme(url)}`,
  'no slashes after the scheme': (url) => `https://r.example.com/?q=http:${withoutScheme(url)}`,
  'one slash after the scheme': (url) => `https://r.example.com/a/http:/${withoutScheme(url)}`,
  'four slashes after the scheme': (url) => `https://r.example.com/?q=http:////${withoutScheme(url)}`,
  'upper case': (url) =>
    `https://r.example.com/?q=${url.replace(/^https?:\/\/[^/]*/i, (start) => start.toUpperCase())}`,
  'an encoded tab': (url) => `https://r.example.com/?q=${url.replace('tt', 't%09t')}`,
  'encoded line ends': (url) => `https://r.example.com/?q=${url.replace('://', '%0d%0a:%0a//')}`,
  'encoded tabs and line ends, before it, in it and after it': (url) =>
    `https://r.example.com/?u=%0a%0D%09${broken(url, '%09')}%0a`,
  'a line end in its path alone': (url) => `https://r.example.com/?u=${url.replace(/.$/, '%0A$&')}`,
  'a line end in its path alone, encoded twice': (url) => `https://r.example.com/?u=${url.replace(/.$/, '%250d$&')}`,
  'line ends, encoded with it': (url) => `https://r.example.com/?u=${once(broken(url, '\r\n'))}`,
  'tabs, encoded with it three times': (url) => `https://r.example.com/?u=${once(once(once(broken(url, '\t'))))}`,
  'tabs in the name of a parameter': (url) => `https://r.example.com/?${once(`\t${broken(url, '\t')}`)}=1`,
  'tabs in a path': (url) => `https://r.example.com/go/%09${broken(url, '%09')}`,
  'line ends in a parameter of a parameter': (url) =>
    `https://a.example.com/?u=${once(`https://b.example.com/?v=${once(broken(url, '\n'))}&w=1`)}&x=2`,
  'line ends in JSON': (url) => `https://r.example.com/?d=${once(JSON.stringify({ a: 1, url: broken(url, '\n') }))}`,
  'line ends in base64': (url) =>
    `https://r.example.com/?u=${Buffer.from(`http${broken(url.slice(4), '\r\n')}`).toString('base64url')}`,
  'a line of a text': (url) => `https://r.example.com/share?text=${once(`see\n${url}\nand more`)}&x=1`,
  'a line of a text in JSON': (url) =>
    `https://r.example.com/?d=${once(JSON.stringify({ text: `see\n${url}\nand more` }))}`,
  'without its scheme, after an equals sign': (url) => `https://r.example.com/?q=/\\${withoutScheme(url)}`,
  'without its scheme, in a path': (url) => `https://r.example.com/go//${withoutScheme(url)}`,
  JSON: (url) => `https://r.example.com/?d=${once(JSON.stringify({ a: 1, url, b: 'x' }))}`,
  'JSON that is not encoded': (url) => `https://r.example.com/?d={"a":1,"url":"${url}","b":["x"]}`,
  'a list in a path': (url) => `https://r.example.com/["${url}","x"]`,
  'a sentence that is not encoded': (url) => `https://r.example.com/?text=see ${url} or <${url}>&x=1`,
  'JSON with backslashes for slashes': (url) =>
    `https://r.example.com/?d=${once(JSON.stringify({ url: url.replaceAll('/', '\\') }))}`,
  'JSON with escaped slashes, in JSON': (url) =>
    `https://r.example.com/?d=${once(JSON.stringify({ inner: JSON.stringify({ url }).replaceAll('/', '\\/') }))}`,
  'a sentence': (url) => `https://r.example.com/share?text=${once(`see ${url}, it is good`)}&x=1`,
  base64: (url) => `https://r.example.com/out?u=${once(Buffer.from(url).toString('base64'))}`,
  base64url: (url) => `https://r.example.com/out?u=${Buffer.from(url).toString('base64url')}&x=1`,
  'an archive, without its scheme': (url) => `https://web.archive.org/web/2020/${withoutScheme(url)}`,
  'AMP of Google': (url) => `https://www.google.com/amp/s/${withoutScheme(url)}`,
  'AMP of the project': (url) => `https://x-example-com.cdn.ampproject.org/c/s/${withoutScheme(url)}`,
  'a translated host': (url) =>
    /\/\/(?:[\d.:]+|\[.*\])(?:\/|$)/.test(url) ? `https://translate.google.com/translate?u=${url}` : translated(url),
  safelinks: (url) => `https://nam01.safelinks.protection.outlook.com/?url=${once(withoutScheme(url))}&data=05`,
  'Proofpoint, version 2': (url) => `https://urldefense.proofpoint.com/v2/url?u=${proofpoint(url)}&d=DwM`,
  'Proofpoint, version 3': (url) => `https://urldefense.com/v3/__${url}__;!!abc!def$`,
  'a known redirector, without its scheme': (url) =>
    `https://www.google.de/url?q=${withoutScheme(url).replaceAll('&', '%26')}&sa=D`,
  'a redirector in an archive': (url) =>
    `https://web.archive.org/web/2020/www.google.com/url?q=${once(withoutScheme(url))}`,
  'eight decoys before it': (url) => `https://r.example.com/?${decoys(8)}q=${once(url)}`,
  'eight encoded decoys before it': (url) =>
    `https://www.google.com/url?${'x=http%3A%2F%2Fx.example.com%2F&'.repeat(8)}q=${once(url)}`,
  'texts that look like URLs and are not': (url) => `https://r.example.com/?${'x=http://[&'.repeat(33)}q=${once(url)}`,
  'below 33 directories and six labels': (url) => `https://a.b.c.d.google.com/${directories(33)}?q=${url}`,
};

const listed = {
  urls: ['http://listed.example.net/malware.exe', 'http://site.example.org/kit/login.php?a=1&b=2'],
  directories: ['http://dir.example.net/a/b/c/d/e/f/'],
  hosts: ['evil-host.example.net', 'a.b.c.d.e.f.g.h.example.net'],
};
const below = [
  'http://dir.example.net/a/b/c/d/e/f/x.html',
  'http://x.y.a.b.c.d.e.f.g.h.example.net/z',
  'http://evil-host.example.net',
];

const kit = await newScanner();
await kit.list('urls', [...listed.urls, ...listed.directories], { threatType: 'malware' });
await kit.list('hosts', listed.hosts, { format: 'hosts' });
const targets = [...listed.urls, ...below];
for (const [file, format] of [
  ['urlhaus.csv', 'urlhaus-csv'],
  ['hosts.txt', 'hosts'],
  ['adblock.txt', 'adblock'],
] as const) {
  await kit.importFeed({ text: fixture(file) }, { name: file, format, threatType: 'malware' });
  for (const { entries } of PARSERS[format](fixture(file))) {
    targets.push(...entries.map((entry) => `http://${entryExpression(entry)}`));
  }
}
for (const { category, expect: outcome, input } of hostileUrls()) {
  if (category === 'percent_encoded_listed_url' && outcome === 'flag') targets.push(input);
}

describe('a listed URL is found:', () => {
  test.each(Object.entries(WRAPPINGS))('%s', async (_, wrap) => {
    const urls = targets.map(wrap).filter((url) => url.length <= 2_048);
    expect(urls.length).toBeGreaterThan(targets.length / 2);
    const { verdicts } = await kit.scanner.scan(urls);
    const missed = verdicts.filter(({ reasons }) => !reasons.some(({ rule }) => rule.startsWith('feed:')));
    expect(missed.map(({ url, outcome }) => ({ url, outcome }))).toEqual([]);
  });
});

describe('a harmless URL is not flagged:', () => {
  test.each(Object.entries(WRAPPINGS))('%s', async (_, wrap) => {
    const harmless = [
      ...MOST_VISITED.slice(0, 80).map((host) => `https://${host}/`),
      ...MOST_VISITED.slice(300, 320).map((host) => `https://www.${host}/news/2026/11/some-story.html?ref=front&id=12`),
    ];
    const { verdicts } = await kit.scanner.scan(harmless.map(wrap));
    expect(verdicts.filter(({ outcome }) => outcome === 'flagged' || outcome === 'refused')).toEqual([]);
  });
});

test('two lines of a text are not read as one host', async () => {
  const hosts = MOST_VISITED.slice(0, 500);
  const texts: ((host: string) => string)[] = [
    (host) => `?text=https://${host}%0Ahttps://www.wikipedia.org/`,
    (host) => `?text=${once(`https://${host}\nhttps://www.wikipedia.org/`)}`,
    (host) => `?d=${once(JSON.stringify({ text: `see\nhttps://${host}\nand more` }))}`,
  ];
  for (const textOf of texts) {
    const { verdicts } = await kit.scanner.scan(hosts.map((host) => `https://r.example.com/share${textOf(host)}`));
    expect(verdicts.filter(({ outcome }) => outcome === 'flagged')).toEqual([]);
  }
});

test('a URL that exceeds the limits is suspicious and never clean', async () => {
  const listedUrl = listed.urls[0]!;
  const beyond = [
    `https://r.example.com/?${decoys(60)}q=${listedUrl}`,
    `https://r.example.com/${'a/'.repeat(900)}?q=${listedUrl}`,
    `https://${'a.'.repeat(110)}example.com/${'a/'.repeat(700)}?q=${listedUrl}`,
    `https://r.example.com/?${'http:x.co/'.repeat(190)}${listedUrl}`,
  ];
  for (const { outcome } of (await kit.scanner.scan(beyond)).verdicts) expect(outcome).toBe('flagged');
  const { verdicts } = await kit.scanner.scan([
    `https://r.example.com/?${'x=http://a.co/&'.repeat(3)}${Array.from({ length: 40 }, (_, i) => `http:x${i}.co/`).join(',')}`,
  ]);
  expect(verdicts[0]).toMatchObject({
    outcome: 'flagged',
    threat_type: 'suspicious',
    reasons: [{ rule: 'too-many-nested-urls' }],
  });
});
