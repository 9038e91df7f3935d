import { backOffMs, isNoteworthy, Pause } from '@waypost/resilience';
import { type EraseDeps, eraseAccount } from '../use-cases/delete-account.ts';

interface Deps extends EraseDeps {
  readonly onLateError: (error: unknown) => void;
}

const POLL_MS = 1_000;
const BACK_OFF = { first: POLL_MS, most: 60_000 };
/** Another process takes over from one that died; of two at once, each repeats what the other did. */
const LEASE_MS = 10 * 60_000;

/** Erases what deleted accounts had, one account after the other, in any number of processes. */
export function eraseAccounts(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const pause = new Pause();
  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; ) {
      try {
        const at = deps.now();
        const claimed = await deps.deletions.claim(at, new Date(at.getTime() + LEASE_MS));
        if (claimed !== undefined) await eraseAccount(deps, claimed, stopping.signal);
        failures = 0;
        if (claimed === undefined) await pause.for(POLL_MS);
      } catch (error) {
        failures += 1;
        if (isNoteworthy(failures)) deps.onLateError(error);
        await pause.for(backOffMs(BACK_OFF, failures));
      }
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      pause.wake();
      await running;
    },
  };
}
