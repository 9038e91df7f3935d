import fs from 'node:fs';
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
const JUMP_MS = 60_000;
const REMEMBER_MS = 10 * 60_000;

/** Compares the wall clock with the monotonic clock, which nobody can set. Reports a jump for ten minutes. */
export function clockHealth(
  wall: () => number = Date.now,
  monotonic: () => number = () => performance.now(),
): () => DependencyState {
  let offset = wall() - monotonic();
  let jump: { byMs: number; at: number } | undefined;
  return () => {
    const now = wall() - monotonic();
    if (Math.abs(now - offset) > JUMP_MS) jump = { byMs: Math.round(now - offset), at: monotonic() };
    offset = now;
    if (jump === undefined || monotonic() - jump.at > REMEMBER_MS) return { ok: true };
    return { ok: false, detail: `the clock jumped by ${Math.round(jump.byMs / 1000)} s`, jumped_by_ms: jump.byMs };
  };
}
