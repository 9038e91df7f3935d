import fs from 'node:fs';
import { apiClient, startTestWaypost } from '../../services/all-in-one/test/waypost-process.ts';
import { endOfGoals } from './goals.ts';

type Call = ReturnType<typeof apiClient>;

export async function startProduct(environment: NodeJS.ProcessEnv = {}) {
  const waypost = await startTestWaypost({ CREATIONS_PER_HOUR: '999999999', ...environment });
  const { key, email } = await waypost.newKey();
  return Object.assign(waypost, { key, email, call: apiClient(waypost.api, key) });
}

/** Runs a benchmark, removes `product`, reports missed goals and ends the process, even with open sockets. */
export async function runOn(product: { remove(): Promise<void> }, run: () => Promise<void>): Promise<never> {
  try {
    await run();
  } finally {
    await product.remove();
  }
  endOfGoals();
  process.exit();
}

/** Repeats `work` for these seconds, `count` at a time. Resolves to the number of calls. */
export async function repeat(count: number, seconds: number, work: (n: number) => Promise<unknown>): Promise<number> {
  const end = performance.now() + seconds * 1_000;
  let n = 0;
  const one = async () => {
    while (performance.now() < end) await work(n++);
  };
  await Promise.all(Array.from({ length: count }, one));
  return n;
}

/** Creates `count` links in bulks. `link(i)` is the body of the i-th link. Resolves to their slugs. */
export async function makeLinks(
  call: Call,
  count: number,
  link: (i: number) => object = toWikipedia,
): Promise<string[]> {
  const slugs: string[] = [];
  while (slugs.length < count) {
    const links = Array.from({ length: Math.min(500, count - slugs.length) }, (_, i) => link(slugs.length + i));
    const { status, body } = await call('POST', '/api/v1/links/bulk', { links });
    if (status !== 201) throw new Error(`a bulk was answered ${status}: ${JSON.stringify(body)}`);
    slugs.push(...body.links.map(({ link }: { link: { slug: string } }) => link.slug));
  }
  return slugs;
}

const toWikipedia = (i: number) => ({ destination_url: `https://www.wikipedia.org/wiki/${i}` });

/** Returns NaN for an empty list. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * Returns the CPU milliseconds that a process and its descendants have used, user and system. Linux counts them per
 * thread, to the microsecond.
 */
export function cpuMs(pid: number): number {
  const own = threads(pid).reduce((sum, task) => {
    const stat = unlessEnded(() => fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'), '0');
    return sum + Number(stat.split(' ')[0]) / 1e6;
  }, 0);
  return children(pid).reduce((sum, child) => sum + cpuMs(child), own);
}

/**
 * Returns the memory in MiB of a process and its descendants, which is freed when they end. Processes that share a page
 * each count a part of it.
 */
export function ownMiB(pid: number): number {
  const memory = unlessEnded(() => fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), '');
  const own = Number(/^Pss:\s+(\d+)/m.exec(memory)?.[1] ?? 0) / 1024;
  return children(pid).reduce((sum, child) => sum + ownMiB(child), own);
}

const threads = (pid: number) => unlessEnded(() => fs.readdirSync(`/proc/${pid}/task`), []);

const children = (pid: number) =>
  threads(pid).flatMap((task) =>
    unlessEnded(() => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );

/** A process or thread, such as a connection of PostgreSQL, may end while this program reads its files. */
function unlessEnded<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
