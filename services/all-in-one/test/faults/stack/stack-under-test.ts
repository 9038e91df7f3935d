/**
 * Runs `npm run stack` with control over every process and every network link: it kills, freezes, cuts and heals them.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from '@jest/globals';
import type { KafkaConnection } from '@waypost/adapter-kafka';
import { pause } from '@waypost/test-support';
import { NODE } from '../../programs.ts';
import { comesTo } from '../../support.ts';
import { apiClient, freePorts, startTestWaypost, type TestWaypost } from '../../waypost-process.ts';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.ts';

process.env.WAYPOST_TEST_TARGET = 'stack';

export { apiClient, freePorts };

const ALWAYS = [
  'PostgreSQL',
  'ClickHouse-front',
  'link-api',
  'scanner',
  'analytics-ingest',
  'redirector-1',
  'redirector-2',
  'haproxy',
] as const;
export const PROCESSES = [...ALWAYS, 'Redis', 'Kafka'] as const;
/** The processes of `npm run stack -- --cluster`. */
export const CLUSTER_PROCESSES = [
  ...ALWAYS,
  'PostgreSQL-standby',
  ...(['Redis-1', 'Redis-2', 'Redis-3', 'Redis-4', 'Redis-5', 'Redis-6'] as const),
  ...(['Kafka-1', 'Kafka-2', 'Kafka-3'] as const),
] as const;
export type ProcessName = (typeof PROCESSES | typeof CLUSTER_PROCESSES)[number];

/** All clients of Kafka connect to the address that the broker advertises. Scanner and redirector share this link. */
export const LINKS = [
  'link-api/postgres',
  'redirector/postgres',
  'scanner/postgres',
  'link-api/redis',
  'redirector/redis',
  'kafka',
  'link-api/clickhouse',
  'analytics-ingest/clickhouse',
  'link-api/scanner',
] as const;
/** Clients find the servers of a cluster by addresses without proxies. */
export const CLUSTER_LINKS = LINKS.filter((name) => !/redis|kafka/.test(name));
export type LinkName = (typeof LINKS)[number];

export interface StackUnderTest {
  readonly waypost: TestWaypost;
  readonly api: string;
  readonly redirect: string;
  /** The JSON that the stack printed when it was ready. */
  readonly description: {
    readonly services: readonly { readonly name: string; readonly pid: number; readonly url: string }[];
    readonly engines: readonly { readonly name: string; readonly pid: number; readonly port: number }[];
  };
  readonly services: readonly { readonly name: string; readonly url: string; readonly internal: string }[];
  readonly links: Readonly<Record<LinkName, TcpProxy>>;
  /** The environment of each process for the engines, without proxies. `prepare` has all rights. */
  readonly access: Readonly<
    Record<'prepare' | 'link-api' | 'redirector' | 'scanner' | 'analytics-ingest', Record<string, string>>
  >;
  readonly kafka: Pick<KafkaConnection, 'brokers' | 'sasl'>;
  /** Sends SIGKILL to the process and its descendants. It stays down until `letStart` or `heal`. */
  kill(name: ProcessName): void;
  letStart(name: ProcessName): void;
  freeze(name: ProcessName): void;
  thaw(name: ProcessName): void;
  /** Stops the process gracefully. It starts again at once. */
  restart(name: ProcessName): void;
  /** Lets the process stay down when it ends, until `letStart` or `heal`. */
  hold(name: ProcessName): void;
  pid(name: ProcessName): number;
  /** Continues every frozen process, lets every process restart, and opens every link. */
  heal(): void;
  /** Resolves to the milliseconds it took. The check `except` may fail. */
  allReady(withinMs: number, except?: string): Promise<number>;
  remove(): Promise<void>;
}

const replicas: ChildProcess[] = [];
afterAll(() => {
  for (const replica of replicas) replica.kill('SIGKILL');
});

/** Starts one more process of this service and waits until it is ready. It is killed after the tests of the file. */
export async function startReplica(
  { access }: StackUnderTest,
  service: 'link-api' | 'analytics-ingest',
  environment: NodeJS.ProcessEnv = {},
): Promise<{ readonly process: ChildProcess; readonly url: string }> {
  const [port] = await freePorts(1);
  const main = fileURLToPath(import.meta.resolve(`@waypost/${service}/main`));
  const replica = spawn(NODE, [main], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      LOG_LEVEL: 'error',
      ...environment,
      ...access[service],
    },
  });
  replicas.push(replica);
  const url = `http://127.0.0.1:${port}`;
  await comesTo(() => fetch(`${url}/readyz`).catch(() => undefined), { status: 200 }, 30_000);
  return { process: replica, url };
}

export async function startStack(
  environment: NodeJS.ProcessEnv = {},
  ...options: readonly string[]
): Promise<StackUnderTest> {
  const testDir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-faults-'));
  const engines = ['postgres', 'redis', 'kafka', 'clickhouse', 'scanner'];
  const ports = Object.fromEntries((await freePorts(engines.length)).map((port, i) => [engines[i]!, port]));
  const portBehind = (name: LinkName) => ports[name.split('/').at(-1)!]!;
  const proxies = await Promise.all(LINKS.map(async (name) => [name, await startTcpProxy(portBehind(name))] as const));
  const links = Object.fromEntries(proxies) as Record<LinkName, TcpProxy>;
  const waypost = await startTestWaypost(
    {
      INTERNAL_PORT: String(ports.scanner),
      STACK_TEST_DIR: testDir,
      STACK_TEST_LINKS: proxies.map(([name, { port }]) => `${name}:${portBehind(name)}:${port}`).join(','),
      ...environment,
    },
    ...options,
  );
  const line = waypost
    .output()
    .split('\n')
    .find((each) => each.startsWith('{"api"'))!;
  const description = JSON.parse(line) as StackUnderTest['description'];
  const { internal, access } = JSON.parse(fs.readFileSync(path.join(waypost.dataDir, 'stack.json'), 'utf8'));
  const { KAFKA_BROKERS, KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = access.prepare;
  const services = description.services.map((service) => ({ ...service, internal: internal[service.name] as string }));

  const file = (name: ProcessName, ending: string) => path.join(testDir, `${name}.${ending}`);
  const pid = (name: ProcessName) => Number(fs.readFileSync(file(name, 'pid'), 'utf8'));
  /** Only children of the stack count, because another process may get the id of a dead one. */
  const living = (name: ProcessName): number[] => {
    const root = pid(name);
    if (parentOf(root) !== waypost.pid && !descendants(waypost.pid).includes(root)) return [];
    return [root, ...descendants(root)];
  };
  const signal = (name: ProcessName, what: NodeJS.Signals) => {
    for (const one of living(name)) {
      try {
        process.kill(one, what);
      } catch {
        // The process has ended.
      }
    }
  };

  const stack: StackUnderTest = {
    waypost,
    api: waypost.api,
    redirect: waypost.redirect,
    description,
    services,
    links,
    access,
    kafka: { brokers: KAFKA_BROKERS.split(','), sasl: { mechanism: 'plain', username, password } },
    kill(name) {
      stack.hold(name);
      signal(name, 'SIGKILL');
    },
    hold: (name) => fs.writeFileSync(file(name, 'hold'), ''),
    letStart: (name) => fs.rmSync(file(name, 'hold'), { force: true }),
    freeze: (name) => signal(name, 'SIGSTOP'),
    thaw: (name) => signal(name, 'SIGCONT'),
    restart: (name) => signal(name, 'SIGTERM'),
    pid,
    heal() {
      for (const proxy of Object.values(links)) proxy.pass();
      const files = fs.readdirSync(testDir).filter((each) => each.endsWith('.pid'));
      for (const name of files.map((each) => each.slice(0, -4) as ProcessName)) {
        signal(name, 'SIGCONT');
        stack.letStart(name);
      }
    },
    async allReady(withinMs, except) {
      const start = performance.now();
      for (;;) {
        const late = await notReady(services, except);
        const took = performance.now() - start;
        if (late.length === 0) return took;
        if (took > withinMs) throw new Error(`not ready after ${Math.round(took)} ms: ${late.join('; ')}`);
        await pause(200);
      }
    },
    async remove() {
      stack.heal();
      // FAULTS_KEEP=1 keeps the logs of a failure.
      if (process.env.FAULTS_KEEP === undefined) await waypost.remove();
      else {
        await waypost.stop();
        const restarts = [...waypost.output().matchAll(/stopped unexpectedly; restarting/g)].length;
        process.stderr.write(`${restarts} restarts; see ${waypost.dataDir}\n`);
      }
      await Promise.all(Object.values(links).map((proxy) => proxy.close()));
      fs.rmSync(testDir, { recursive: true, force: true });
    },
  };
  return stack;
}

/** Starts the stack before the tests of a file and removes it after them. `api` is a client of a new account on it. */
export function stackUnderTest(environment?: NodeJS.ProcessEnv, ...options: readonly string[]) {
  let running: StackUnderTest;
  let client: ReturnType<typeof apiClient>;
  beforeAll(async () => {
    running = await startStack(environment, ...options);
    client = apiClient(running.api, (await running.waypost.newKey()).key);
  }, 180_000);
  afterAll(() => running?.remove(), 90_000);
  return {
    stack: new Proxy({} as StackUnderTest, { get: (_, name) => Reflect.get(running, name) }),
    api: ((...request) => client(...request)) as typeof client,
  };
}

/** Resolves to the services that are not ready, or that report a dependency which is not. */
async function notReady(services: StackUnderTest['services'], except?: string): Promise<string[]> {
  const states = await Promise.all(
    services.map(async ({ name, internal }) => {
      try {
        const response = await fetch(`${internal}/readyz`, { signal: AbortSignal.timeout(5_000) });
        const body = (await response.json()) as { dependencies?: Record<string, { ok: boolean }> };
        const bad = Object.entries(body.dependencies ?? {}).filter(([name, { ok }]) => !ok && name !== except);
        return response.ok && bad.length === 0 ? [] : [`${name}: ${response.status} ${JSON.stringify(bad)}`];
      } catch (error) {
        return [`${name}: ${(error as Error).message}`];
      }
    }),
  );
  return states.flat();
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]);
  } catch {
    return undefined;
  }
}

function descendants(pid: number): number[] {
  const children = new Map<number, number[]>();
  for (const line of execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')) {
    const [child, parent] = line.trim().split(/\s+/).map(Number) as [number, number];
    children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const below = (one: number): number[] => (children.get(one) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}
