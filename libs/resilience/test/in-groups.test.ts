import { expect, test } from '@jest/globals';
import { inGroups } from '../src/index.ts';

function calls() {
  const groups: string[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (items: readonly number[]) => {
    groups.push(items.join(' '));
    return new Promise<number[]>((resolve, reject) => {
      ends.push((error) => (error === undefined ? resolve(items.map((item) => -item)) : reject(error)));
    });
  };
  return { groups, work, end: (error?: Error) => ends.shift()!(error) };
}

/** Waits until all items that arrived in this turn are in a call. */
async function turn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

test('items that arrive in one turn of the event loop share one call per key', async () => {
  const { groups, work, end } = calls();
  const run = inGroups<number, number>({ most: 10 }, work);
  const all = Promise.all([run('a', 1), run('b', 2), run('a', 3)]);
  expect(groups).toEqual([]);
  await new Promise(setImmediate);
  expect(groups).toEqual(['1 3', '2']);
  end();
  end();
  expect(await all).toEqual([-1, -2, -3]);
});

test('items that arrive during a call share the next call', async () => {
  const { groups, work, end } = calls();
  const run = inGroups<number, number>({ most: 10 }, work);
  const first = run('a', 1);
  await turn();
  const later = Promise.all([run('a', 2), turn().then(() => run('a', 3))]);
  await turn();
  expect(groups).toEqual(['1']);
  end();
  await turn();
  expect(groups).toEqual(['1', '2 3']);
  end();
  expect([await first, ...(await later)]).toEqual([-1, -2, -3]);
});

test('a group does not exceed its size, but a single item may', async () => {
  const { groups, work, end } = calls();
  const run = inGroups({ most: 10, sizeOf: (item: number) => item }, work);
  const all = Promise.all([run('a', 50), run('a', 5), run('a', 5), run('a', 1), run('a', 20)]);
  for (let i = 0; i < 4; i++) {
    await turn();
    end();
  }
  expect(groups).toEqual(['50', '5 5', '1', '20']);
  expect(await all).toEqual([-50, -5, -5, -1, -20]);
});

test('if a call rejects, all items of its group reject and no others', async () => {
  const { work, end } = calls();
  const run = inGroups<number, number>({ most: 10 }, work);
  const first = run('a', 1);
  await turn();
  const all = Promise.allSettled([first, run('a', 2), run('a', 3)]);
  end();
  await turn();
  end(new Error('away'));
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const again = run('a', 4);
  await turn();
  end();
  expect(await again).toBe(-4);
});
