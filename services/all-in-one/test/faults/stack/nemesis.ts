import path from 'node:path';
import { asAdministrator } from '@waypost/postgres';
import { pause } from '@waypost/test-support';
import {
  CLUSTER_LINKS,
  CLUSTER_PROCESSES,
  LINKS,
  type LinkName,
  PROCESSES,
  type ProcessName,
  type StackUnderTest,
} from './stack-under-test.ts';

export type Fault =
  | { readonly at: number; readonly kind: 'kill' | 'freeze'; readonly process: ProcessName; readonly ms: number }
  /** The primary is killed and stays away, and `ms` later its standby is promoted. */
  | { readonly at: number; readonly kind: 'lose'; readonly process: 'PostgreSQL'; readonly ms: number }
  | {
      readonly at: number;
      readonly kind: 'cut' | 'black hole' | 'delay' | 'reset';
      readonly link: LinkName;
      readonly ms: number;
    };

/**
 * If Kafka is killed at shorter intervals, its consumers wait up to a minute, because their dead members must expire
 * first.
 */
const KAFKA_REST_MS = 25_000;
const LONGEST_MS = {
  kill: 2_500,
  freeze: 3_500,
  lose: 2_500,
  cut: 2_500,
  'black hole': 3_000,
  delay: 3_000,
  reset: 0,
} as const;
/** The share of rounds of a cluster in which PostgreSQL's standby is promoted. */
const PROMOTIONS = 0.2;

/** `isCluster` is true for a stack of `npm run stack -- --cluster`. */
export function drawFaults(chance: () => number, withinMs: number, isCluster: boolean): Fault[] {
  const [processes, links] = isCluster ? [CLUSTER_PROCESSES, CLUSTER_LINKS] : [PROCESSES, LINKS];
  const among = <T>(list: readonly T[]): T => list[Math.floor(chance() * list.length)]!;
  const count = 3 + Math.floor(chance() * 4);
  const draw = (): Fault => {
    const at = Math.round(chance() * withinMs);
    const kind = among(['kill', 'kill', 'freeze', 'freeze', 'cut', 'black hole', 'delay', 'reset'] as const);
    const ms = Math.round(chance() * LONGEST_MS[kind]);
    if (kind === 'kill' || kind === 'freeze') return { at, kind, process: among(processes), ms };
    return { at, kind, link: among(links), ms };
  };
  const faults = Array.from({ length: count }, draw);
  if (isCluster && chance() < PROMOTIONS) {
    const [at, ms] = [chance() * withinMs, chance() * LONGEST_MS.lose].map(Math.round) as [number, number];
    faults.push({ at, kind: 'lose', process: 'PostgreSQL', ms });
  }
  return faults.sort((a, b) => a.at - b.at);
}

export const describeFault = (fault: Fault) =>
  `${fault.kind} ${'process' in fault ? fault.process : fault.link} at ${fault.at} for ${fault.ms} ms`;

let kafkaKilledAt = Number.NEGATIVE_INFINITY;

/** Resolves when the last fault is over. `heal` repairs what is still broken. */
export async function unleash(stack: StackUnderTest, faults: readonly Fault[]): Promise<void> {
  const start = performance.now();
  await Promise.all(
    faults.map(async (fault) => {
      await pause(Math.max(0, start + fault.at - performance.now()));
      if ('process' in fault) await breakProcess(stack, fault.kind, fault.process, fault.ms);
      else await breakLink(stack, fault.kind, fault.link, fault.ms);
    }),
  );
}

/** Tries again while the standby is away, as a program would that watches it. */
async function promoteStandby({ waypost, description }: StackUnderTest): Promise<void> {
  const { port } = description.engines.find(({ name }) => name === 'PostgreSQL standby')!;
  const server = { host: path.join(waypost.dataDir, 'postgres-standby/data-socket'), port, user: 'waypost' };
  for (let tries = 20; ; tries--) {
    try {
      return await asAdministrator(
        server,
        'postgres',
        async (client) => void (await client.query('SELECT pg_promote()')),
      );
    } catch (error) {
      if (tries === 0) throw error;
      await pause(500);
    }
  }
}

async function breakProcess(stack: StackUnderTest, kind: 'kill' | 'freeze' | 'lose', name: ProcessName, ms: number) {
  if (kind === 'freeze') {
    stack.freeze(name);
    await pause(ms);
    stack.thaw(name);
    return;
  }
  if (kind === 'lose') {
    stack.kill(name);
    await pause(ms);
    return promoteStandby(stack);
  }
  if (name.startsWith('Kafka')) {
    if (performance.now() - kafkaKilledAt < KAFKA_REST_MS) return;
    kafkaKilledAt = performance.now();
  }
  stack.kill(name);
  await pause(ms);
  stack.letStart(name);
}

async function breakLink(
  stack: StackUnderTest,
  kind: Exclude<Fault['kind'], 'kill' | 'freeze' | 'lose'>,
  name: LinkName,
  ms: number,
) {
  const link = stack.links[name];
  if (kind === 'reset') return link.resetAll();
  if (kind === 'cut') link.cut();
  else if (kind === 'black hole') link.blackHole();
  else link.delay(5 + (ms % 300));
  await pause(ms);
  link.pass();
}
