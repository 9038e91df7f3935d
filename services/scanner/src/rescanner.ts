/**
 * Runs the pending re-scans, oldest first, and retries until each has succeeded, also after a restart. One in the
 * background makes way for the others.
 */
import { type Background, type BackOff, background } from '@waypost/resilience';
import { errorFields, inSpan, type Logger } from '@waypost/telemetry';
import type { OwedRescan } from './threat-index/scanner-state.ts';
import type { ThreatStore } from './threat-index/threat-store.ts';
import type { InBackground, Rescan } from './use-cases/rescan-links.ts';

interface Deps {
  readonly store: ThreatStore;
  readonly logger: Logger;
  readonly rescan: (owed: OwedRescan, signal: AbortSignal, background: InBackground) => Promise<Rescan>;
}

const BACK_OFF: BackOff = { first: 200, most: 10_000 };
/** A generation that takes effect wakes it. */
const LOOK_EVERY_MS = 60_000;

/** What `stop` leaves unfinished stays pending. */
export function rescanner({ store, logger, rescan }: Deps): Background {
  /** How far a scan in the background is, for a restart. */
  const note = ({ generation }: OwedRescan, after: string) =>
    store.update((state) => ({
      ...state,
      owed: state.owed.map((owed) => (owed.generation === generation ? { ...owed, after } : owed)),
    }));

  const settle = ({ generation }: OwedRescan) =>
    store.update((state) => ({ ...state, owed: state.owed.filter((owed) => owed.generation !== generation) }));

  const urgent = () => store.state().owed.find(({ after }) => after === undefined);
  const next = () => urgent() ?? store.state().owed[0];

  return background({
    backOff: BACK_OFF,
    async work(signal) {
      const owed = next();
      if (owed === undefined) return LOOK_EVERY_MS;
      const startedAt = performance.now();
      const { looked, flagged, isCutShort } = await inSpan('scan links again', undefined, () =>
        rescan(owed, signal, { note: (after) => note(owed, after), mustYield: () => urgent() !== undefined }),
      );
      if (!isCutShort) await settle(owed);
      const ms = Math.round(performance.now() - startedAt);
      const cutShort = isCutShort ? { cut_short: true } : {};
      logger.info('links scanned again', { generation: owed.generation, looked, flagged, ms, ...cutShort });
      return 0;
    },
    onFailure(error) {
      const { generation } = next() ?? {};
      logger.warn('scanning links again failed, will retry', { generation, ...errorFields(error) });
    },
  });
}
