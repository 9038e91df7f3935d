import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
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
