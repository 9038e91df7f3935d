/**
 * Starts the resources that all test files share (jest's globalSetup). Each starts when the first file requests it over
 * a unix socket, and is removed at the end. None outlives this process.
 *
 * `WAYPOST_TEST_POSTGRES` is an embedded PostgreSQL server. `WAYPOST_TEST_PRODUCT` is Waypost in one process or, with
 * WAYPOST_TEST_TARGET=stack, in separate processes.
 */
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../libs/adapter-embedded/src/postgres.ts';

const PREFIX = 'waypost-tests-';

export default async function setUp() {
  removeLeftovers();
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), `${PREFIX}${process.pid}-`));
  // As root, PostgreSQL runs under another user, who needs access to its folder.
  fs.chmodSync(folder, 0o711);
  const stops = [
    await share('WAYPOST_TEST_POSTGRES', path.join(folder, 'postgres.ask'), () =>
      startPostgres(path.join(folder, 'pg')),
    ),
    await share('WAYPOST_TEST_PRODUCT', path.join(folder, 'product.ask'), startProduct),
  ];
  globalThis.stopWhatTestsShare = async () => {
    for (const stop of stops) await stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
}

/** `start` resolves to the JSON that the tests receive, and to the function that stops the resource. */
async function share(variable, socketPath, start) {
  let started;
  const listener = net.createServer((socket) => {
    socket.on('error', () => undefined);
    started ??= start();
    started.then(
      ({ answer }) => socket.end(JSON.stringify(answer)),
      (error) => socket.end(JSON.stringify({ error: String(error?.stack ?? error) })),
    );
  });
  process.env[variable] = socketPath;
  await new Promise((resolve) => listener.listen(socketPath, resolve));
  listener.unref();
  return async () => {
    listener.close();
    await (await started?.catch(() => undefined))?.stop();
  };
}

async function startPostgres(dir) {
  // Every test file opens a pool, and tests of races open more. Test data need not survive a power failure.
  const settings = ['max_connections=400', 'fsync=off', 'full_page_writes=off'];
  const server = await startEmbeddedPostgres(dir, undefined, settings);
  const { createDatabase, openDatabase } = await import('../libs/postgres/src/index.ts');
  const { SCHEMAS } = await import('../services/prepare/src/adapters.ts');
  const template = 'migrated';
  const address = { host: server.host, user: server.user };
  await createDatabase(address, template);
  const db = await openDatabase({ ...address, database: template, poolSize: 1, migrate: SCHEMAS });
  await db.close();
  return { answer: { ...address, template }, stop: () => server.stop() };
}

async function startProduct() {
  const { SHARED_SETTINGS, startTestWaypost } = await import('../services/all-in-one/test/waypost-process.ts');
  const { api, redirect, internal, dataDir, log, remove } = await startTestWaypost(SHARED_SETTINGS);
  return { answer: { api, redirect, internal, dataDir, log }, stop: remove };
}

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
