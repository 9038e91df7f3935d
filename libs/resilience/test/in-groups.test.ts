import { expect, test } from '@jest/globals';
import { inGroups } from '../src/index.ts';

/** Groups as they were called, and the means to end each. */
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

test('the first runs at once, and those that come meanwhile run together, for each key', async () => {
  const { groups, work, end } = calls();
  const run = inGroups<number, number>({ most: 10 }, work);
  const all = Promise.all([run('a', 1), run('a', 2), run('b', 3), run('a', 4)]);
  expect(groups).toEqual(['1', '3']);
  end();
  end();
  await new Promise(setImmediate);
  expect(groups).toEqual(['1', '3', '2 4']);
  end();
  expect(await all).toEqual([-1, -2, -3, -4]);
});

test('a group is no larger than it may be, and one item alone may be', async () => {
  const { groups, work, end } = calls();
  const run = inGroups({ most: 10, sizeOf: (item: number) => item }, work);
  const all = Promise.all([run('a', 50), run('a', 5), run('a', 5), run('a', 1), run('a', 20)]);
  for (let i = 0; i < 4; i++) {
    end();
    await new Promise(setImmediate);
  }
  expect(groups).toEqual(['50', '5 5', '1', '20']);
  expect(await all).toEqual([-50, -5, -5, -1, -20]);
});

test('a group that fails fails each of its items, and no other', async () => {
  const { work, end } = calls();
  const run = inGroups<number, number>({ most: 10 }, work);
  const all = Promise.allSettled([run('a', 1), run('a', 2), run('a', 3)]);
  end();
  await new Promise(setImmediate);
  end(new Error('away'));
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
  const again = run('a', 4);
  end();
  expect(await again).toBe(-4);
});
