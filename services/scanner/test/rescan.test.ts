import { describe, expect, test } from '@jest/globals';
import { TOPICS } from '@waypost/domain';
import { SWEEP_ABOVE } from '../src/threats/import-feed.ts';
import { type Kit, linkCreated, NOW, newScanner, settled, started, testBus, testLinks } from './scanner-kit.ts';

const BAD = 'http://bad.example.net/kit';

/** Imports a feed and waits until the scanner has found the links that it lists. */
async function imported(kit: Kit, ...feed: Parameters<Kit['list']>): Promise<string> {
  const generation = await kit.list(...feed);
  await settled(kit);
  return generation;
}

const active = (kit: Kit) => [...kit.links.filed].flatMap(([slug, { flagged }]) => (flagged ? [] : slug)).sort();
const flaggedSlugs = (kit: Kit) => kit.bus.published.map(({ slug }) => slug).sort();

describe('an import', () => {
  test('reports each active link that it newly lists, and no other', async () => {
    const kit = await started();
    await kit.createLink('exact', BAD);
    await kit.createLink('disguised', 'https://BAD.example.net:8443/%6bit?x=1#y');
    await kit.createLink('nested', `https://www.google.com/url?q=${encodeURIComponent(BAD)}`);
    await kit.createLink('other', 'http://bad.example.net/other');
    await kit.createLink('revoked', BAD);
    await kit.changeLink('revoked', 'link.revoked');
    const generation = await imported(kit, 'mine', [BAD], { threatType: 'malware' });
    expect(flaggedSlugs(kit)).toEqual(['disguised', 'exact', 'nested']);
    expect(kit.bus.published.find(({ slug }) => slug === 'exact')).toEqual({
      v: 1,
      type: 'threat.found',
      slug: 'exact',
      destination_url: BAD,
      threat_type: 'malware',
      reasons: [{ rule: 'feed:mine', evidence: 'bad.example.net/kit', threat_type: 'malware' }],
      generation,
      at: NOW.toISOString(),
    });
  });

  test('reports a list again only if its source or its type is another', async () => {
    const kit = await started();
    await kit.createLink('link', BAD);
    await imported(kit, 'mine', [BAD]);
    await imported(kit, 'mine', [BAD]);
    expect(kit.bus.published).toHaveLength(1);
    await imported(kit, 'second', [BAD]);
    expect(kit.bus.published).toHaveLength(2);
    await imported(kit, 'second', [BAD], { threatType: 'malware' });
    expect(kit.bus.published).toHaveLength(3);
  });

  test('finds each link once over many pages and many queries', async () => {
    const kit = await started();
    const urls = Array.from({ length: 1_300 }, (_, i) => `http://host${i}.example.net/x`);
    for (const [i, url] of urls.entries()) await kit.createLink(`s${String(i).padStart(4, '0')}`, url);
    const others = Array.from({ length: 6_000 }, (_, i) => `http://filler${i}.example.org/x`);
    await imported(kit, 'mine', [...urls, ...others]);
    expect(flaggedSlugs(kit)).toEqual(urls.map((_, i) => `s${String(i).padStart(4, '0')}`));
    expect(kit.links.queries.all).toBe(1);
  });

  test('scans every link if it has very many new entries', async () => {
    const kit = await started();
    await kit.createLink('bad', BAD);
    await kit.createLink('good', 'http://good.example.net/');
    const before = { ...kit.links.queries };
    const lines = Array.from({ length: SWEEP_ABOVE }, (_, i) => `h${i}.filler.example.org`);
    await imported(kit, 'large', [...lines, 'bad.example.net'], { format: 'hosts' });
    expect(flaggedSlugs(kit)).toEqual(['bad']);
    expect(kit.links.queries).toEqual({ matching: before.matching, all: before.all + 1 });
  });

  test('loses no links if another import runs at the same time', async () => {
    const kit = await started();
    const names = ['one', 'two', 'three', 'four'];
    for (const name of names) await kit.createLink(name, `http://${name}.example.net/x`);
    await Promise.all(names.map((name) => kit.list(name, [`http://${name}.example.net/x`])));
    await settled(kit);
    expect([...new Set(flaggedSlugs(kit))].sort()).toEqual(names.sort());
  });
});

describe('a re-scan', () => {
  test('is retried if the links or the bus fail', async () => {
    const kit = await started();
    await kit.createLink('link', BAD);
    kit.links.failNext(2);
    kit.bus.failNext(1);
    await imported(kit, 'mine', [BAD]);
    expect(flaggedSlugs(kit)).toEqual(['link']);
  });

  test('is still pending after a restart, and starts from the beginning', async () => {
    const links = testLinks();
    const before = await started({ links });
    await before.createLink('link', BAD);
    await before.stop();
    const stopped = await newScanner({ links, dataDir: before.dataDir });
    await stopped.list('mine', [BAD]);
    await stopped.list('other', ['http://other.example.net/']);
    expect(stopped.bus.published).toEqual([]);
    const kit = await started({ links, dataDir: stopped.dataDir });
    expect(flaggedSlugs(kit)).toContain('link');
    await kit.stop();
    const again = await started({ links, dataDir: stopped.dataDir });
    expect(again.bus.published).toEqual([]);
  });

  test('that is stopped in the middle stays pending', async () => {
    const links = testLinks();
    const kit = await started({ links });
    await kit.createLink('link', BAD);
    links.failNext(1_000);
    await kit.list('mine', [BAD]);
    await kit.stop();
    expect(kit.status().rescansOwed).toBe(1);
    links.failNext(0);
    const again = await started({ links, dataDir: kit.dataDir });
    expect(flaggedSlugs(again)).toEqual(['link']);
  });
});

describe('a link', () => {
  const created = (slug: string, generation: string) => linkCreated(slug, BAD, generation);

  test('is filed as active or as flagged, even if its events come twice', async () => {
    const kit = await started();
    const filed = () => active(kit);
    await kit.createLink('link', BAD);
    await kit.createLink('link', BAD);
    expect(filed()).toEqual(['link']);
    for (const gone of ['link.flagged', 'link.revoked'] as const) {
      for (let twice = 0; twice < 2; twice++) await kit.changeLink('link', gone);
      expect(filed()).toEqual([]);
      expect([...kit.links.filed.keys()]).toEqual(gone === 'link.flagged' ? ['link'] : []);
      for (let twice = 0; twice < 2; twice++) await kit.changeLink('link', 'link.cleared');
      expect(filed()).toEqual(['link']);
    }
  });

  test('with several events in one batch gets the state of the last one', async () => {
    const kit = await started();
    const generation = kit.status().generation!;
    const events = ['revoked', 'cleared', 'flagged', 'kept'].map((slug) => created(slug, generation));
    const [revoked, cleared, flagged] = events;
    await kit.bus.deliver(
      TOPICS.links,
      ...events,
      { ...revoked, type: 'link.revoked', status: 'revoked' },
      { ...cleared, type: 'link.flagged', status: 'flagged' },
      { ...flagged, type: 'link.flagged', status: 'flagged' },
      { ...cleared, type: 'link.cleared' },
    );
    expect(active(kit)).toEqual(['cleared', 'kept']);
    expect([...kit.links.filed.keys()].sort()).toEqual(['cleared', 'flagged', 'kept']);
  });

  test('that is filed after the re-scan of an import is still reported', async () => {
    const links = testLinks();
    const kit = await started({ links });
    const { file } = links;
    links.file = async (batch) => {
      await imported(kit, 'mine', [BAD]);
      expect(kit.bus.published).toEqual([]);
      await file(batch);
    };
    await kit.createLink('link', BAD);
    expect(flaggedSlugs(kit)).toEqual(['link']);
  });

  test('that is filed while the re-scan of an import waits is found by the re-scan', async () => {
    const links = testLinks();
    const kit = await started({ links });
    const { matching } = links;
    const creations: Promise<void>[] = [];
    links.matching = async (...query) => {
      if (creations.length === 0) creations.push(kit.bus.deliver(TOPICS.links, created('link', 'old')));
      await Promise.all(creations);
      return matching(...query);
    };
    await imported(kit, 'mine', [BAD]);
    expect([...new Set(flaggedSlugs(kit))]).toEqual(['link']);
  });

  test('that is cleared is scanned with the feeds that were imported while it was flagged', async () => {
    const kit = await started();
    await kit.createLink('link', BAD);
    await kit.changeLink('link', 'link.flagged');
    await imported(kit, 'mine', [BAD]);
    expect(kit.bus.published).toEqual([]);
    await kit.changeLink('link', 'link.cleared');
    expect(flaggedSlugs(kit)).toEqual(['link']);
  });

  test('that cannot be filed is redelivered', async () => {
    const kit = await started();
    const event = created('link', kit.status().generation!);
    kit.links.failNext(1);
    await expect(kit.bus.deliver(TOPICS.links, event)).rejects.toThrow('away');
    await kit.bus.deliver(TOPICS.links, event);
    await imported(kit, 'mine', [BAD]);
    expect(flaggedSlugs(kit)).toEqual(['link']);
  });

  test('with very many keys: of 500 such links, each statement files a bounded number', async () => {
    const links = testLinks();
    const kit = await started({ links });
    const { file } = links;
    const sizes: number[] = [];
    links.file = async (batch) => {
      sizes.push(batch.flatMap(({ keys }) => keys).length);
      await file(batch);
    };
    const generation = kit.status().generation!;
    const path = Array.from({ length: 80 }, (_, i) => `${i}`).join('/');
    const events = Array.from({ length: 500 }, (_, i) =>
      linkCreated(`s${100 + i}`, `http://h${i}.example.net/${path}`, generation),
    );
    await kit.bus.deliver(TOPICS.links, ...events);
    expect(links.filed.size).toBe(500);
    expect(sizes.length).toBeGreaterThan(1);
    expect(Math.max(...sizes)).toBeLessThan(10_300);
  });
});

describe('a new link', () => {
  test('that an older generation scanned is scanned again', async () => {
    const kit = await started();
    const old = kit.status().generation!;
    const generation = await imported(kit, 'mine', [BAD]);
    for (const [slug, by] of Object.entries({ late: old, fresh: generation })) {
      await kit.bus.deliver(TOPICS.links, linkCreated(slug, BAD, by));
    }
    await kit.bus.deliver(TOPICS.links, linkCreated('harmless', 'https://example.com/', old));
    await kit.bus.deliver(TOPICS.links, { ...linkCreated('gone', BAD, old), type: 'link.revoked', status: 'revoked' });
    await kit.bus.deliver(TOPICS.links, { ...linkCreated('born', BAD, old), status: 'flagged' });
    expect(flaggedSlugs(kit)).toEqual(['late']);
  });

  test('is dead-lettered if its event is unreadable, and redelivered if its verdict cannot be published', async () => {
    const kit = await started();
    await kit.bus.deliver(TOPICS.links, 'not json');
    await kit.bus.deliver(TOPICS.links, { v: 2, type: 'link.created' });
    await kit.bus.deliver(TOPICS.links, { ...linkCreated('long', BAD, 'old'), more: 'x'.repeat(20_000) });
    expect(kit.bus.parked.map(({ error }) => error.message)).toEqual([
      'not JSON',
      'v is missing or wrong',
      'longer than 16384 characters',
    ]);
    await imported(kit, 'mine', [BAD]);
    kit.bus.failNext(1);
    await expect(kit.bus.deliver(TOPICS.links, linkCreated('late', BAD, 'old'))).rejects.toThrow('away');
  });

  test('is not consumed after the scanner has stopped', async () => {
    const bus = testBus();
    const kit = await started({ bus });
    await kit.list('mine', [BAD]);
    await kit.stop();
    await bus.deliver(TOPICS.links, linkCreated('late', BAD, 'old'));
    expect(bus.published).toEqual([]);
  });
});
