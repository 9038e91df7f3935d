/** The whole product, as `npm start` runs it, with an account and a key. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { apiClient, startTestWaypost } from '../../services/all-in-one/test/waypost-process.ts';
import { endOfGoals } from './goals.ts';

type Call = ReturnType<typeof apiClient>;

export async function startProduct() {
  const began = performance.now();
  const waypost = await startTestWaypost({ CREATIONS_PER_HOUR: '999999999' });
  const startMs = performance.now() - began;
  const { key, email } = await waypost.newKey();
  /** The e-mail address is of the account. */
  return Object.assign(waypost, { key, email, startMs, call: apiClient(waypost.api, key) });
}

/** Runs a benchmark on `product`, removes that, says which goals were missed and ends the process, open sockets or not. */
export async function runOn(product: { remove(): Promise<void> }, run: () => Promise<void>): Promise<never> {
  try {
    await run();
  } finally {
    await product.remove();
  }
  endOfGoals();
  process.exit();
}

/** Creates `count` links in bulks, the i-th with the body `link(i)`. Resolves to their slugs. */
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

export function scratchFile(name: string, content: string): string {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-bench-')), name);
  fs.writeFileSync(file, content);
  return file;
}

/** NaN of none. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? Number.NaN;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);

/**
 * CPU milliseconds of a process and its descendants so far, user and system, to the microsecond, as the scheduler counts
 * it per thread (Linux).
 */
export function cpuMs(pid: number, withDescendants = true): number {
  const own = threads(pid).reduce((sum, task) => {
    const stat = unlessEnded(() => fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8'), '0');
    return sum + Number(stat.split(' ')[0]) / 1e6;
  }, 0);
  return (withDescendants ? children(pid) : []).reduce((sum, child) => sum + cpuMs(child), own);
}

/**
 * Memory in MiB of a process and its descendants, with shared pages divided among the processes that share them: what is
 * freed when it ends.
 */
export function ownMiB(pid: number, withDescendants = true): number {
  const own = inMiB(`/proc/${pid}/smaps_rollup`, /^Pss:\s+(\d+)/m);
  return (withDescendants ? children(pid) : []).reduce((sum, child) => sum + ownMiB(child), own);
}

const inMiB = (file: string, kib: RegExp) =>
  Number(kib.exec(unlessEnded(() => fs.readFileSync(file, 'utf8'), ''))?.[1] ?? 0) / 1024;

const threads = (pid: number) => unlessEnded(() => fs.readdirSync(`/proc/${pid}/task`), []);

const children = (pid: number) =>
  threads(pid).flatMap((task) =>
    unlessEnded(() => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8'), '')
      .split(' ')
      .filter(Boolean)
      .map(Number),
  );

/** Processes and threads end while they are looked at, such as connections of PostgreSQL. */
function unlessEnded<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}
