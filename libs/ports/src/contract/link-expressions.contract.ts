import { describe, expect, test } from '@jest/globals';
import { cleared, flagged, type Link, revoked } from '@waypost/domain';
import {
  asking,
  atNoon,
  type LinksUnderTest,
  NOON,
  newLink,
  newOwner,
  newSlug,
  opened,
  PHISHING,
  until,
} from './links-under-test.ts';

/** What LinkExpressions promises about the links of the same store. */
export function linkExpressionsContract(name: string, open: () => Promise<LinksUnderTest>): void {
  describe(`LinkExpressions: ${name}`, () => {
    const store = opened(open);
    let made = 0;
    /** An expression hash that no other test uses. */
    const newExpression = () => `-${1_000_000 + made++}`;
    const matching = async (expressions: readonly string[], page = { after: '', limit: 100 }) =>
      (await store().expressions.activeLinksMatching(expressions, page)).map(({ slug }) => slug);
    const all = async (page: { after: string; limit: number }) =>
      (await store().expressions.activeLinks(page)).map(({ slug }) => slug);
    const linkWith = (expressions: readonly string[], more = {}) =>
      newLink(store(), { verdict: { expressions, ...more } });

    test('finds a link by each of its expressions, once, with its destination', async () => {
      const [one, two] = [newExpression(), newExpression()];
      const { slug, destinationUrl } = await linkWith([one, two]);
      for (const asked of [[one], [two], [one, two], [two, newExpression()]]) {
        expect(await store().expressions.activeLinksMatching(asked, { after: '', limit: 10 })).toEqual([
          { slug, destinationUrl },
        ]);
      }
      expect(await matching([newExpression()])).toEqual([]);
      expect(await matching([])).toEqual([]);
    });

    test('takes all 64 bits for what they are', async () => {
      const extremes = ['-9223372036854775808', '9223372036854775807', '0', '-1', '9007199254740993'];
      const links: Link[] = [];
      for (const extreme of extremes) links.push(await linkWith([extreme]));
      for (const [i, extreme] of extremes.entries()) expect(await matching([extreme])).toEqual([links[i]!.slug]);
      expect(await matching(['9007199254740992'])).toEqual([]);
    });

    test('finds the links of every owner', async () => {
      const expression = newExpression();
      const links = [await linkWith([expression]), await linkWith([expression])];
      expect(await matching([expression])).toEqual(links.map(({ slug }) => slug).toSorted(byBytes));
    });

    test('goes through all of them page by page, ascending by bytes, each once', async () => {
      const expression = newExpression();
      const ownerId = await newOwner(store());
      const stem = newSlug();
      const slugs = ['b', 'B', 'a_', 'a-', 'a', 'Z', 'z', '1'].map((first) => `${first}${stem}`);
      await store().links.create(
        asking(ownerId, ...slugs.map((slug) => ({ slug, verdict: { expressions: [expression, newExpression()] } }))),
        NOON,
      );
      const seen: string[] = [];
      for (;;) {
        const page = await matching([expression], { after: seen.at(-1) ?? '', limit: 3 });
        if (page.length === 0) break;
        expect(page.length).toBeLessThanOrEqual(3);
        seen.push(...page);
      }
      expect(seen).toEqual(slugs.toSorted(byBytes));
    });

    test('leaves out flagged and revoked links, and finds a cleared one again', async () => {
      const expression = newExpression();
      const at = atNoon(1000);
      const [kept, gone, found] = [
        await linkWith([expression]),
        await linkWith([expression]),
        await linkWith([expression]),
      ];
      const born = await linkWith([expression], PHISHING);
      const threat = { threatType: 'scam', reasons: [], generation: 'g2' } as const;
      await store().links.update(gone.slug, (link) => revoked(link, at));
      await store().links.update(found.slug, (link) => flagged(link, threat, at));
      expect(await matching([expression])).toEqual([kept.slug]);
      expect(await all({ after: '', limit: 1000 })).toContain(kept.slug);
      for (const { slug } of [gone, found, born]) expect(await all({ after: '', limit: 1000 })).not.toContain(slug);
      await store().links.update(found.slug, (link) => cleared(link, at));
      await store().links.update(born.slug, (link) => cleared(link, at));
      expect(await matching([expression])).toEqual([kept.slug, found.slug, born.slug].toSorted(byBytes));
    });

    test('sees a link as soon as its creation is answered, and before, while and after its event is relayed', async () => {
      const expression = newExpression();
      const created = await Promise.all(Array.from({ length: 20 }, () => linkWith([expression])));
      const slugs = created.map(({ slug }) => slug).toSorted(byBytes);
      expect(await matching([expression])).toEqual(slugs);
      const seen: (readonly string[])[] = [];
      const draining = await store().outbox.drain(async () => {
        seen.push(await matching([expression]));
      });
      await until(async () => (await store().outbox.backlog()).rows === 0);
      await draining.stop();
      expect(seen[0]).toEqual(slugs);
      expect(await matching([expression])).toEqual(slugs);
    });

    test('goes through every active link, those without expressions included', async () => {
      const bare = await linkWith([]);
      const seen: string[] = [];
      for (;;) {
        const page = await all({ after: seen.at(-1) ?? '', limit: 4 });
        if (page.length === 0) break;
        seen.push(...page);
      }
      expect(seen).toContain(bare.slug);
      expect(seen).toEqual([...new Set(seen)].toSorted(byBytes));
      expect(seen).toEqual(await all({ after: '', limit: 10_000 }));
    });
  });
}

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
