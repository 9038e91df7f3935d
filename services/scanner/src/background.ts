/** Work that a process owes in the background: one piece at a time, retried with back-off until it succeeds. */
import { type BackOff, backOffMs, isNoteworthy, Pause } from '@waypost/resilience';
import { errorFields, type Logger } from '@waypost/telemetry';

export interface Background {
  start(): void;
  /** There may be work now. */
  wake(): void;
  /** Resolves once nothing runs. */
  stop(): Promise<void>;
}

interface BackgroundWork {
  /** For the log: what failed. */
  readonly name: string;
  /** Without a `wake`, how often to look for work. */
  readonly everyMs: number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Resolves to whether there may be more at once. */
  readonly work: (signal: AbortSignal) => Promise<boolean>;
}

const BACK_OFF: BackOff = { first: 200, most: 30_000 };

export function background({ name, everyMs, logger, work }: BackgroundWork): Background {
  const stopping = new AbortController();
  const { signal } = stopping;
  const pause = new Pause();
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      pause.reset();
      try {
        const more = await work(signal);
        failures = 0;
        if (!more && !signal.aborted) await pause.for(everyMs);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        if (isNoteworthy(failures)) logger.warn(`${name} failed, will retry`, { failures, ...errorFields(error) });
        await pause.for(backOffMs(BACK_OFF, failures));
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
