import { store, stored } from '../storage.ts';

/** If the overview is opened again within this time, the visit goes on. */
const PAUSE_MS = 30 * 60_000;

/**
 * Notes in this browser that the overview is open now. Returns the time of the visit before this one, or undefined if
 * there was none.
 */
export function lastVisit(email: string, now: number): number | undefined {
  const key = `visits ${email}`;
  const [before = 0, latest = 0] = (stored(key) ?? '').split(' ').map((time) => Number(time) || 0);
  const last = now - latest < PAUSE_MS ? before : latest;
  store(key, `${last} ${now}`);
  return last === 0 ? undefined : last;
}
