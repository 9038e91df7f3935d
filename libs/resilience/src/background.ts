import { type BackOff, backOffMs } from './back-off.ts';
import { Pause } from './pause.ts';

export interface Background {
  /** Returns itself. */
  start(): Background;
  wake(): void;
  stop(): Promise<void>;
}

interface BackgroundWork {
  readonly backOff?: BackOff;
  /** Resolves to the milliseconds until the next call without a `wake`; 0 if there may be more work now. */
  readonly work: (signal: AbortSignal) => Promise<number>;
  /** `failures` counts the failures in a row, from 1. Not called while stopping. If this throws, the work ends. */
  readonly onFailure: (error: unknown, failures: number) => void;
}

const BACK_OFF: BackOff = { first: 200, most: 30_000 };

/** Calls `work` again and again, one call at a time. After a failure it retries with back-off until `work` succeeds. */
export function background({ backOff = BACK_OFF, work, onFailure }: BackgroundWork): Background {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = new Pause();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      pause.reset();
      try {
        const pauseMs = await work(signal);
        failures = 0;
        if (pauseMs > 0 && !signal.aborted) await pause.for(pauseMs);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        onFailure(error, failures);
        // A `wake` during the attempt must not shorten the back-off.
        pause.reset();
        await pause.for(backOffMs(backOff, failures));
      }
    }
  }

  const job: Background = {
    start() {
      running ??= run();
      return job;
    },
    wake: () => pause.wake(),
    async stop() {
      stopping.abort();
      pause.wake();
      await running;
    },
  };
  return job;
}
