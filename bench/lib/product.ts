/** The whole product, as `npm start` runs it, with an account and a key. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { apiClient, startTestWaypost } from '../../services/all-in-one/test/waypost-process.ts';

export async function startProduct() {
  const began = performance.now();
  const waypost = await startTestWaypost({ CREATIONS_PER_HOUR: '999999999' });
  const startMs = performance.now() - began;
  const { key } = await waypost.newKey();
  return {
    ...waypost,
    pid: waypost.pid,
    currentPid: () => waypost.pid,
    key,
    startMs,
    call: apiClient(waypost.api, key),
  };
}

export function scratchFile(name: string, content: string): string {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-bench-')), name);
  fs.writeFileSync(file, content);
  return file;
}

export function quantile<T>(sorted: readonly T[], q: number): T {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))]!;
}

/** CPU seconds of a process and its descendants so far, user and system (Linux). */
export function cpuSeconds(pid: number): number {
  const fields = fs
    .readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  const own = (Number(fields[11]) + Number(fields[12])) / 100;
  return children(pid).reduce((sum, child) => sum + cpuSeconds(child), own);
}

/** The same in milliseconds, to the microsecond, as the scheduler counts it per thread. */
export function cpuMs(pid: number): number {
  let total = 0;
  for (const task of fs.readdirSync(`/proc/${pid}/task`)) {
    try {
      total += Number(fs.readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
    } catch {
      // ended meanwhile
    }
  }
  return children(pid).reduce((sum, child) => sum + cpuMs(child), total);
}

/** Resident memory in MiB of a process and its descendants; shared pages count in each. */
export function rssMiB(pid: number): number {
  const own = Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  return children(pid).reduce((sum, child) => sum + rssMiB(child), own);
}

/**
 * The same, with shared pages divided among the processes that share them: the memory that is freed when the process
 * ends.
 */
export function ownMiB(pid: number, withDescendants = true): number {
  const own = Number(/^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) / 1024;
  return (withDescendants ? children(pid) : []).reduce((sum, child) => sum + ownMiB(child), own);
}

function children(pid: number): number[] {
  return fs
    .readdirSync(`/proc/${pid}/task`)
    .flatMap((task) =>
      fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
}
