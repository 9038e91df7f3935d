import { describe, expect, test } from '@jest/globals';
import { postgresCacheGeneration } from '../src/index.ts';
import { connectTo, emptyDatabase, newDatabase } from './empty-database.ts';

describe('CacheGeneration: PostgreSQL', () => {
  test('every later read sees a bump, in every process', async () => {
    const database = await newDatabase();
    const [one, two] = [
      postgresCacheGeneration(await connectTo(database)),
      postgresCacheGeneration(await connectTo(database)),
    ];
    const before = await one.read();
    expect(await two.read()).toBe(before);
    await one.bump();
    expect(await two.read()).toBe(before + 1);
    expect(await one.read()).toBe(before + 1);
  });

  test('concurrent bumps of many callers all count', async () => {
    const generation = postgresCacheGeneration(await emptyDatabase());
    const before = await generation.read();
    await Promise.all(Array.from({ length: 20 }, () => generation.bump()));
    expect(await generation.read()).toBe(before + 20);
  });

  test('a database that is away is `unavailable`', async () => {
    const db = await emptyDatabase();
    const generation = postgresCacheGeneration(db);
    await db.query('ALTER TABLE cache_generation RENAME TO gone');
    await expect(generation.read()).rejects.not.toMatchObject({ code: 'unavailable' });
    await db.query('ALTER TABLE gone RENAME TO cache_generation');
    const cut = generation.read();
    await expect(cut).resolves.toBeGreaterThan(0);
    await db.destroy();
    await expect(generation.read()).rejects.toThrow();
  });
});
