/** Tests new scans of existing links: after a removed entry, a click, a report, or a change of rules. */
import { describe, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { clickedLinks } from '../src/recheck/clicked-links.ts';
import { DELIST_AFTER_MS } from '../src/recheck/delist-links.ts';
import { keysOfLink } from '../src/threats/own-links.ts';
import { type Kit, NOW, newScanner, POLICY, settled, started, testLinks, testLooks } from './scanner-kit.ts';

const BAD = 'http://bad.example.net/kit';
const OTHER = 'http://other.example.net/';
const LATER = DELIST_AFTER_MS + 1_000;

/** Returns a scanner whose clock the test moves. It restarts with the settings `restarted` to notice the new time. */
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
  test('stops flagging a link after 72 hours, and not earlier', async () => {
    const clock = await withClock();
    await clock.kit.list('mine', [BAD, OTHER]);
    await flaggedLink(clock.kit, 'link', BAD);
    await flaggedLink(clock.kit, 'kept', OTHER);
    await clock.kit.list('mine', [OTHER]);
    await clock.pass(DELIST_AFTER_MS - 1_000);
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

  test('still flags if another source lists it, or if it came back', async () => {
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

  test('that came back and left again waits 72 hours from the second time', async () => {
    const clock = await withClock();
    await clock.kit.list('mine', [BAD, OTHER]);
    await flaggedLink(clock.kit, 'link', BAD);
    await clock.kit.list('mine', [OTHER]);
    await clock.pass(DELIST_AFTER_MS / 2);
    await clock.kit.list('mine', [BAD, OTHER]);
    await clock.kit.list('mine', [OTHER]);
    await clock.pass(DELIST_AFTER_MS / 2 + 1_000);
    await quiet();
    expect(gone(clock.kit)).toEqual([]);
    await clock.pass(DELIST_AFTER_MS / 2);
    await until(() => gone(clock.kit).length > 0);
  });

  test('waits until all entries that left within the same hour are due', async () => {
    const clock = await withClock();
    const rest = ['http://second.example.net/', 'http://third.example.net/', OTHER];
    await clock.kit.list('mine', [BAD, ...rest]);
    await flaggedLink(clock.kit, 'first', BAD);
    await flaggedLink(clock.kit, 'third', rest[1]!);
    for (const from of [0, 1, 2]) {
      await clock.kit.list('mine', rest.slice(from));
      await clock.pass(60_000);
    }
    await clock.pass(DELIST_AFTER_MS - 120_000);
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
  ])('waits 72 hours after it left the second list, %s, and the verdict names both', async (_, second) => {
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

  test('is not named for a feed that is switched off', async () => {
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
      account_id: '0193a5d0-7c1e-4abc-8def-0123456789ab',
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
    const rechecks = testLooks(links);
    const filed = (slug: string, destinationUrl: string) =>
      links.file([{ slug, destinationUrl, keys: [], flagged: false }]);
    const clicked = clickedLinks({ links, rechecks, now: () => new Date(at), onAdded: () => {} });
    const visit = async (...slugs: string[]) => {
      await clicked.handler(
        slugs.map((slug) => ({ event: click(slug), message: { key: slug, value: '' } })),
        () => {},
        () => {},
      );
      while (await clicked.queueRechecks());
      const until = new Date(at + 1);
      const due = (await rechecks.take(new Date(at), 100, until)).map(({ slug }) => slug);
      await rechecks.finish(due, until);
      return due;
    };
    return { filed, visit, pass: (ms: number) => (at += ms), links };
  }

  test('causes a new check of its destination, once per host and day', async () => {
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

  test('is handled even if the database fails, and the check is tried again later', async () => {
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
  test('causes a new scan of the link, and changes nothing else', async () => {
    const kit = await started();
    await kit.createLink('link', BAD);
    let added: readonly string[] = [];
    const { add } = kit.rechecks;
    kit.rechecks.add = (slugs, at) => {
      added = slugs;
      return add(slugs, at);
    };
    await kit.changeLink('link', 'link.reported');
    expect(added).toEqual(['link']);
    expect([...kit.links.filed.keys()]).toEqual(['link']);
    await until(() => kit.rechecks.due.size === 0);
    expect(kit.bus.published).toEqual([]);
  });
});

describe('a change of rules', () => {
  test('scans all links in the background, and continues where it stopped', async () => {
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
    // An older version would have filed these links under other keys.
    const destinations = { clean: 'https://clean.example.net/', bad: 'https://bad.example.net/' };
    for (const [slug, destinationUrl] of Object.entries(destinations))
      await links.file([{ slug, destinationUrl, keys: ['1'], flagged: slug === 'bad' }]);
    const changed = await started({ links, dataDir: first.dataDir, rulesOff: ['emoji-host'] });
    for (const [slug, destinationUrl] of Object.entries(destinations))
      expect(links.filed.get(slug)?.keys).toEqual(keysOfLink({ slug, destinationUrl }, POLICY));
    expect(changed.bus.published).toEqual([]);
    await changed.list('new', ['https://clean.example.net/']);
    await settled(changed);
    expect(changed.bus.published.map(({ slug, type }) => [slug, type])).toEqual([['clean', 'threat.found']]);
  });
});
