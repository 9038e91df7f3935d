import { describe, expect, test } from '@jest/globals';
import { cleared, flagged, takenDown } from '@waypost/domain';
import { atNoon, codeOf, LATER, newLink, newSlug, noted, openStores, PHISHING } from '../../test/stores.ts';

const store = await openStores();
const { links } = store;

describe('reviews', () => {
  const review = (decision: 'clear' | 'keep') =>
    ({ kind: 'review', decision, reason: 'looked at it', at: LATER, audit: noted }) as const;
  const clear = (slug: string) => links.update(slug, (link) => cleared(link, LATER), review('clear'));
  const clearedOf = async (slug: string) =>
    (await links.histories([slug])).get(slug)?.reviews.flatMap((review) => review.cleared) ?? [];
  const flag = (slug: string, rule: string, evidence: string) => {
    const reasons = [{ rule, evidence }];
    const verdict = { outcome: 'flagged', threat_type: 'scam', reasons } as const;
    return links.update(slug, (link) => flagged(link, { threatType: 'scam', reasons, generation: 'g2' }, LATER), {
      kind: 'verdict',
      verdict,
      generation: 'g2',
    });
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
      links.update(slug, (link) => takenDown(link, { threatType: 'spam', reason }, at), {
        kind: 'take_down',
        threatType: 'spam',
        reason,
        audit: noted,
      });
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
