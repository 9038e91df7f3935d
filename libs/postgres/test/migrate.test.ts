import { expect, test } from '@jest/globals';
import { bareDatabase } from '@waypost/test-support/database';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { openDatabase } from '../src/open-database.ts';

/** It takes longer than a statement of a request may take. */
class Slow1800000000000 implements MigrationInterface {
  readonly name = 'Slow1800000000000';
  async up(db: QueryRunner): Promise<void> {
    await db.query('SELECT pg_sleep(2.2)');
    await db.query('CREATE TABLE slow (n integer)');
  }
  async down(): Promise<void> {}
}
const SCHEMA = { migrations: [Slow1800000000000] };

test('a migration may take longer than a request, and another process waits for it', async () => {
  const address = { ...(await bareDatabase()), poolSize: 2, migrate: [SCHEMA] };
  const started = performance.now();
  const [one, two] = await Promise.all([openDatabase(address), openDatabase(address)]);
  expect(performance.now() - started).toBeGreaterThan(2_200);
  try {
    expect(await two.query('SELECT n FROM slow')).toEqual([]);
    expect(await one.query("SELECT count(*)::int AS n FROM migrations WHERE name LIKE 'Slow%'")).toEqual([{ n: 1 }]);
    // The time limit still applies to all other statements.
    await expect(one.query('SELECT pg_sleep(5)')).rejects.toThrow(/timeout/);
  } finally {
    await Promise.all([one.close(), two.close()]);
  }
});

test('a process that does not migrate fails until the schema exists', async () => {
  const address = { ...(await bareDatabase()), poolSize: 1, expect: SCHEMA };
  await expect(openDatabase(address)).rejects.toThrow('the schema is missing');
});
