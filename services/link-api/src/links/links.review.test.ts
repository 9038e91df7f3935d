import { describe, expect, test } from '@jest/globals';
import { cleared, evidenceToClear, flagged, OPERATOR } from '@waypost/domain';
import { atNoon, codeOf, LATER, newLink, newSlug, noted, openStores, PHISHING } from '../../test/stores.ts';
import { takingDown } from '../moderation/take-down-link.ts';

const store = await openStores();
const { links } = store;

describe('reviews', () => {
  const clear = (slug: string) =>
    links.update(slug, (link, history) => ({
      ...cleared(link, LATER),
      note: {
        kind: 'review',
        decision: 'clear',
        cleared: evidenceToClear(history),
        at: LATER,
        audit: noted,
      },
    }));
  const clearedOf = async (slug: string) => {
    const evidence: string[] = [];
    await links.update(slug, (_, { reviews }) => {
      evidence.push(...reviews.flatMap((review) => review.cleared));
      return undefined;
    });
    return evidence;
  };
  const flag = (slug: string, rule: string, evidence: string) => {
    const reasons = [{ rule, evidence }];
    const verdict = { outcome: 'flagged', threat_type: 'scam', reasons } as const;
    return links.update(slug, (link) => ({
      ...flagged(link, { threatType: 'scam', reasons, generation: 'g2' }, LATER),
      note: { kind: 'verdict', verdict, generation: 'g2', at: LATER },
    }));
  };

  test('store the evidence that they clear, of the first flag and of every later flag', async () => {
    const { slug } = await newLink(store, { verdict: PHISHING });
    expect(await clearedOf(slug)).toEqual([]);
    await clear(slug);
    await flag(slug, 'feed:other', 'evil.example/b');
    expect(await clearedOf(slug)).toEqual(['feed:phish evil.example/']);
    await clear(slug);
    expect((await clearedOf(slug)).toSorted()).toEqual(['feed:other evil.example/b', 'feed:phish evil.example/']);
  });

  test('that clear a take-down also clear the evidence of earlier flags', async () => {
    const { slug } = await newLink(store, { verdict: PHISHING });
    const takeDown = (reason: string, at: Date) =>
      links.update(
        slug,
        takingDown({ threatType: 'spam', reason }, OPERATOR, () => at),
      );
    await takeDown('one', atNoon(1_000));
    await takeDown('two', atNoon(2_000));
    await clear(slug);
    expect(await clearedOf(slug)).toEqual(['take-down two', 'take-down one', 'feed:phish evil.example/']);
    await takeDown('three', atNoon(90_000));
    expect((await links.verdicts(slug))[0]).toMatchObject({ reasons: [{ rule: 'take-down', evidence: 'three' }] });
  });

  test('apply to their link only, and store nothing if they are refused', async () => {
    const [one, other] = [await newLink(store, { verdict: PHISHING }), await newLink(store, { verdict: PHISHING })];
    const { slug: active } = await newLink(store);
    await clear(one.slug);
    expect(await codeOf(clear(active))).toBe('link_not_flagged');
    const slugs = [one.slug, other.slug, active, newSlug()];
    expect(await Promise.all(slugs.map(clearedOf))).toEqual([['feed:phish evil.example/'], [], [], []]);
  });
});
