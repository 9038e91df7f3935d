/** Revoke is immediate: no visitor whose request began after the API's 200 is sent to the destination. */
import { expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import { newLink } from '../support.ts';
import { type Visit, visitors } from './visitors.ts';

const { waypost, api } = product({});

test('sends nobody to the destination after the 200 of forty revokes under six hammering clients', async () => {
  let requests = 0;
  const latencies: number[] = [];
  for (let round = 0; round < 40; round++) {
    const { slug } = await newLink(api);
    let running = true;
    const hammering = visitors(waypost.redirect, 6, () => (running ? slug : undefined));
    await pause(50);
    const startedAt = performance.now();
    expect((await api('POST', `/api/v1/links/${slug}/revoke`)).status).toBe(200);
    const revokedAt = performance.now();
    latencies.push(revokedAt - startedAt);
    await pause(50);
    running = false;
    const visits = await hammering;
    requests += visits.length;
    const stale = visits.filter(({ status, began }: Visit) => status === 302 && began > revokedAt);
    expect(stale).toEqual([]);
    expect(visits.some(({ status }) => status === 302)).toBe(true);
    expect(visits.at(-1)?.status).toBe(410);
  }
  latencies.sort((a, b) => a - b);
  console.log(`${requests} requests, revoke p50 ${latencies[20]?.toFixed(1)} ms, max ${latencies[39]?.toFixed(1)} ms`);
});
