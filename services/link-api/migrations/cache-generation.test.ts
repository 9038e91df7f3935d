import { expect, test } from '@jest/globals';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import { postgresCacheGeneration } from './cache-generation.sql.ts';

test('after many concurrent increases, every process reads a generation that includes all of them', async () => {
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
