import { type BackOff, backOffMs } from './back-off.ts';
import { Pause } from './pause.ts';

export interface Background {
  start(): void;
  /** There may be work now. */
  wake(): void;
  /** Resolves once nothing runs. */
  stop(): Promise<void>;
}

interface BackgroundWork {
  readonly backOff?: BackOff;
  /** Resolves to the pause until the next look for work without a `wake`, in milliseconds: 0 if there may be more at once. */
  readonly work: (signal: AbortSignal) => Promise<number>;
  /** With the number of failures in a row, 1 or more; not once it stops. What it throws ends the work for good. */
  readonly onFailure: (error: unknown, failures: number) => void;
}

const BACK_OFF: BackOff = { first: 200, most: 30_000 };

/** Work that a process owes in the background: one piece at a time, retried with back-off until it succeeds. */
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
        // What woke it during the attempt waits for the back-off as well.
        pause.reset();
        await pause.for(backOffMs(backOff, failures));
      }
    }
  }

  return {
    start() {
      running ??= run();
    },
    wake: () => pause.wake(),
    async stop() {
      stopping.abort();
      pause.wake();
      await running;
    },
  };
}
