/**
 * Tests connections with two hosts in `DATABASE_URL`: they follow a promotion, and never return to a former primary,
 * whether it accepts writes or not. MATRIX_ROWS=few omits some cases.
 */
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { asAdministrator, connection, databaseAddress, openDatabase, prepared } from '@waypost/postgres';
import { pause } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { type PostgresServer, startPostgresServer } from '../index.ts';

const some = <T>(cases: readonly T[]): readonly T[] => (process.env.MATRIX_ROWS === 'few' ? cases.slice(0, 1) : cases);
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops.reverse()) await stop();
}, 60_000);

let first: PostgresServer;
let second: PostgresServer;
let firstFolder: string;
beforeEach(async () => {
  firstFolder = newFolder();
  first = await startPostgresServer({ dir: firstFolder, closed: true });
  stops.push(() => first.stop());
  await asAdministrator(socketOf(first), 'postgres', (client) =>
    client.query(
      `CREATE ROLE service LOGIN PASSWORD 'secret'; CREATE TABLE noted (n int); GRANT ALL ON noted TO service`,
    ),
  );
  second = await startPostgresServer({ dir: newFolder(), standbyOf: first });
  stops.push(() => second.stop());
}, 60_000);

const socketOf = ({ socketDir: host, port }: PostgresServer) => ({ host, port, user: 'waypost' });
function urlOf(...servers: PostgresServer[]): string {
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`);
  return `postgres://service:secret@${hosts}/postgres?target_session_attrs=read-write`;
}
async function connectTo(...servers: PostgresServer[]) {
  const db = await openDatabase({ ...databaseAddress(urlOf(...servers)), poolSize: 3 });
  stops.push(() => db.close());
  return db;
}
type Db = Awaited<ReturnType<typeof connectTo>>;
const portOf = async (db: Db) => {
  const [row] = await prepared<{ port: string }>(db, 'port', "SELECT current_setting('port') AS port", []);
  return Number(row!.port);
};
const busy = (db: Db) => Promise.all([portOf(db), portOf(db), portOf(db)]);
/** Resolves to the milliseconds until all connections are at this server. */
async function reaches(db: Db, server: PostgresServer, withinMs = 5_000): Promise<number> {
  const started = performance.now();
  for (;;) {
    const ports = await busy(db).catch(() => []);
    const took = performance.now() - started;
    if (ports.length > 0 && ports.every((port) => port === server.port)) return took;
    if (took > withinMs) throw new Error(`after ${took} ms the answers come from ${ports}`);
    await pause(20);
  }
}
const note = (db: Db, n: number) => prepared(db, 'note', 'INSERT INTO noted VALUES ($1) RETURNING n', [n]);

describe('connections with two hosts', () => {
  test.each(some(['killed', 'frozen'] as const))('follow the promotion after the primary was %s', async (how) => {
    const db = await connectTo(second, first); // a standby may be first
    expect(await busy(db)).toEqual(Array(3).fill(first.port));
    if (how === 'killed') await first.kill();
    else first.pause();
    await expect(note(db, 1)).rejects.toMatchObject({ code: 'unavailable' });
    await second.promote();
    await reaches(db, second);
    await note(db, 2);
    if (how === 'frozen') first.resume();
  });

  test('leave a primary that runs on and accepts writes, as soon as the other is promoted', async () => {
    const db = await connectTo(first, second);
    await busy(db);
    const leader = await connection(db); // as the leader of a job, in use all the time
    const lost = new Promise((resolve) => leader.once('error', resolve));
    await second.promote();
    expect(await lost).toMatchObject({ message: expect.stringContaining(`now 127.0.0.1:${second.port}`) });
    leader.release(true);
    await reaches(db, second);
    await note(db, 1);
    // A new process finds the same primary, although the former one is first and accepts writes.
    const other = await connectTo(first, second);
    expect(await busy(other)).toEqual(Array(3).fill(second.port));
    // A commit at the former primary waits for the standby that has left, so it is never answered.
    await expect(note(await connectTo(first, first), 9)).rejects.toMatchObject({ code: 'unavailable' });
    // Without the new primary, nobody who knew it goes back.
    await second.kill();
    for (let i = 0; i < 4; i++) {
      for (const one of [db, other]) await expect(note(one, 9)).rejects.toMatchObject({ code: 'unavailable' });
      await pause(500);
    }
    await second.restart();
    await reaches(other, second);
    expect(await prepared(other, 'noted', 'SELECT n FROM noted', [])).toEqual([{ n: 1 }]);
  });

  test.each(some(['read-only', 'as a standby'] as const))('stay when the former primary returns %s', async (how) => {
    const db = await connectTo(first, second);
    await busy(db);
    await first.kill();
    await second.promote();
    await reaches(db, second);
    const file = how === 'read-only' ? 'postgresql.auto.conf' : 'standby.signal';
    appendFileSync(
      path.join(firstFolder, 'data', file),
      how === 'read-only' ? 'default_transaction_read_only = on\n' : '',
    );
    await first.restart();
    for (let i = 0; i < 4; i++) {
      expect(await busy(db)).toEqual(Array(3).fill(second.port));
      await pause(500);
    }
    expect(await busy(await connectTo(first, second))).toEqual(Array(3).fill(second.port));
    await second.kill();
    const alone = connectTo(first, second);
    // The standby has no primary. The other one takes reads alone, so no write is ever answered.
    if (how === 'as a standby') await expect(alone).rejects.toThrow('is a primary');
    else await expect(note(await alone, 9)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
