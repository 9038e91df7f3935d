import { expect, test } from '@jest/globals';
import { postgresCacheGeneration } from '../src/index.ts';
import { connectTo, newDatabase } from './empty-database.ts';

test('every later read sees each of many concurrent bumps, in every process', async () => {
  const database = await newDatabase();
  const [one, two] = [
    postgresCacheGeneration(await connectTo(database)),
    postgresCacheGeneration(await connectTo(database)),
  ];
  const before = await one.read();
  expect(await two.read()).toBe(before);
  await Promise.all(Array.from({ length: 20 }, () => one.bump()));
  expect(await two.read()).toBe(before + 20);
  expect(await one.read()).toBe(before + 20);
});
