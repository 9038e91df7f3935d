import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { spawnNode, until } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import pg from 'pg';
import { type EmbeddedPostgres, isPostgresOn, startEmbeddedPostgres } from '../src/postgres.ts';

/** Returns a data folder that does not exist yet. Its parent folder is new and has this mode. */
function newDir(name = 'pg', mode = 0o755): string {
  const folder = newFolder();
  fs.chmodSync(folder, mode);
  return path.join(folder, name);
}

function copyOf(source: string): string {
  const dir = newDir();
  // Node's own copy does not keep modes and owners, so run `cp`.
  for (const end of ['', '-socket']) execFileSync('cp', ['-a', source + end, dir + end]);
  return dir;
}

async function start(dir: string, onCrash?: (error: unknown) => void): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres(dir, onCrash);
  afterwards(() => server.stop());
  return server;
}

async function sql(server: Pick<EmbeddedPostgres, 'host' | 'user'>, text: string): Promise<unknown[]> {
  const client = new pg.Client({ host: server.host, user: server.user, database: 'postgres' });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

function processesOn(dir: string): string[] {
  const all = execFileSync('ps', ['-A', '-ww', '-o', 'pid=', '-o', 'command='], { encoding: 'utf8' }).split('\n');
  return all.filter((line) => line.split(' ').includes(dir));
}

const postmaster = (dir: string) => Number.parseInt(fs.readFileSync(path.join(dir, 'postmaster.pid'), 'utf8'), 10);

const gone = (dir: string) => until(() => processesOn(dir).length === 0);

async function hold(dir: string): Promise<{ child: ChildProcess; host: string; user: 'waypost' }> {
  const child = spawnNode(new URL('./hold-postgres.mjs', import.meta.url), [dir]);
  for await (const line of createInterface({ input: child.stdout })) return { child, ...JSON.parse(line) };
  throw new Error('the other process ended');
}

describe('embedded PostgreSQL', () => {
  /** The folder of a stopped server. A copy of it is faster than a new one. */
  let stopped: string;
  /** The folder of a server with one row. All its processes were killed at once, as a power cut does. */
  let crashed: string;
  beforeAll(async () => {
    stopped = newDir();
    await (await startEmbeddedPostgres(stopped)).stop();
    crashed = copyOf(stopped);
    const holder = await hold(crashed);
    await sql(holder, 'CREATE TABLE kept AS SELECT 7 AS answer');
    process.kill(postmaster(crashed), 'SIGKILL');
    holder.child.kill('SIGKILL');
    await gone(crashed);
  });

  test('starts on a new folder, leaves no process when it stops, and has its data after a restart', async () => {
    const dir = newDir();
    const first = await start(dir);
    await sql(first, 'CREATE TABLE kept AS SELECT 42 AS answer');
    expect(await sql(first, `SELECT datlocale, pg_encoding_to_char(encoding) AS encoding FROM pg_database`)).toEqual(
      Array(3).fill({ datlocale: 'C.UTF-8', encoding: 'UTF8' }),
    );
    expect(await sql(first, `SELECT upper('straße é'), 'B' < 'a' AS by_code_point`)).toEqual([
      { upper: 'STRAßE É', by_code_point: true },
    ]);
    await first.stop();
    expect(processesOn(dir)).toEqual([]);
    const second = await start(dir);
    expect(await sql(second, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  test('listens on a socket that only its user can access, and on no port', async () => {
    const server = await start(copyOf(stopped));
    expect(await sql(server, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
    expect(fs.statSync(server.host).mode & 0o077).toBe(0);
    expect(fs.statSync(path.join(server.host, '.s.PGSQL.5432')).mode & 0o077).toBe(0);
  });

  test('ends when its parent process is killed, and an immediate start finds all committed data', async () => {
    const dir = copyOf(stopped);
    (await hold(dir)).child.kill('SIGKILL');
    await gone(dir);
    const holder = await hold(dir);
    await sql(holder, 'CREATE TABLE kept AS SELECT 1 AS answer');
    holder.child.kill('SIGKILL');
    // The old server is still stopping when the new one starts.
    await once(holder.child, 'exit');
    const next = await start(dir);
    expect(await sql(next, 'SELECT answer FROM kept')).toEqual([{ answer: 1 }]);
    await next.stop();
    expect(processesOn(dir)).toEqual([]);
  });

  test('recovers after all its processes were killed at once, as a power cut does', async () => {
    const dir = copyOf(crashed);
    // The pid file still says "ready", although its server has ended.
    expect(fs.readFileSync(path.join(dir, 'postmaster.pid'), 'utf8')).toContain('ready');
    const next = await start(dir);
    expect(await sql(next, 'SELECT answer FROM kept')).toEqual([{ answer: 7 }]);
  });

  test.each([
    ['a stranger', () => spawn('sleep', ['60'])],
    // `exec` replaces the shell with a program that never waits for its child, which becomes a zombie.
    ['a zombie process', () => spawn('sh', ['-c', 'sleep 0.01 & echo $!; exec sleep 60'])],
    [
      'an unrelated process with the folder among its arguments',
      (dir: string) => spawn('sh', ['-c', 'read _', '-D', dir]),
    ],
    ['this process', () => undefined],
  ])('starts after a crash when %s has its old id', async (_, other) => {
    const dir = copyOf(crashed);
    const child = other(dir);
    const output = child === undefined ? [] : await Promise.race([once(child.stdout, 'data'), pause(100, [])]);
    const taken = Number.parseInt(String(output[0] ?? child?.pid ?? process.pid), 10);
    for (const file of [path.join(dir, 'postmaster.pid'), `${dir}-socket/.s.PGSQL.5432.lock`]) {
      fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(/^.*/, String(taken)));
    }
    await pause(50);
    const next = await start(dir);
    expect(await sql(next, 'SELECT answer FROM kept')).toEqual([{ answer: 7 }]);
    // The other process with the old id must still run.
    expect(child?.exitCode ?? null).toBeNull();
    expect(child?.signalCode ?? null).toBeNull();
    child?.kill('SIGKILL');
  });

  test.each(['linux', 'darwin'])('on %s, tells the server of a folder from other processes', async (platform) => {
    const dir = copyOf(stopped);
    await start(dir);
    const ended = spawn('true');
    expect(isPostgresOn(postmaster(dir), dir, platform)).toBe(true);
    expect(isPostgresOn(postmaster(dir), dir.slice(0, -1), platform)).toBe(false);
    expect(isPostgresOn(process.pid, dir, platform)).toBe(false);
    await once(ended, 'exit');
    expect(isPostgresOn(ended.pid!, dir, platform)).toBe(false);
  });

  test('is restarted on the same socket when it exits unexpectedly, and the exit is reported', async () => {
    const dir = copyOf(stopped);
    const crashes: unknown[] = [];
    const server = await start(dir, (error) => crashes.push(error));
    const first = postmaster(dir);
    process.kill(first, 'SIGKILL');
    await until(() =>
      sql(server, 'SELECT 1').then(
        () => postmaster(dir) !== first,
        () => false,
      ),
    );
    expect(crashes).toEqual([expect.objectContaining({ message: expect.stringContaining('stopped unexpectedly') })]);
  });

  test('stays stopped, even if `stop` is called right after an unexpected exit', async () => {
    const dir = copyOf(stopped);
    const isAway = () => processesOn(dir).length === 0;
    for (const moment of ['at once', 'while it is down', 'while it restarts']) {
      const server = await start(dir);
      process.kill(postmaster(dir), 'SIGKILL');
      if (moment !== 'at once') await until(isAway);
      if (moment === 'while it restarts') await until(() => !isAway());
      await server.stop();
      // The other processes of a killed server exit by themselves, and no new server starts.
      await until(isAway);
      await pause(500);
      expect([moment, processesOn(dir)]).toEqual([moment, []]);
    }
  });

  test('reports at once, with the server’s message, that it cannot start', async () => {
    const dir = copyOf(stopped);
    fs.writeFileSync(path.join(dir, 'PG_VERSION'), '9.6\n');
    await expect(start(dir)).rejects.toThrow(/did not start.*not compatible/s);
    await gone(dir);
  });

  test('creates the folder again after an interrupted start', async () => {
    const dir = newDir();
    fs.mkdirSync(`${dir}.making/base`, { recursive: true });
    fs.writeFileSync(`${dir}.making/PG_VERSION`, '18\n');
    expect(await sql(await start(dir), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(fs.existsSync(`${dir}.making`)).toBe(false);
  });

  test('works below a folder that only this user can access', async () => {
    const dir = newDir('data/postgres', 0o700);
    fs.mkdirSync(path.dirname(dir), { mode: 0o700 });
    const server = await start(dir);
    expect(await sql(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('works in a folder with spaces, quotes and umlauts, whose path is too long for a socket', async () => {
    const dir = newDir(`it's a "földer" $HOME ${'x'.repeat(100)}`);
    const server = await start(dir);
    expect(server.host.length).toBeLessThan(100);
    expect(await sql(server, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
    expect(fs.existsSync(server.host)).toBe(false);
  });
});
