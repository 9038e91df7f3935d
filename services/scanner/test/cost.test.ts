/** Tests that hostile input costs little, and that twice the size costs at most 2.5 times as much. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { costOfDoubling } from '@waypost/test-support';
import { RULES } from '../src/judge/rule-set.ts';
import { subjectOf } from '../src/judge/rules/subject.ts';
import { canonicalUrl } from '../src/judge/urls/canonical-url.ts';
import { deeperExpressionsOf, expressionsOf } from '../src/judge/urls/expressions.ts';
import { nestedUrls } from '../src/judge/urls/nested-urls.ts';
import { type Kit, newScanner } from './scanner-kit.ts';

const START = 'https://r.example.com/';
let last = 0;
/** Returns a new name each time, so that no two URLs are alike. */
const fresh = () => `n${(last++).toString(36)}`;

/** Returns at most `size` characters of different parts. */
function filled(size: number, part: () => string, start = START): string {
  const parts = [start];
  for (let length = start.length; ; ) {
    const next = part();
    length += next.length;
    if (length > size) return parts.join('');
    parts.push(next);
  }
}

/** Each function returns a URL of at most `size` characters. */
const COSTLY: Readonly<Record<string, (size: number) => string>> = {
  'nested URLs': (size) => filled(size, () => `x=http://${fresh()}.example.com/a&`, `${START}?`),
  'encoded nested URLs': (size) => filled(size, () => `x=http%3A%2F%2F${fresh()}.com%2Fa%2Fb&`, `${START}?`),
  'a chain of nested URLs': (size) => filled(size, () => `http://${fresh()}.co/`),
  'hosts without a scheme': (size) => filled(size, () => `//${fresh()}.co`),
  'hosts as values': (size) => filled(size, () => `=${fresh()}.co/`, `${START}?`),
  'nested URLs with many ends': (size) => filled(size, () => `http://${fresh()}.co/a%2526b,c'd%2522e%22f&g/`),
  'brackets that do not close': (size) => filled(size, () => `http://[.${fresh()}`),
  'escaped line ends in nested URLs': (size) => filled(size, () => `http://${fresh()}.co/%0A%250a`),
  'line ends in JSON': (size) => filled(size, () => `"\\\\nnhttp:\\n//${fresh()}.co\\n`, `${START}?`),
  slashes: (size) => filled(size, () => '/', `${START}?`),
  backslashes: (size) => filled(size, () => '\\', `${START}?`),
  dots: (size) => filled(size, () => 'a.', `${START}?=`),
  'escapes of escapes': (size) => filled(size, () => '%2525'),
  'escapes of all kinds': (size) => filled(size, () => `%25${fresh()}%2541`),
  base64: (size) => filled(size, () => `${Buffer.from(`http://${fresh()}.co/`).toString('base64url')}.`),
  'addresses in an archive': (size) => filled(size, () => `${fresh()}.co/`, 'https://web.archive.org/web/'),
  'archives in an archive': (size) =>
    filled(size, () => `web.archive.org/web/${fresh()}/`, 'https://web.archive.org/web/'),
  directories: (size) => filled(size, () => `${fresh()}/`),
  'dot segments': (size) => filled(size, () => `../${fresh()}//`),
  'labels and directories': (size) =>
    filled(
      size,
      () => `${fresh()}/`,
      `https://${Array.from({ length: 55 }, () => fresh().slice(-2)).join('.')}.example.com/`,
    ),
  'brands in nested URLs': (size) => filled(size, () => `http://paypa1-login-${fresh()}.micosoft.com/`),
};
const kinds = Object.entries(COSTLY);
/** These kinds are costly even without the search for nested URLs. */
const plainKinds = kinds.filter(([kind]) => /^(?:slashes|dots|escapes|directories|dot segments|labels)/.test(kind));

describe('twice the size costs at most 2.5 times as much:', () => {
  const works: [string, (href: string) => unknown, kinds: typeof plainKinds, size: number][] = [
    // The size 1,000 is within the limit of a destination. The size 8,000 is beyond the limit of a feed entry.
    ['the search for nested URLs', (href) => nestedUrls(new URL(href)), kinds, 1_000],
    ['the canonical form', canonicalUrl, plainKinds, 8_000],
    ['the rules', (href) => RULES.map(({ check }) => check(subjectOf(href, new URL(href)))), plainKinds, 8_000],
  ];
  test.each(works)(
    '%s',
    async (_, work, tried, size) => {
      for (const [kind, urlOf] of tried) {
        const cost = await costOfDoubling((length) => new URL(urlOf(length)).href, work, size);
        expect({ kind, isLinear: cost < 2.5 || cost }).toEqual({ kind, isLinear: true });
      }
    },
    120_000,
  );

  test('the expressions, up to the limit for one verdict', async () => {
    for (const [kind, urlOf] of plainKinds) {
      const work = (href: string) => {
        const canonical = canonicalUrl(href)!;
        return [...expressionsOf(canonical), ...deeperExpressionsOf(canonical).take(256)].length;
      };
      const cost = await costOfDoubling(urlOf, work, 4_000);
      expect({ kind, isLinear: cost < 2.5 || cost }).toEqual({ kind, isLinear: true });
    }
  }, 120_000);

  test('the rules about brands, on names of up to 253 characters', async () => {
    const names: ((size: number) => string)[] = [
      (size) => `${'paypa1'.repeat(size / 6)}.com`,
      (size) => `${'o'.repeat(size)}.com`,
      (size) => `${'paypal--'.repeat(size / 8)}x.com`,
      (size) => `${'pay.paypal.com.'.repeat(size / 15)}evil.top`,
      (size) => `${'rnvv11'.repeat(size / 6)}.github.io`,
    ];
    const work = (host: string) => RULES.map(({ check }) => check(subjectOf('', new URL(`http://${host}/`))));
    // A host has at most 253 characters, so the rules never see a longer one.
    for (const nameOf of names) {
      expect(await costOfDoubling(nameOf, work, 120)).toBeLessThan(2.5);
    }
  }, 120_000);
});

const ordinary = () => `https://www.${fresh()}.example.org/products/${fresh()}?id=${fresh()}`;

describe('500 URLs built to be costly', () => {
  let kit: Kit;
  const costOfScan = (urlOf: () => string) => {
    const urls = Array.from({ length: 500 }, urlOf);
    return costOf(() => kit.scanner.scan(urls));
  };
  beforeAll(async () => {
    kit = await newScanner();
    // The first scans are slower, because the engine has not compiled the code yet.
    for (const urlOf of [
      ordinary,
      ...kinds.map(
        ([, urlOf]) =>
          () =>
            urlOf(2_040),
      ),
    ])
      await kit.scanner.scan(Array.from({ length: 100 }, urlOf));
  });

  test.each(kinds)(
    'of %s take little more time than ordinary ones and do not block the event loop',
    async (_, urlOf) => {
      // The collector of garbage, or a machine that slows down, may spoil one comparison, but not three.
      let [ratio, turnMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let attempt = 0; attempt < 3 && (ratio >= MOST_RATIO || turnMs >= MOST_TURN_MS); attempt++) {
        const reference = await costOfScan(ordinary);
        const { cpuMs, turns } = await costOfScan(() => urlOf(2_040));
        ratio = cpuMs / reference.cpuMs;
        turnMs = cpuMs / turns;
      }
      expect(ratio).toBeLessThan(MOST_RATIO);
      expect(turnMs).toBeLessThan(MOST_TURN_MS);
    },
  );
});

/** The slowest kind takes about four times as long as ordinary URLs. Without budgets it took seconds. */
const MOST_RATIO = 10;
/** An average, because one turn may be long for other reasons. */
const MOST_TURN_MS = 20;

interface Cost {
  readonly cpuMs: number;
  /** The number of turns of the event loop. */
  readonly turns: number;
}

/** Measures the CPU time of this thread, so that other work of the machine does not count. */
async function costOf(work: () => Promise<unknown>): Promise<Cost> {
  const start = process.threadCpuUsage();
  let turns = 1;
  let isDone = false;
  const look = () => {
    if (isDone) return;
    turns++;
    setImmediate(look);
  };
  setImmediate(look);
  await work();
  isDone = true;
  const { user, system } = process.threadCpuUsage(start);
  return { cpuMs: (user + system) / 1_000, turns };
}
