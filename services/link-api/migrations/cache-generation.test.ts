import { expect, test } from '@jest/globals';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import { postgresCacheGeneration } from './cache-generation.sql.ts';

test('after many concurrent increases, every process reads a generation that includes all of them', async () => {
  const database = await newDatabase();
  const [one, two] = [
    postgresCacheGeneration(await connectTo(database)),
    postgresCacheGeneration(await connectTo(database)),
  ];
  const before = (await one.read()).generation;
  expect((await two.read()).generation).toBe(before);
  await Promise.all(Array.from({ length: 20 }, () => one.bump()));
  expect((await two.read()).generation).toBe(before + 20);
  expect((await one.read()).generation).toBe(before + 20);
});

test('a server keeps its name while it is admitted, and gets a new one if it returns', async () => {
  const database = await newDatabase();
  const generation = postgresCacheGeneration(await connectTo(database));
  const admitted = async (...servers: string[]) => {
    await generation.admit(servers);
    return (await generation.read()).servers;
  };
  expect((await generation.read()).servers).toEqual({});
  const first = await admitted('a', 'b');
  expect(Object.keys(first)).toEqual(['a', 'b']);
  expect(first.a).not.toBe(first.b);
  expect(await admitted('b', 'c')).toEqual({ b: first.b, c: expect.any(String) });
  expect((await admitted('a', 'b')).a).not.toBe(first.a);
  expect(await admitted()).toEqual({});
});
