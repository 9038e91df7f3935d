import fs from 'node:fs';
import { within } from '@waypost/resilience';
import type { DependencyState } from '@waypost/telemetry';

const MIN_FREE_BYTES = 32 * 1024 * 1024;

export function diskHealth(dir: string): () => Promise<DependencyState> {
  return async () => {
    const { bavail, bsize } = await fs.promises.statfs(dir);
    const freeBytes = bavail * bsize;
    if (freeBytes >= MIN_FREE_BYTES) return { ok: true, free_bytes: freeBytes };
    return { ok: false, detail: `the disk is full: ${freeBytes} bytes free`, free_bytes: freeBytes };
  };
}

/**
 * NTP corrects the clock in steps smaller than this. After a larger step, time windows, expiries and statistics are
 * wrong until the clock is right again.
 */
const WRONG_MS = 60_000;
const REMEMBER_MS = 10 * 60_000;
const SHARED_WITHIN_MS = 1_000;

interface Clocks {
  /** The clock that all processes of the service share, in Unix milliseconds. */
  readonly shared?: () => Promise<number>;
  readonly wall?: () => number;
  readonly monotonic?: () => number;
}

/**
 * Compares the wall clock with the shared one, and with the monotonic clock, which nobody can set. Reports a jump for
 * ten minutes.
 */
export function clockHealth({
  shared = () => Promise.reject(),
  wall = Date.now,
  monotonic = () => performance.now(),
}: Clocks = {}): () => Promise<DependencyState> {
  let offset = wall() - monotonic();
  let jump: { byMs: number; at: number } | undefined;
  return async () => {
    const now = wall() - monotonic();
    if (Math.abs(now - offset) > WRONG_MS) jump = { byMs: Math.round(now - offset), at: monotonic() };
    offset = now;
    // If the database does not answer, its own check says so.
    const sharedAt = await within(shared(), SHARED_WITHIN_MS, undefined).catch(() => undefined);
    const aheadMs = sharedAt === undefined ? 0 : Math.round(wall() - sharedAt);
    if (Math.abs(aheadMs) > WRONG_MS) {
      const difference = `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
      return { ok: false, detail: `the clock is ${difference} the clock of PostgreSQL`, ahead_by_ms: aheadMs };
    }
    if (jump === undefined || monotonic() - jump.at > REMEMBER_MS) return { ok: true };
    return { ok: false, detail: `the clock jumped by ${Math.round(jump.byMs / 1000)} s`, jumped_by_ms: jump.byMs };
  };
}
