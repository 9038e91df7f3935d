/**
 * Runs a real installation on free ports and in its own folder. Tests use its public ports and operator commands. It is
 * one process on embedded engines. With WAYPOST_TEST_TARGET=stack it is separate processes (`npm run stack`).
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { runOperator } from '@waypost/cli/operator';
import { diesWithUs, freePort } from '@waypost/engines/engine';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import type { Sent } from '@waypost/operator';
import { operatorClient, sendBy } from '@waypost/operator/client';
import { scannerCommands } from '@waypost/scanner/operator-commands';
import type { Waypost } from '@waypost/sdk';
import { sharedByTests } from '@waypost/test-support';
import { folderCommands } from '../src/folder-commands.ts';
import { secretCommands } from '../src/rotate-visitor-secret.ts';
import { NODE, ROOT } from './programs.ts';

/** The variable is read each time, because a test file may set it after this module is loaded. */
export const onStack = () => process.env.WAYPOST_TEST_TARGET === 'stack';

export interface TestWaypost {
  readonly api: string;
  readonly redirect: string;
  readonly internal: string;
  readonly dataDir: string;
  /** The path of the file with what the process printed. */
  readonly log: string;
  output(): string;
  readonly pid: number;
  /** Sends an operator command, as `waypost admin` does. Rejects with the message of the command. */
  admin<T = Record<string, unknown>>(command: string, options?: Record<string, unknown>): Promise<T>;
  /** Creates an account with a random e-mail address, and a key with these scopes. */
  newKey(
    scopes?: string,
    options?: { limit?: number; admin?: boolean; email?: string },
  ): Promise<{ key: string; id: string; email: string }>;
  /** Stops the installation cleanly and keeps its folder. Resolves to the exit code. */
  stop(): Promise<number | null>;
  kill(): Promise<void>;
  restart(environment?: NodeJS.ProcessEnv): Promise<void>;
  remove(): Promise<void>;
}

export const freePorts = (count: number): Promise<number[]> => Promise.all(Array.from({ length: count }, freePort));

/** Returns the output in `log`. The separate processes write their logs into the folder. */
function outputOf({ log, dataDir: dir }: { log: string; dataDir: string }): string {
  const logs = onStack() ? fs.readdirSync(dir).filter((name) => name.endsWith('.log')) : [];
  return [log, ...logs.map((name) => path.join(dir, name))].map((file) => fs.readFileSync(file, 'utf8')).join('');
}

/** Returns the environment of an installation under test, without its folder. */
export async function testEnvironment() {
  const [port, redirectPort, internalPort] = await freePorts(3);
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    FEEDS: 'none',
    LOG_LEVEL: 'warn',
    CREATIONS_PER_HOUR: '1000000',
    PORT: String(port),
    REDIRECT_PORT: String(redirectPort),
    INTERNAL_PORT: String(internalPort),
  };
}

/** The shared installation has a proxy in front, receivers of webhooks on loopback, and a detailed log. */
export const SHARED_SETTINGS = {
  TRUSTED_PROXIES: '127.0.0.1',
  WEBHOOK_HOSTS_ALLOWED: '127.0.0.0/8',
  LOG_LEVEL: 'debug',
};

/** Resolves to the installation that all files share which need no settings. It cannot be stopped or restarted. */
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

function operatorOf(dataDir: string): Pick<TestWaypost, 'admin' | 'newKey'> {
  const clientOf = (service: string) =>
    operatorClient(() => {
      const runInfo = JSON.parse(fs.readFileSync(path.join(dataDir, onStack() ? 'stack.json' : 'run.json'), 'utf8'));
      return onStack() ? runInfo.operator[service] : runInfo.operator;
    });
  const [linkApi, scanner] = [clientOf('link-api'), clientOf('scanner')];
  const admin: TestWaypost['admin'] = async <T>(command: string, options: Record<string, unknown> = {}) => {
    if (Object.hasOwn(scannerCommands, command)) return (await sendBy(scanner)(command, options as Sent)) as T;
    const isCommand = [linkApiCommands, folderCommands, secretCommands].some((each) => Object.hasOwn(each, command));
    return (isCommand ? await sendBy(linkApi)(command, options as Sent) : await byApi(linkApi, command, options)) as T;
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

/** Runs the command line in this process. A password goes to its stdin. */
async function byApi(api: Waypost, command: string, options: Record<string, unknown>): Promise<unknown> {
  const flags = Object.entries(options).flatMap(([name, value]) => {
    if (name === 'password' && typeof value === 'string') return ['--password-stdin'];
    if (typeof value === 'boolean') return value ? [`--${name}`] : [];
    return [`--${name}=${value}`];
  });
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    readStdin: async () => Buffer.from(`${options.password}\n`),
    columns: undefined,
    sleep: async () => undefined,
    random: Math.random,
  };
  const code = await runOperator([command, ...flags, '--json'], {}, { api, addCommands: () => undefined }, terminal);
  if (code !== 0) throw new Error(err.join(''));
  return JSON.parse(out.join(''));
}

export async function startTestWaypost(
  environment: NodeJS.ProcessEnv = {},
  ...stackOptions: readonly string[]
): Promise<TestWaypost> {
  const dataDir = environment.DATA_DIR ?? fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-test-'));
  const log = path.join(os.tmpdir(), `waypost-test-${crypto.randomUUID()}.log`);
  fs.writeFileSync(log, '');
  const base = { ...(await testEnvironment()), ...environment, DATA_DIR: dataDir };
  let child: ChildProcess;
  let stopRequested = false;

  const start = async (extra: NodeJS.ProcessEnv = {}) => {
    const script = onStack()
      ? [path.join(ROOT, 'scripts/stack.ts'), '--json', '--data', dataDir, ...stackOptions]
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

/** Returns a client for JSON with one key. It sends a string body unchanged. */
export function apiClient(api: string, key?: string) {
  const send = async <T = Json>(
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
    if (onStack() && response.status === 429 && text.includes('your IP address. Try again in')) {
      // There, all test files are strangers of one address, which may send 200 requests in ten seconds.
      const seconds = Number(response.headers.get('retry-after'));
      if (seconds <= 10) return pause(seconds * 1_000).then(() => send<T>(method, where, body, headers));
    }
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return send;
}
