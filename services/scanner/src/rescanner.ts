/** Runs the pending re-scans, oldest first, and retries until each has succeeded, also after a restart. */
import { type BackOff, backOffMs, rest } from '@waypost/resilience';
import { errorFields, inSpan, type Logger } from '@waypost/telemetry';
import type { OwedRescan } from './threat-index/scanner-state.ts';
import type { ThreatStore } from './threat-index/threat-store.ts';
import type { Rescan } from './use-cases/rescan-links.ts';

interface Deps {
  readonly store: ThreatStore;
  readonly logger: Logger;
  readonly rescan: (owed: OwedRescan, signal: AbortSignal, note: (after: string) => Promise<void>) => Promise<Rescan>;
}

export interface Rescanner {
  start(): void;
  /** Called when a generation takes effect: starts at once. */
  wake(): void;
  /** Resolves once nothing runs; unfinished re-scans stay pending. */
  stop(): Promise<void>;
}

const BACK_OFF: BackOff = { first: 200, most: 10_000 };

export function rescanner({ store, logger, rescan }: Deps): Rescanner {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let started = false;

  async function work(): Promise<void> {
    let failures = 0;
    for (
      let owed = store.state().owed[0];
      owed !== undefined && !stopping.signal.aborted;
      owed = store.state().owed[0]
    ) {
      const startedAt = performance.now();
      try {
        const { looked, flagged } = await inSpan('scan links again', undefined, () =>
          rescan(owed, stopping.signal, (after) => note(owed, after)),
        );
        await settle(owed);
        failures = 0;
        const ms = Math.round(performance.now() - startedAt);
        logger.info('links scanned again', { generation: owed.generation, looked, flagged, ms });
      } catch (error) {
        if (stopping.signal.aborted) return;
        logger.warn('scanning links again failed, will retry', { generation: owed.generation, ...errorFields(error) });
        failures += 1;
        await rest(backOffMs(BACK_OFF, failures), stopping.signal);
      }
    }
  }

  /** How far a scan in the background is, for a restart. */
  async function note({ generation }: OwedRescan, after: string): Promise<void> {
    await store.change(async (state) => ({
      state: {
        ...state,
        owed: state.owed.map((owed) => (owed.generation === generation ? { ...owed, after } : owed)),
      },
      result: undefined,
    }));
  }

  async function settle({ generation }: OwedRescan): Promise<void> {
    await store.change(async (state) => ({
      state: { ...state, owed: state.owed.filter((owed) => owed.generation !== generation) },
      result: undefined,
    }));
  }

  function wake(): void {
    if (!started || stopping.signal.aborted || running !== undefined) return;
    running = work().finally(() => {
      running = undefined;
      // A re-scan may have been added since the last check.
      if (store.state().owed.length > 0) wake();
    });
  }

  return {
    start() {
      started = true;
      wake();
    },
    wake,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
