/** Even after `kill -9`, a visitor who got a 302 is counted exactly once. */
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { spawnNode } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { eventually, request, startRedirector } from './support.ts';

test('after a kill under load and a restart, every answered redirect is exactly one click', async () => {
  const folder = newFolder();
  const answered = new Set<string>();
  let requests = 0;
  for (let run = 0; run < 3; run += 1) {
    const child = spawnNode(new URL('./killed.server.ts', import.meta.url), [folder]);
    const [line] = await once(child.stdout, 'data');
    const port = Number(String(line).trim());
    let killed = false;
    const visitor = async () => {
      while (!killed) {
        requests += 1;
        const name = `visitor-${requests}`;
        // Count only visitors who received the answer.
        const answer = await request(port, '/abcDEF1', { headers: { 'user-agent': name } }).catch(() => undefined);
        if (answer?.status === 302) answered.add(name);
        if (answered.size >= (run + 1) * 100) {
          killed = true;
          child.kill('SIGKILL');
        }
      }
    };
    await Promise.all([...Array.from({ length: 8 }, visitor), once(child, 'exit')]);
  }
  expect(answered.size).toBeGreaterThanOrEqual(300);

  const next = await startRedirector([], { clickLogDir: folder });
  await eventually(async () => expect((await next.redirector.status()).spoolBytes).toBe(0));
  const clicks = next.clicks();
  await next.close();
  expect(new Set(clicks.map(({ id }) => id)).size).toBe(clicks.length);
  const counted = clicks.map(({ user_agent }) => user_agent);
  expect(new Set(counted).size).toBe(counted.length);
  expect([...answered].filter((name) => !counted.includes(name))).toEqual([]);
});
