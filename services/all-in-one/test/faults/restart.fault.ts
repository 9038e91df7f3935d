/**
 * Restarts Waypost in the worst case for process ids. All processes are killed at once, and their parent never reaps a
 * dead child. Every other time, a foreign process has the old ids.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { ended, NODE, ROOT, startProgram, WAYPOST } from '../programs.ts';
import { clicksOf, comesTo, newLink } from '../support.ts';
import { apiClient, testEnvironment } from '../waypost-process.ts';
import { visitors } from './visitors.ts';

const ROUNDS = Number(process.env.RESTART_ROUNDS ?? 30);
const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-restart-'));
const environment = { ...(await testEnvironment()), DATA_DIR: dataDir };
const parents: ChildProcess[] = [];

afterAll(() => {
  for (const parent of parents) parent.kill('SIGKILL'); // this also ends its zombies
  fs.rmSync(dataDir, { recursive: true, force: true });
});

/**
 * This program becomes the parent of every orphan below it (prctl, PR_SET_CHILD_SUBREAPER). It runs a program and reaps
 * no child.
 */
const REAPS_NONE = `syscall({ 'x64' => 157, 'arm64' => 167 }->{$ARGV[0]}, 36, 1, 0, 0, 0) == 0 or die "prctl: $!";
exec 'sh', '-c', '"$@" & exec sleep 600', 'sh', @ARGV[1 .. $#ARGV]`;

async function start(): Promise<ChildProcess> {
  const serve = [NODE, path.join(ROOT, 'services/all-in-one/src/main.ts')];
  const parent = spawn('perl', ['-e', REAPS_NONE, process.arch, ...serve], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  parents.push(parent);
  let output = '';
  parent.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), 30_000);
  try {
    for await (const line of createInterface({ input: parent.stdout!, signal: late.signal })) {
      if (line === 'Ready') return parent;
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error(`not ready: ${output}`);
}

function living(parent: number): number[] {
  const pids: number[] = [];
  for (const entry of fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [state, ppid] = fs
        .readFileSync(`/proc/${entry}/stat`, 'utf8')
        .replace(/^.*\) /, '')
        .split(' ');
      if (Number(ppid) === parent && state !== 'Z') pids.push(Number(entry), ...living(Number(entry)));
    } catch {
      // The process has ended meanwhile.
    }
  }
  return pids;
}

async function killAll(parent: ChildProcess): Promise<void> {
  for (let pids = living(parent.pid!); pids.length > 0; pids = living(parent.pid!)) {
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has ended meanwhile.
      }
    }
    await pause(10);
  }
}

function giveIdsTo(stranger: number): void {
  for (const file of ['postgres/postmaster.pid', 'postgres-socket/.s.PGSQL.5432.lock']) {
    const name = path.join(dataDir, file);
    fs.writeFileSync(name, fs.readFileSync(name, 'utf8').replace(/^.*/, String(stranger)));
  }
}

test(`Waypost is ready after each of ${ROUNDS} kills of every process, and nothing is lost`, async () => {
  const stranger = spawn('sleep', ['600'], { stdio: 'ignore' });
  parents.push(stranger);
  let parent = await start();
  const admin = async (...words: string[]) => {
    const command = startProgram(WAYPOST, ['admin', ...words, '--json'], ROOT, environment);
    return JSON.parse((await ended(command)).stdout);
  };
  await admin('create-account', '--email', 'a@example.org');
  const { key } = await admin('create-key', '--email', 'a@example.org', '--name', 'k', '--scopes', 'read,write');
  const api = apiClient(`http://127.0.0.1:${environment.PORT}`, key);
  const redirect = `http://127.0.0.1:${environment.REDIRECT_PORT}`;

  const slugs: string[] = [];
  let zombies = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { slug } = await newLink(api);
    slugs.push(slug);
    let remaining = 20;
    const visits = await visitors(redirect, 4, () => (remaining-- > 0 ? slug : undefined));
    expect(visits.map(({ status }) => status)).toEqual(Array(20).fill(302));
    const postmaster = Number.parseInt(fs.readFileSync(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8'), 10);
    await killAll(parent);
    if (/\) Z /.test(fs.readFileSync(`/proc/${postmaster}/stat`, 'utf8'))) zombies++;
    if (round % 2 === 1) giveIdsTo(stranger.pid!);
    parent = await start();
  }
  // Otherwise the test did not cause its fault: a zombie must have PostgreSQL's old id.
  expect(zombies).toBe(ROUNDS);
  expect(stranger.exitCode ?? stranger.signalCode).toBeNull();

  for (const slug of slugs) await comesTo(async () => [slug, await clicksOf(api, slug)], [slug, 20]);
  await killAll(parent);
});
