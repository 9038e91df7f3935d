import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { spawnNode } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';

describe('startEmbeddedClickHouse', () => {
  let folder: string;
  beforeEach(() => {
    // These characters have a meaning in the engine's file names.
    folder = path.join(newFolder(), "{1..3} {a,b} it's\\*?");
  });

  function holder(task: string) {
    const child = spawnNode(new URL('./embedded-holder.ts', import.meta.url), [folder, task], {
      UV_THREADPOOL_SIZE: '16',
    });
    afterwards(() => child.kill('SIGKILL'));
    const exited = once(child, 'exit') as Promise<[code: number | null, signal: string | null]>;
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => JSON.parse((await lines.next()).value ?? 'null');
    return { child, exited, next };
  }

  test('after kill -9 during inserts the folder opens again, with every acknowledged click', async () => {
    for (let round = 0, answered = 0; round < 2; round++) {
      const storing = holder('store-until-killed');
      let last = 0;
      for (let i = 0; i < 5 + round; i++) last = (await storing.next()).stored;
      storing.child.kill('SIGKILL');
      await storing.exited;
      // Before the kill, further inserts may have succeeded without being reported. So this is a minimum.
      answered += last;
      const { total_clicks } = await holder('count').next();
      expect(total_clicks).toBeGreaterThanOrEqual(answered);
      answered = total_clicks;
    }
  });

  test('`stop` waits for running statements and refuses others, and the process exits within seconds', async () => {
    const startedAt = performance.now();
    const busy = holder('stop-while-busy');
    expect(await busy.next()).toEqual({ first: 'fulfilled', second: 'fulfilled', settled: 20, late: 'unavailable' });
    expect(await busy.exited).toEqual([0, null]);
    expect(performance.now() - startedAt).toBeLessThan(6_000);
  });

  test('the end of a thread that uses the adapters does not disturb statements of another thread', async () => {
    const threads = holder('threads-that-end');
    for (let round = 0; round < 2; round++) expect(await threads.next()).toEqual({ round, rows: [{ done: 0 }] });
    expect(await threads.exited).toEqual([0, null]);
  });

  test('a statement aborted while it waits never runs, and too many waiting statements are refused', async () => {
    const busy = holder('give-up');
    const { names, quick, nextMs } = await busy.next();
    expect({ names, quick }).toEqual({ names: ['unavailable'], quick: true });
    expect(nextMs).toBeLessThan(2_500);
    const { leftAfterMs } = await busy.next();
    expect(leftAfterMs).toBeLessThan(2_500);
    expect(await busy.exited).toEqual([0, null]);
  });
});
