/**
 * A real installation on free ports and its own folder, driven through its public ports and operator commands: one process
 * on embedded engines, or, with WAYPOST_TEST_TARGET=stack, separate processes on the real ones (`npm run stack`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Sent } from '@waypost/command-line';
import { askOperator } from '@waypost/process';
import { sharedByTests } from '@waypost/test-support';
import { diesWithUs, freePort } from '../../../scripts/engines/engine.ts';
import { NODE, ROOT } from './programs.ts';

/** Asked anew each time: a file of tests may say so after this module is loaded. */
export const onStack = () => process.env.WAYPOST_TEST_TARGET === 'stack';

export interface TestWaypost {
  readonly api: string;
  readonly redirect: string;
  readonly internal: string;
  readonly dataDir: string;
  /** The file of what it printed. */
  readonly log: string;
  /** The process's output on stdout and stderr so far. */
  output(): string;
  readonly pid: number;
  /** Sends an operator command, as `waypost admin` does. Rejects with the command's message. */
  admin<T = Record<string, unknown>>(command: string, options?: Record<string, unknown>): Promise<T>;
  /** Creates an account with a random e-mail address, and a key with these scopes. */
  newKey(
    scopes?: string,
    options?: { limit?: number; admin?: boolean; email?: string },
  ): Promise<{ key: string; id: string; email: string }>;
  /** Stops it cleanly; resolves to its exit code. The folder stays. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  /** Restarts it on the same folder and ports. */
  restart(environment?: NodeJS.ProcessEnv): Promise<void>;
  /** Stops it and removes the folder. */
  remove(): Promise<void>;
}

export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));

/** What was printed is in `log`; the separate processes write their logs into the folder. */
function outputOf({ log, dataDir: dir }: { log: string; dataDir: string }): string {
  const logs = onStack() ? fs.readdirSync(dir).filter((name) => name.endsWith('.log')) : [];
  return [log, ...logs.map((name) => path.join(dir, name))].map((file) => fs.readFileSync(file, 'utf8')).join('');
}

/** The environment of an installation under test, except its folder. */
export async function testEnvironment() {
  const [port, redirectPort, internalPort] = await freePorts(3);
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    FEEDS: 'none',
    DEEP_SCANS: 'off',
    LOG_LEVEL: 'warn',
    CREATIONS_PER_HOUR: '1000000',
    PORT: String(port),
    REDIRECT_PORT: String(redirectPort),
    INTERNAL_PORT: String(internalPort),
  };
}

/** Of the one that files share: a proxy in front, receivers of webhooks on loopback, and a log that tells most. */
export const SHARED_SETTINGS = {
  TRUSTED_PROXIES: '127.0.0.1',
  WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8',
  LOG_LEVEL: 'debug',
};

/** The one that all files share which ask for nothing special. It stays as it is. */
export async function sharedTestWaypost(): Promise<TestWaypost> {
  const shared =
    await sharedByTests<Pick<TestWaypost, 'api' | 'redirect' | 'internal' | 'dataDir' | 'log'>>('WAYPOST_TEST_PRODUCT');
  const no = () => Promise.reject(new Error('others use it, too: give product() an environment'));
  return {
    ...shared,
    ...operatorOf(shared.dataDir),
    output: () => outputOf(shared),
    pid: Number.NaN,
    stop: no,
    kill: no,
    restart: no,
    remove: async () => undefined,
  };
}

/** Operator commands to the installation on this folder. */
function operatorOf(dataDir: string): Pick<TestWaypost, 'admin' | 'newKey'> {
  const operatorAt = (command: string): string => {
    const runInfo = JSON.parse(fs.readFileSync(path.join(dataDir, onStack() ? 'stack.json' : 'run.json'), 'utf8'));
    return onStack() ? runInfo.operator[command] : runInfo.operator;
  };
  const admin: TestWaypost['admin'] = async <T>(command: string, options: Record<string, unknown> = {}) => {
    const answer = await askOperator(operatorAt(command), command, options as Sent);
    if (answer === undefined) throw new Error('nobody answers operator commands');
    return answer.result as T;
  };
  return {
    admin,
    newKey: async (
      scopes = 'read,write',
      { limit, admin: isAdmin = false, email = `u${crypto.randomUUID()}@example.org` } = {},
    ) => {
      await admin('create-account', { email, admin: isAdmin });
      if (limit !== undefined) await admin('set-limit', { email, 'creations-per-hour': String(limit) });
      const { key, id } = await admin<{ key: string; id: string }>('create-key', { email, name: 'test', scopes });
      return { key, id, email };
    },
  };
}

export async function startTestWaypost(environment: NodeJS.ProcessEnv = {}): Promise<TestWaypost> {
  const dataDir = environment.DATA_DIR ?? fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-test-'));
  const log = path.join(os.tmpdir(), `waypost-test-${crypto.randomUUID()}.log`);
  fs.writeFileSync(log, '');
  const base = { ...(await testEnvironment()), ...environment, DATA_DIR: dataDir };
  let child: ChildProcess;
  let stopRequested = false;

  const start = async (extra: NodeJS.ProcessEnv = {}) => {
    const script = onStack()
      ? [path.join(ROOT, 'scripts/stack.ts'), '--json', '--data', dataDir]
      : [path.join(ROOT, 'services/all-in-one/src/main.ts')];
    child = spawn(NODE, script, { env: { ...base, ...extra }, stdio: ['ignore', 'pipe', 'pipe'] });
    const launched = child;
    diesWithUs(launched);
    await new Promise<void>((resolve, reject) => {
      const hear = (chunk: Buffer) => {
        fs.appendFileSync(log, chunk);
        if (onStack() ? chunk.includes('"api"') : /^Ready$/m.test(String(chunk))) resolve();
      };
      launched.stdout?.on('data', hear);
      launched.stderr?.on('data', (chunk: Buffer) => fs.appendFileSync(log, chunk));
      launched.once('exit', (code) => reject(new Error(`Waypost ended with ${code}: ${outputOf({ log, dataDir })}`)));
    });
    stopRequested = false;
    launched.once('exit', (code, signal) => {
      if (!stopRequested)
        process.stderr.write(
          `Waypost ended unasked (${code ?? signal}): ${outputOf({ log, dataDir }).slice(-2_000)}\n`,
        );
    });
  };

  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    stopRequested = true;
    child.kill(signal);
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    return child.exitCode;
  };

  await start();
  const waypost: TestWaypost = {
    api: `http://127.0.0.1:${base.PORT}`,
    redirect: `http://127.0.0.1:${base.REDIRECT_PORT}`,
    internal: `http://127.0.0.1:${base.INTERNAL_PORT}`,
    dataDir,
    log,
    output: () => outputOf(waypost),
    get pid() {
      return child.pid!;
    },
    ...operatorOf(dataDir),
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    restart: async (extra) => {
      await waypost.stop();
      await start(extra);
    },
    remove: async () => {
      await waypost.stop();
      for (const each of [dataDir, log]) fs.rmSync(each, { recursive: true, force: true });
    },
  };
  return waypost;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Json = any;

export interface Answer<T = Json> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** A JSON client with one key. Sends a string body unchanged. */
export function apiClient(api: string, key?: string) {
  return async <T = Json>(
    method: string,
    where: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> => {
    const response = await fetch(`${api}${where}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
}
