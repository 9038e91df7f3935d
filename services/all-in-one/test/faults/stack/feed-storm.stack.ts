import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
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
  type StormLinks,
  stormLinks,
} from '../feed-storm.ts';
import { stackUnderTest } from './stack-under-test.ts';

const { environment, behind, right } = clock('services/scanner');
const { stack, api } = stackUnderTest(environment);
const target = {
  api,
  get waypost() {
    return { ...stack.waypost, redirect: stack.redirect };
  },
};
const storms: StormLinks[] = [];
/** Kafka gives the partitions of a killed member to another only when its session ends, after 10 s. */
const SESSION_MS = 15_000;
const restarts = () => [...stack.waypost.output().matchAll(/stopped unexpectedly; restarting/g)].length;

async function storm(): Promise<StormLinks> {
  const links = await stormLinks(target);
  storms.push(links);
  return links;
}

async function restartScanner(except?: string): Promise<void> {
  stack.kill('scanner');
  stack.letStart('scanner');
  await stack.allReady(60_000, except);
}

test('each newly listed link is flagged in time, without harm to others', async () => {
  const links = await storm();
  report('separate processes, before', QUIET_MS, await felt(target, () => pause(QUIET_MS)));
  let took = 0;
  const others = await felt(target, async () => {
    took = await listAll(target, links);
  });
  report('separate processes, listed', took, others);
  expect(took).toBeLessThan(FLAGGED_WITHIN_MS);
  expectUnharmed(others);
  expect(restarts()).toBe(0);
}, 600_000);

test('links are flagged in time even if link-api is killed meanwhile', async () => {
  const links = await storm();
  const took = await listAll(target, links, async () => {
    stack.kill('link-api');
    stack.letStart('link-api');
    await stack.allReady(60_000);
  });
  report('separate processes, listed, link-api killed', took, await felt(target, () => pause(1_000)));
  expect(took).toBeLessThan(FLAGGED_WITHIN_MS + SESSION_MS);
  expect(restarts()).toBe(1);
}, 600_000);

test('links are flagged in time even if Redis is frozen for 10 s meanwhile', async () => {
  const links = await storm();
  let took = 0;
  const others = await felt(target, async () => {
    took = await listAll(target, links, async () => {
      stack.freeze('Redis');
      await pause(10_000);
      stack.thaw('Redis');
    });
  });
  report('separate processes, listed, Redis frozen', took, others);
  expect(took).toBeLessThan(FLAGGED_WITHIN_MS + 10_000);
  // During this fault a revoke also waits for the cache's generation (decision 0008), 0.8 s in all.
  expectUnharmed(others, 2_000);
  expect(restarts()).toBe(1);
}, 600_000);

test('links are cleared as fast once the feed has dropped them for DROPPED_FOR_HOURS', async () => {
  behind();
  await restartScanner('clock');
  for (const links of storms) await drop(target, links);
  right();
  await restartScanner();
  let took = 0;
  const others = await felt(target, async () => {
    took = await allCleared(target, storms);
  });
  report(`separate processes, ${storms.length} times as many dropped`, took, others);
  expect(took).toBeLessThan(storms.length * FLAGGED_WITHIN_MS);
  expectUnharmed(others);
  expect(restarts()).toBe(3);
}, 600_000);
