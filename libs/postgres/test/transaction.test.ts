import { expect, test } from '@jest/globals';
import { bareDatabase, connectTo } from '@waypost/test-support/database';

test('a transaction that catches the error of a statement rejects, because PostgreSQL then rolls it back', async () => {
  const db = await connectTo(await bareDatabase());
  await db.query('CREATE TABLE kept (n int PRIMARY KEY)');
  const caught = db.transaction(async (tx) => {
    await tx.query('INSERT INTO kept VALUES (1)');
    await tx.query('INSERT INTO kept VALUES (1)').catch(() => undefined);
  });
  await expect(caught).rejects.toThrow('rolled back');
  expect(await db.query('SELECT n FROM kept')).toEqual([]);
});
