/**
 * Performs the first steps of a new user in a clean clone. As root it also does so as an ordinary user. It runs `npm
 * start`, then creates, visits, analyses and revokes a link through the public ports. It sends SIGTERM to npm only,
 * starts again and expects all data.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const NOBODY = 65534;

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => net.createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** @param {{ uid?: number, gid?: number }} user */
async function newcomer(name, user) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-clone-'));
  const clone = path.join(home, 'waypost');
  execFileSync('git', ['clone', '--quiet', root, clone]);
  if (user.uid !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, home]);
  const [port, redirectPort, internalPort] = await freePorts(3);
  const environment = {
    ...process.env,
    HOME: home,
    PORT: String(port),
    REDIRECT_PORT: String(redirectPort),
    INTERNAL_PORT: String(internalPort),
    FEEDS: 'none',
    LOG_LEVEL: 'warn',
  };
  const api = `http://localhost:${port}`;
  const options = { cwd: clone, env: environment, ...user };

  const start = () => {
    const began = Date.now();
    // npm leads its own process group, so that all its processes can be ended after an error.
    const npm = spawn('npm', ['start'], { ...options, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    return new Promise((resolve, reject) => {
      let output = '';
      npm.stdout.on('data', (chunk) => {
        output += chunk;
        if (/^Ready\n$/m.test(output)) resolve({ npm, output, ms: Date.now() - began });
      });
      npm.once('exit', (code) => reject(new Error(`npm start ended with ${code}: ${output}`)));
    });
  };
  const stop = async ({ npm }) => {
    const began = Date.now();
    npm.removeAllListeners('exit');
    const exited = new Promise((resolve) => npm.once('exit', resolve));
    npm.kill('SIGTERM');
    await exited;
    assert.ok(Date.now() - began < 10_000, 'stops within 10 s');
    await assert.rejects(fetch(`${api}/healthz`), 'nothing listens any more');
  };
  const admin = (...args) => {
    const run = spawnSync('npm', ['run', '-s', 'waypost', '--', 'admin', ...args, '--json'], {
      ...options,
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, run.stderr);
    return JSON.parse(run.stdout);
  };

  let running = await start();
  try {
    assert.match(running.output, /Ready\n$/);
    console.log(`${name}: first start, with the installation, ${(running.ms / 1000).toFixed(1)} s`);
    admin('create-account', '--email', 'you@example.org', '--admin');
    const { key } = admin('create-key', '--email', 'you@example.org', '--name', 'laptop', '--scopes', 'read,write');
    const call = async (method, where, body) => {
      const response = await fetch(`${api}/api/v1${where}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: await response.json() };
    };
    const { status, body } = await call('POST', '/links', { destination_url: 'https://www.wikipedia.org/' });
    assert.equal(status, 201);
    const { slug } = body.link;
    const visit = () => fetch(`http://localhost:${redirectPort}/${slug}`, { redirect: 'manual' });
    const visited = await visit();
    assert.equal(visited.status, 302);
    assert.equal(visited.headers.get('location'), 'https://www.wikipedia.org/');
    const clicks = async (expected) => {
      for (let i = 0; i < 75; i++) {
        const analytics = await call('GET', `/links/${slug}/analytics`);
        if (analytics.body.total_clicks === expected) return;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      assert.fail(`the click is not visible within 15 s`);
    };
    await clicks(1);
    assert.equal((await call('POST', `/links/${slug}/revoke`)).body.status, 'revoked');
    assert.equal((await visit()).status, 410);

    await stop(running);
    running = await start();
    console.log(`${name}: second start, with npm, ${(running.ms / 1000).toFixed(1)} s`);
    assert.equal((await call('GET', `/links/${slug}`)).body.status, 'revoked');
    assert.equal((await visit()).status, 410);
    await clicks(1);
    await stop(running);
  } finally {
    try {
      process.kill(-running.npm.pid, 'SIGKILL');
    } catch {
      // the process has exited already
    }
    fs.rmSync(home, { recursive: true, force: true });
  }
}

const users = { 'as this user': {}, 'as an ordinary user': { uid: NOBODY, gid: NOBODY } };
if (process.getuid?.() !== 0) delete users['as an ordinary user'];
// Both wait for downloads and disks, so they go side by side.
const rounds = await Promise.allSettled(Object.entries(users).map(([name, user]) => newcomer(name, user)));
for (const { reason } of rounds) if (reason !== undefined) throw reason;
