import { expect, test } from '@jest/globals';
import { DomainError } from '@waypost/domain';
import { bareDatabase, connectTo } from '@waypost/test-support/database';
import { inTransaction, rows } from '../src/index.ts';

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

test.each(['session-timeout', 'terminated'])(
  'an error that quotes "%s" is not taken for a lost connection',
  async (text) => {
    const db = await connectTo(await bareDatabase());
    const refused = new DomainError('link_already_revoked', `The link "${text}" is already revoked.`);
    await expect(inTransaction(db, () => Promise.reject(refused))).rejects.toBe(refused);
    await expect(rows(db, 'SELECT $1::uuid', [text])).rejects.toMatchObject({ code: '22P02' });
    expect(db.pool.totalCount).toBe(1); // the connection is kept
  },
);
