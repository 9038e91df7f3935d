/** What happens to links after their creation: entries that leave a list, clicks, reports, sweeps after a change of rules. */
import { describe, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { clickedLinks } from '../src/consumers/clicked-links.ts';
import { keysOf } from '../src/use-cases/scan-urls.ts';
import { UNLISTED_AFTER_MS } from '../src/use-cases/unlist-links.ts';
import { type Kit, NOW, newScanner, POLICY, settled, started, testLinks, testLooks } from './scanner-kit.ts';

const BAD = 'http://bad.example.net/kit';
const OTHER = 'http://other.example.net/';
const LATER = UNLISTED_AFTER_MS + 1_000;

/** A scanner whose clock a test moves; a restart, with the settings `restarted`, is its chance to look at the clock. */
async function withClock(restarted: Parameters<typeof started>[0] = {}) {
  let at = NOW.getTime();
  const now = () => new Date(at);
  const links = testLinks();
  let kit = await started({ links, now });
  return {
    get kit() {
      return kit;
    },
    links,
    async pass(ms: number) {
      await kit.stop();
      at += ms;
      kit = await started({ ...restarted, links, now, dataDir: kit.dataDir });
    },
  };
}

const gone = (kit: Kit) => kit.bus.published.filter(({ type }) => type === 'threat.gone').map(({ slug }) => slug);
const quiet = () => new Promise((resolve) => setTimeout(resolve, 60));

async function flaggedLink(kit: Kit, slug: string, url: string) {
  await kit.createLink(slug, url);
  await kit.changeLink(slug, 'link.flagged');
}

describe('an entry that left its list', () => {
  test('no longer flags a link after 72 hours, and not before', async () => {
    const clock = await withClock();
    await clock.kit.list('mine', [BAD, OTHER]);
    await flaggedLink(clock.kit, 'link', BAD);
    await flaggedLink(clock.kit, 'kept', OTHER);
    await clock.kit.list('mine', [OTHER]);
    await clock.pass(UNLISTED_AFTER_MS - 1_000);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
    await clock.pass(2_000);
    await until(() => gone(clock.kit).length > 0);
    expect(clock.kit.bus.published).toEqual([
      expect.objectContaining({
        type: 'threat.gone',
        slug: 'link',
        destination_url: BAD,
        reasons: [
          { rule: 'feed:mine', evidence: 'not listed since 2026-11-21' },
          { rule: 'feed:base', evidence: 'not listed since 2026-11-21' },
        ],
        generation: clock.kit.status().generation,
      }),
    ]);
    await clock.pass(LATER);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
  });

  test('still flags when another source has it, or it came back', async () => {
    const clock = await withClock();
    await clock.kit.list('mine', [BAD, OTHER, 'http://back.example.net/']);
    await clock.kit.list('second', [OTHER]);
    await flaggedLink(clock.kit, 'other', OTHER);
    await flaggedLink(clock.kit, 'back', 'http://back.example.net/');
    await flaggedLink(clock.kit, 'rule', 'http://203.0.112.7:4545/bin.sh');
    await clock.kit.list('mine', [BAD]);
    await clock.kit.list('mine', [BAD, 'http://back.example.net/']);
    await clock.pass(LATER);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
  });

  test('that came back and left again waits from then on', async () => {
    const clock = await withClock();
    await clock.kit.list('mine', [BAD, OTHER]);
    await flaggedLink(clock.kit, 'link', BAD);
    await clock.kit.list('mine', [OTHER]);
    await clock.pass(UNLISTED_AFTER_MS / 2);
    await clock.kit.list('mine', [BAD, OTHER]);
    await clock.kit.list('mine', [OTHER]);
    await clock.pass(UNLISTED_AFTER_MS / 2 + 1_000);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
    await clock.pass(UNLISTED_AFTER_MS / 2);
    await until(() => gone(clock.kit).length > 0);
  });

  test('is one of all that left within the hour, and waits with them', async () => {
    const clock = await withClock();
    const rest = ['http://second.example.net/', 'http://third.example.net/', OTHER];
    await clock.kit.list('mine', [BAD, ...rest]);
    await flaggedLink(clock.kit, 'first', BAD);
    await flaggedLink(clock.kit, 'third', rest[1]!);
    for (const from of [0, 1, 2]) {
      await clock.kit.list('mine', rest.slice(from));
      await clock.pass(60_000);
    }
    await clock.pass(UNLISTED_AFTER_MS - 120_000);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
    await clock.pass(60_000);
    await until(() => gone(clock.kit).length > 1);
    expect(gone(clock.kit).sort()).toEqual(['first', 'third']);
  });
});

describe('an entry that left two lists', () => {
  const HOUR = 3_600_000;

  test.each([
    ['as the same address', BAD],
    ['as its host in the second', 'http://bad.example.net/'],
  ])('waits from when it left the second, %s; both are then named', async (_, second) => {
    const clock = await withClock();
    await clock.kit.list('first', [BAD, OTHER]);
    await clock.kit.list('second', [second, OTHER]);
    await flaggedLink(clock.kit, 'link', BAD);
    await clock.kit.list('first', [OTHER]);
    await clock.pass(71 * HOUR);
    await clock.kit.list('second', [OTHER]);
    await clock.pass(HOUR + 1_000);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
    await clock.pass(71 * HOUR);
    await until(() => gone(clock.kit).length > 0);
    expect(gone(clock.kit)).toEqual(['link']);
    expect(clock.kit.bus.published[0]!.reasons.map(({ rule }) => rule)).toEqual([
      'feed:second',
      'feed:base',
      'feed:first',
    ]);
  });

  test('is not named as silent by one that is switched off', async () => {
    const clock = await withClock({ feedsOff: ['second'] });
    await clock.kit.list('first', [BAD, OTHER]);
    await clock.kit.list('second', [BAD, OTHER]);
    await flaggedLink(clock.kit, 'link', BAD);
    await clock.kit.list('first', [OTHER]);
    await clock.pass(LATER);
    await until(() => gone(clock.kit).length > 0);
    expect(clock.kit.bus.published[0]!.reasons.map(({ rule }) => rule)).toEqual(['feed:first', 'feed:base']);
  });
});

describe('a click', () => {
  const click = (slug: string) =>
    ({
      v: 2,
      type: 'click.recorded',
      id: '0193a5d0-7c1e-7abc-8def-0123456789ab',
      slug,
      at: NOW.getTime(),
      visitor: '0123456789abcdef',
      country: 'DE',
      user_agent: '',
      referrer: '',
    }) as const;

  async function clicking() {
    let at = NOW.getTime();
    const links = testLinks();
    const looks = testLooks(links);
    const filed = (slug: string, destinationUrl: string) =>
      links.file([{ slug, destinationUrl, keys: [], flagged: false }]);
    const clicked = clickedLinks({ links, looks, now: () => new Date(at), onAdded: () => {} });
    const visit = async (...slugs: string[]) => {
      await clicked.handler(
        slugs.map((slug) => ({ event: click(slug), message: { key: slug, value: '' } })),
        () => {},
        () => {},
      );
      while (await clicked.queueLooks());
      const until = new Date(at + 1);
      const due = (await looks.take(new Date(at), 100, until)).map(({ slug }) => slug);
      await looks.finish(due, until);
      return due;
    };
    return { filed, visit, pass: (ms: number) => (at += ms), links };
  }

  test('has its destination looked at again, once per host and day', async () => {
    const { filed, visit, pass } = await clicking();
    await filed('one', 'https://a.example.net/1');
    await filed('two', 'https://a.example.net/2');
    await filed('three', 'https://b.example.net/');
    expect(await visit('one', 'one', 'unknown')).toEqual(['one']);
    expect(await visit('one', 'two')).toEqual([]);
    expect(await visit('three')).toEqual(['three']);
    pass(86_400_000 + 1_000);
    expect(await visit('two', 'one')).toEqual(['two']);
  });

  test('is handled without the database: what fails is asked again later', async () => {
    const { filed, visit, links } = await clicking();
    await filed('one', 'https://a.example.net/1');
    const { find } = links;
    links.find = () => Promise.reject(new Error('the links are away'));
    await expect(visit('one')).rejects.toThrow('away');
    links.find = find;
    expect(await visit('one')).toEqual(['one']);
  });
});

describe('a report', () => {
  test('has the link scanned again, and files nothing else', async () => {
    const kit = await started();
    await kit.createLink('link', BAD);
    let added: readonly string[] = [];
    const { add } = kit.looks;
    kit.looks.add = (slugs, at) => {
      added = slugs;
      return add(slugs, at);
    };
    await kit.changeLink('link', 'link.reported');
    expect(added).toEqual(['link']);
    expect([...kit.links.filed.keys()]).toEqual(['link']);
    await until(() => kit.looks.due.size === 0);
    expect(kit.bus.published).toEqual([]);
  });
});

describe('a change of rules', () => {
  test('sweeps all links in the background, and goes on where it stopped', async () => {
    const links = testLinks();
    const first = await started({ links });
    for (let i = 0; i < 30; i++) await first.createLink(`s${i + 10}`, `http://h${i}.example.net/`);
    await first.createLink('payload', 'http://203.0.112.7:4545/bin.sh');
    await first.stop();
    const before = { ...links.queries };
    const changed = await newScanner({ links, dataDir: first.dataDir, rulesOff: ['emoji-host'] });
    expect(changed.status().rescansOwed).toBe(1);
    await changed.start();
    afterwards(() => changed.stop());
    await settled(changed);
    expect(changed.bus.published.map(({ slug, type }) => [slug, type])).toEqual([['payload', 'threat.found']]);
    expect(links.queries).toEqual({ matching: before.matching, all: before.all + 1 });
  });

  test('files links that an earlier version filed under other keys, flagged ones too: later imports find them', async () => {
    const links = testLinks();
    const first = await started({ links });
    await first.stop();
    // As by a version that knew none of their expressions.
    const destinations = { clean: 'https://clean.example.net/', bad: 'https://bad.example.net/' };
    for (const [slug, destinationUrl] of Object.entries(destinations))
      await links.file([{ slug, destinationUrl, keys: ['1'], flagged: slug === 'bad' }]);
    const changed = await started({ links, dataDir: first.dataDir, rulesOff: ['emoji-host'] });
    for (const [slug, destinationUrl] of Object.entries(destinations))
      expect(links.filed.get(slug)?.keys).toEqual(keysOf(destinationUrl, POLICY));
    expect(changed.bus.published).toEqual([]);
    await changed.list('new', ['https://clean.example.net/']);
    await settled(changed);
    expect(changed.bus.published.map(({ slug, type }) => [slug, type])).toEqual([['clean', 'threat.found']]);
  });
});
