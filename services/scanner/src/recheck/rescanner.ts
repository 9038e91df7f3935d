/** Runs pending re-scans, the oldest first, and retries them, also after a restart. Urgent ones interrupt others. */
import { type Background, type BackOff, background } from '@waypost/resilience';
import { errorFields, inSpan, type Logger } from '@waypost/telemetry';
import type { PendingRescan } from '../threats/scanner-state.ts';
import type { ThreatStore } from '../threats/threat-store.ts';
import type { InBackground, Rescan } from './rescan-links.ts';

interface Deps {
  readonly store: ThreatStore;
  readonly logger: Logger;
  readonly rescan: (owed: PendingRescan, signal: AbortSignal, background: InBackground) => Promise<Rescan>;
}

const BACK_OFF: BackOff = { first: 200, most: 10_000 };
/** A new generation wakes it earlier. */
const LOOK_EVERY_MS = 60_000;

/** `stop` leaves unfinished re-scans pending. */
export function rescanner({ store, logger, rescan }: Deps): Background {
  const note = ({ generation }: PendingRescan, after: string) =>
    store.update((state) => ({
      ...state,
      owed: state.owed.map((owed) => (owed.generation === generation ? { ...owed, after } : owed)),
    }));

  const settle = ({ generation }: PendingRescan) =>
    store.update((state) => ({ ...state, owed: state.owed.filter((owed) => owed.generation !== generation) }));

  const urgent = () => store.state().owed.find(({ after }) => after === undefined);
  const next = () => urgent() ?? store.state().owed[0];

  return background({
    backOff: BACK_OFF,
    async work(signal) {
      const current = next();
      if (current === undefined) return LOOK_EVERY_MS;
      const startedAt = performance.now();
      const { looked, flagged, isCutShort } = await inSpan('scan links again', undefined, () =>
        rescan(current, signal, { note: (after) => note(current, after), mustYield: () => urgent() !== undefined }),
      );
      if (!isCutShort) await settle(current);
      const ms = Math.round(performance.now() - startedAt);
      const cutShort = isCutShort ? { cut_short: true } : {};
      logger.info('links rescanned', { generation: current.generation, looked, flagged, ms, ...cutShort });
      return 0;
    },
    onFailure(error) {
      const { generation } = next() ?? {};
      logger.warn('rescanning links failed, will retry', { generation, ...errorFields(error) });
    },
  });
}
