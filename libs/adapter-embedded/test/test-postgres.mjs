/**
 * Jest's globalSetup and globalTeardown: one embedded PostgreSQL server for the whole run, started when the first test
 * file asks for it (over a unix socket whose path is in `WAYPOST_TEST_POSTGRES`) and removed at the end. The server
 * stops with this process, however that ends.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/postgres.ts';

const PREFIX = 'waypost-tests-';

export default async function setUp() {
  removeLeftovers();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `${PREFIX}${process.pid}-`));
  // Under root PostgreSQL runs as another user, which needs access to its folder.
  fs.chmodSync(folder, 0o711);
  let started;
  const listener = net.createServer((socket) => {
    socket.on('error', () => undefined);
    started ??= start(path.join(folder, 'pg'));
    started.then(
      ({ host, user }) => socket.end(JSON.stringify({ host, user })),
      (error) => socket.end(JSON.stringify({ error: String(error?.stack ?? error) })),
    );
  });
  process.env.WAYPOST_TEST_POSTGRES = path.join(folder, 'ask');
  await new Promise((resolve) => listener.listen(process.env.WAYPOST_TEST_POSTGRES, resolve));
  listener.unref();

  globalThis.stopTestPostgres = async () => {
    listener.close();
    const server = await started?.catch(() => undefined);
    await server?.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
}

async function start(dir) {
  const server = await startEmbeddedPostgres(dir, undefined, ['max_connections=400']); // a pool per test file, and more in the races
  const client = new pg.Client({ host: server.host, user: server.user, database: 'postgres' });
  await client.connect();
  // Test data need not survive a power cut.
  await client.query('ALTER SYSTEM SET fsync = off');
  await client.query('ALTER SYSTEM SET full_page_writes = off');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  return server;
}

/** Folders of killed runs. */
function removeLeftovers() {
  for (const name of fs.readdirSync(os.tmpdir())) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid) || isAlive(pid)) continue;
    fs.rmSync(path.join(os.tmpdir(), name), { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
