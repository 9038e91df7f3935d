/**
 * The distributed stack (`npm run stack`) with a hand on every process and every link: killed and held down, frozen,
 * cut, and healed again.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startTcpProxy, type TcpProxy } from '../../../../../scripts/tcp-proxy.ts';
import type { TestWaypost } from '../../waypost-process.ts';

process.env.WAYPOST_TEST_TARGET = 'stack';
// Read when it is loaded: where it runs its tests.
const { apiClient, freePorts, startTestWaypost } = await import('../../waypost-process.ts');

export { apiClient, freePorts };

export const PROCESSES = [
  'PostgreSQL',
  'Redis',
  'Kafka',
  'ClickHouse-front',
  'link-api',
  'scanner',
  'analytics-ingest',
  'redirector-1',
  'redirector-2',
  'haproxy',
] as const;
export type ProcessName = (typeof PROCESSES)[number];

/** Kafka's clients go where the broker says, all of them; scanner and redirector have the bus in common. */
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
export type LinkName = (typeof LINKS)[number];

export interface StackUnderTest {
  readonly waypost: TestWaypost;
  readonly api: string;
  readonly redirect: string;
  /** What it said when it was ready. */
  readonly told: {
    readonly services: readonly { readonly name: string; readonly pid: number; readonly url: string }[];
  };
  /** With the address of their health and metrics. */
  readonly services: readonly { readonly name: string; readonly url: string; readonly internal: string }[];
  /** Its own port, behind no proxy. */
  readonly ports: Readonly<Record<'postgres' | 'redis' | 'kafka' | 'clickhouse', number>>;
  readonly links: Readonly<Record<LinkName, TcpProxy>>;
  /** The environment by which each process reaches the engines, here behind no proxy. `prepare` may do everything. */
  readonly access: Readonly<
    Record<'prepare' | 'link-api' | 'redirector' | 'scanner' | 'analytics-ingest', Record<string, string>>
  >;
  /** An administrator of Kafka. */
  readonly kafka: KafkaAccess;
  pid(name: ProcessName): number;
  /** SIGKILL to it and all below it; it stays down until `heal`, if `hold`. */
  kill(name: ProcessName, options?: { readonly hold: boolean }): void;
  letStart(name: ProcessName): void;
  freeze(name: ProcessName): void;
  thaw(name: ProcessName): void;
  /** Thaws every process, lets every process start again, and closes no link any more. */
  heal(): void;
  /** Resolves when every process is up and every service says it is ready. */
  allReady(withinMs: number): Promise<number>;
  remove(): Promise<void>;
}

export interface KafkaAccess {
  readonly brokers: readonly string[];
  readonly sasl: { readonly mechanism: 'plain'; readonly username: string; readonly password: string };
}

function kafkaAccess({ KAFKA_BROKERS, KAFKA_SASL_USERNAME, KAFKA_SASL_PASSWORD }: Record<string, string>): KafkaAccess {
  return {
    brokers: [KAFKA_BROKERS!],
    sasl: { mechanism: 'plain', username: KAFKA_SASL_USERNAME!, password: KAFKA_SASL_PASSWORD! },
  };
}

export async function startStack(environment: NodeJS.ProcessEnv = {}): Promise<StackUnderTest> {
  const testDir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-faults-'));
  const [postgres, redis, kafka, clickhouse, scanner] = (await freePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const ports = { postgres, redis, kafka, clickhouse, scanner };
  const proxies = await Promise.all(
    LINKS.map(async (name) => {
      const target = name.split('/').at(-1) as keyof typeof ports;
      return [name, await startTcpProxy(ports[target])] as const;
    }),
  );
  const links = Object.fromEntries(proxies) as Record<LinkName, TcpProxy>;
  const waypost = await startTestWaypost({
    FEEDS: 'none',
    INTERNAL_PORT: String(scanner),
    STACK_TEST_DIR: testDir,
    STACK_TEST_LINKS: proxies
      .map(([name, { port }]) => `${name}:${ports[name.split('/').at(-1) as keyof typeof ports]}:${port}`)
      .join(','),
    ...environment,
  });
  const line = waypost
    .output()
    .split('\n')
    .find((each) => each.startsWith('{"api"'))!;
  const told = JSON.parse(line) as StackUnderTest['told'];
  const { internal, access } = JSON.parse(fs.readFileSync(path.join(waypost.dataDir, 'stack.json'), 'utf8'));
  const services = told.services.map((service) => ({ ...service, internal: internal[service.name] as string }));

  const file = (name: ProcessName, ending: string) => path.join(testDir, `${name}.${ending}`);
  const pid = (name: ProcessName) => Number(fs.readFileSync(file(name, 'pid'), 'utf8'));
  /** Only what is still a child of the stack: an id may be of another process after a death. */
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
        // it is gone
      }
    }
  };

  const stack: StackUnderTest = {
    waypost,
    api: waypost.api,
    redirect: waypost.redirect,
    told,
    services,
    ports,
    links,
    access,
    kafka: kafkaAccess(access.prepare),
    pid,
    kill(name, { hold } = { hold: false }) {
      if (hold) fs.writeFileSync(file(name, 'hold'), '');
      signal(name, 'SIGKILL');
    },
    letStart: (name) => fs.rmSync(file(name, 'hold'), { force: true }),
    freeze: (name) => signal(name, 'SIGSTOP'),
    thaw: (name) => signal(name, 'SIGCONT'),
    heal() {
      for (const proxy of Object.values(links)) proxy.pass();
      for (const name of PROCESSES) {
        signal(name, 'SIGCONT');
        stack.letStart(name);
      }
    },
    async allReady(withinMs) {
      const start = performance.now();
      for (;;) {
        const late = await notReady(services);
        const took = performance.now() - start;
        if (late.length === 0) return took;
        if (took > withinMs) throw new Error(`not ready after ${Math.round(took)} ms: ${late.join('; ')}`);
        await pause(200);
      }
    },
    async remove() {
      stack.heal();
      // FAULTS_KEEP=1 leaves the logs for who looks into a failure.
      if (process.env.FAULTS_KEEP === undefined) await waypost.remove();
      else {
        await waypost.stop();
        process.stderr.write(
          `${
            waypost
              .output()
              .split('\n')
              .filter((line) => /ended; starting/.test(line)).length
          } restarts; see ${waypost.dataDir}\n`,
        );
      }
      await Promise.all(Object.values(links).map((proxy) => proxy.close()));
      fs.rmSync(testDir, { recursive: true, force: true });
    },
  };
  return stack;
}

/** The services that are not ready, or tell of a dependency that is not. */
async function notReady(services: StackUnderTest['services']): Promise<string[]> {
  const states = await Promise.all(
    services.map(async ({ name, internal }) => {
      try {
        const response = await fetch(`${internal}/readyz`, { signal: AbortSignal.timeout(5_000) });
        const body = (await response.json()) as { dependencies?: Record<string, { ok: boolean }> };
        const bad = Object.entries(body.dependencies ?? {}).filter(([, { ok }]) => !ok);
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

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export interface Timed<T> {
  readonly value: T;
  readonly ms: number;
}

export async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}
