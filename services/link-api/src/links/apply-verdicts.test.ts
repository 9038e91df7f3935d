import { expect, test } from '@jest/globals';
import { inProcessBus, inProcessLinkCache } from '@waypost/adapter-embedded';
import { type NewLink, OPERATOR, type Reason, VERDICTS, type VerdictEvent } from '@waypost/domain';
import { storedLink } from '../../test/links.ts';
import { reviewLink } from '../moderation/review-link.ts';
import { applyVerdicts } from './apply-verdicts.consumer.ts';

const NOW = new Date('2026-11-22T12:00:00.000Z');
const DESTINATION = 'https://example.com/';
const FEED: Reason = { rule: 'feed:x', evidence: 'example.com/', threat_type: 'phishing' };
const RULE: Reason = { rule: 'ip-host', evidence: 'example.com', threat_type: 'suspicious' };

async function aLink(fields: Partial<NewLink> = {}) {
  const { links, slug } = await storedLink(NOW, fields);
  const parked: string[] = [];
  const bus = inProcessBus({
    park: async (_topic, _group, { value }) => void parked.push(value),
    logger: { warn() {} },
  });
  const deps = { bus, links, cache: inProcessLinkCache({ size: 10 }), now: () => NOW };
  let beforeUpdate: () => Promise<unknown> = async () => {};
  const updateAll: typeof links.updateAll = async (updates) => {
    await beforeUpdate();
    return links.updateAll(updates);
  };
  await applyVerdicts({ ...deps, links: { ...links, updateAll } });
  const common = { v: 1, slug, destination_url: DESTINATION, threat_type: 'phishing', at: NOW.toISOString() } as const;
  const publish = (type: VerdictEvent['type'], reasons: readonly Reason[], generation: string) =>
    bus.publish(VERDICTS, [{ ...common, type, reasons, generation }]);
  const GONE = ['feed:other', 'feed:x'].map((rule) => ({ rule, evidence: 'not listed since 2026-11-19' }));
  return {
    deps,
    slug,
    parked,
    beforeUpdate: (act: typeof beforeUpdate) => {
      beforeUpdate = act;
    },
    find: () => links.find(slug),
    verdicts: () => links.verdicts(slug),
    flag: (...reasons: Reason[]) => publish('threat.found', reasons, 'g2'),
    gone: () => publish('threat.gone', GONE, 'g3'),
  };
}

test('a flag from a list is cleared when the list drops the link, and both changes are recorded', async () => {
  const { flag, gone, find, verdicts } = await aLink();
  await flag(FEED);
  expect(await find()).toMatchObject({ status: 'flagged', scanGeneration: 'g2' });
  for (let twice = 0; twice < 2; twice++) await gone();
  expect(await find()).toMatchObject({ status: 'active', threatType: null, scanGeneration: 'g3', version: 3 });
  expect(await verdicts()).toMatchObject([
    { outcome: 'clean', threat_type: null, reasons: [{ rule: 'feed:x', evidence: 'not listed since 2026-11-19' }] },
    { outcome: 'flagged', threat_type: 'phishing', reasons: [FEED] },
  ]);
  // Nobody has judged this evidence wrong, so the link is flagged when a list has it again.
  await flag(FEED);
  expect(await find()).toMatchObject({ status: 'flagged', version: 4 });
});

test('a flag stays if a rule also caused it or a review kept it', async () => {
  const withRule = await aLink();
  await withRule.flag(FEED, RULE);
  await withRule.gone();
  expect(await withRule.find()).toMatchObject({ status: 'flagged', version: 2 });

  const unchanged = await aLink();
  await unchanged.flag(FEED);
  await reviewLink(unchanged.deps, unchanged.slug, { decision: 'keep', reason: 'seen' }, OPERATOR);
  await unchanged.gone();
  expect(await unchanged.find()).toMatchObject({ status: 'flagged', version: 2 });
});

test('a verdict does not flag the link with evidence that a review clears just before it is stored', async () => {
  const { flag, find, deps, slug, beforeUpdate } = await aLink();
  await flag(FEED);
  beforeUpdate(() => reviewLink(deps, slug, { decision: 'clear', reason: 'seen' }, OPERATOR));
  await flag(FEED);
  expect(await find()).toMatchObject({ status: 'active', version: 3 });
});

test('evidence that cannot be stored goes to the dead-letter topic, and later verdicts are applied', async () => {
  const { flag, find, parked } = await aLink();
  for (const evidence of ['half of an emoji: \ud83d', 'a NUL: \0']) await flag({ ...FEED, evidence });
  expect(parked).toEqual([expect.stringContaining('half of an emoji'), expect.stringContaining('a NUL')]);
  expect(await find()).toMatchObject({ status: 'active', version: 1 });
  await flag(FEED);
  expect(await find()).toMatchObject({ status: 'flagged', version: 2 });
});
