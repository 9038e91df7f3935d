import { mkdtempSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { asAdministrator } from '@waypost/postgres';
import { until } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { type Engine, startClickHouseFront, startKafka, startPostgresServer, startRedis } from '../index.ts';

describe.each([
  ['Redis', startRedis],
  ['PostgreSQL', startPostgresServer],
  ['ClickHouse front', startClickHouseFront],
  ['Kafka', startKafka],
] as const)('%s', (name, start) => {
  let engine: Engine | undefined;
  let dir: string | undefined;
  afterEach(async () => {
    await engine?.stop();
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true });
  });

  test('starts on a new folder, and restarts on its data after any kind of end', async () => {
    // As root, PostgreSQL runs under another user, who needs access to its folder.
    dir = mkdtempSync(join(tmpdir(), 'waypost-engine-'));
    engine = await start({ dir });
    expect(engine).toMatchObject({ name, pid: expect.any(Number), port: expect.any(Number) });
    const { port } = engine;
    expect(await accepts(port)).toBe(true);
    const first = engine.pid;
    expect(isAlive(first)).toBe(true);

    engine.pause();
    engine.resume();
    await engine.kill();
    expect(isAlive(first)).toBe(false);
    // A process that PostgreSQL had just started may keep its socket for a moment.
    await until(async () => !(await accepts(port)));
    await engine.restart();
    expect(engine.pid).not.toBe(first);
    expect(await accepts(engine.port)).toBe(true);

    engine.pause(); // `stop` must work on a frozen engine, too.
    await engine.stop();
    expect(isAlive(engine.pid)).toBe(false);
    await engine.stop();
  }, 300_000);
});

test('a standby of PostgreSQL has every answered commit, takes over, and gets the old primary as its standby', async () => {
  const [one, other] = [newFolder(), newFolder()];
  const first = await startPostgresServer({ dir: one });
  const second = await startPostgresServer({ dir: other, standbyOf: first });
  const query = ({ socketDir: host, port }: typeof first, sql: string) =>
    asAdministrator({ host, port, user: 'waypost' }, 'postgres', async (client) => (await client.query(sql)).rows);
  await query(first, 'CREATE TABLE noted AS SELECT 1 AS n');
  await expect(query(second, 'INSERT INTO noted VALUES (2)')).rejects.toThrow('read-only');
  second.pause(); // the primary waits for it
  const unanswered = query(first, 'INSERT INTO noted VALUES (3)').catch((error: Error) => error);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await query(first, 'SELECT n FROM noted')).toEqual([{ n: 1 }]);
  await first.kill();
  expect(await unanswered).toBeInstanceOf(Error);
  second.resume();
  await second.promote();
  await query(second, 'INSERT INTO noted VALUES (4)');
  rmSync(join(one, 'data'), { recursive: true });
  await first.stop();
  const third = await startPostgresServer({ dir: one, standbyOf: second });
  await query(second, 'INSERT INTO noted VALUES (5)');
  await expect(query(third, 'SELECT pg_is_in_recovery() AS standby')).resolves.toEqual([{ standby: true }]);
  await third.stop();
  await second.stop();
}, 60_000);

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
