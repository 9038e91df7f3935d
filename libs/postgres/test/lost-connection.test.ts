/** A lost connection may fail the statements that run on it, and must harm nothing else. */
import { expect, test } from '@jest/globals';
import { pause, proxyTo } from '@waypost/test-support';
import { bareDatabase, connectTo } from '@waypost/test-support/database';
import { pingDatabase, prepared } from '../src/database.ts';

test('no request continues in the transaction of a statement that timed out', async () => {
  const database = await bareDatabase();
  const { proxy, port, between } = await proxyTo(database);
  const [db, other] = [
    await connectTo({ ...database, host: '127.0.0.1', port, poolSize: 1 }),
    await connectTo(database),
  ];
  await other.query('CREATE TABLE noted (n int)');
  const lost = db.transaction(async (tx) => {
    await tx.query('INSERT INTO noted VALUES (1)');
    for (const socket of between) socket.pause(); // delays what has been sent
    await tx.query('INSERT INTO noted VALUES (2)');
  });
  await expect(lost).rejects.toThrow();
  for (const socket of between) socket.resume();
  await prepared(db, 'note', 'INSERT INTO noted VALUES ($1)', [3]);
  expect(await other.query('SELECT n FROM noted')).toEqual([{ n: 3 }]);
  await db.close();
  proxy.close();
});

test('if a connection breaks, its statement is `unavailable` and the process continues', async () => {
  const database = await bareDatabase();
  const { proxy, port, between } = await proxyTo(database);
  const unheard: unknown[] = [];
  const hear = (error: unknown) => unheard.push(error);
  process.on('uncaughtException', hear);
  try {
    const db = await connectTo({ ...database, host: '127.0.0.1', port });
    const running = prepared(db, 'sleep', 'SELECT pg_sleep($1)', [1]);
    const outcome = expect(running).rejects.toMatchObject({ code: 'unavailable' });
    await pause(200);
    for (const socket of between) socket.resetAndDestroy();
    await outcome;
    await pause(100);
    expect(unheard).toEqual([]);
    await pingDatabase(db);
    await db.close();
  } finally {
    process.off('uncaughtException', hear);
    proxy.close();
  }
});
