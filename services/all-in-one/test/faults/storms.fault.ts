import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { comesTo, newSlugs } from '../support.ts';
import {
  allCleared,
  clock,
  drop,
  expectUnharmed,
  FLAGGED_WITHIN_MS,
  felt,
  listAll,
  QUIET_MS,
  report,
  stormLinks,
} from './feed-storm.ts';
import { expectEnds, visitors } from './visitors.ts';

const { environment, behind, right } = clock();
const target = product(environment);

test('each newly listed link is flagged in time and cleared again, without harm to others', async () => {
  const links = await stormLinks(target);
  report('one process, before', QUIET_MS, await felt(target, () => pause(QUIET_MS)));
  let took = 0;
  const others = await felt(target, async () => {
    took = await listAll(target, links);
  });
  report('one process, listed', took, others);
  expect(took).toBeLessThan(FLAGGED_WITHIN_MS);
  expectUnharmed(others);

  behind();
  await target.waypost.restart();
  await drop(target, links);
  right();
  await target.waypost.restart();
  const meanwhile = await felt(target, async () => {
    took = await allCleared(target, [links]);
  });
  report('one process, dropped', took, meanwhile);
  expect(took).toBeLessThan(FLAGGED_WITHIN_MS);
  expectUnharmed(meanwhile);
}, 600_000);

const ENDING = Number(process.env.ENDING_LINKS ?? 2_000);

test(`${ENDING} links that end in the same second end for visitors at once, without harm to others`, async () => {
  const { waypost, api } = target;
  const end = Date.now() + 5_000 + ENDING;
  const ends_at = new Date(end).toISOString();
  const slugs: string[] = [];
  for (let i = 0; i < ENDING; i += 500)
    slugs.push(...(await newSlugs(api, Math.min(500, ENDING - i), () => ({ ends_at, tags: ['ending'] }))));
  const revoked = async () => (await api('GET', '/api/v1/links?status=revoked&tag=ending&limit=100')).body;
  let took = 0;
  const others = await felt(target, async () => {
    await pause(Math.max(0, end - Date.now()));
    const slug = slugs.values();
    const visits = await visitors(waypost.redirect, 64, () => slug.next().value);
    expect(visits).toHaveLength(ENDING);
    expectEnds(visits, end);
    await comesTo(async () => (await revoked()).total, ENDING, 30_000);
    took = Date.now() - end;
  });
  report('one process, other links that end', took, others);
  expectUnharmed(others);
  for (const link of (await revoked()).data) expect(link).toMatchObject({ revoked_at: ends_at, updated_at: ends_at });
}, 300_000);
