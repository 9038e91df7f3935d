import { type Background, background, backOffMs, ifNoteworthy } from '@waypost/resilience';
import { ERASING_LEASE_MS, type EraseDeps, eraseAccount } from './delete.ts';

interface Deps extends EraseDeps {
  readonly onLateError: (error: unknown) => void;
}

const POLL_MS = 1_000;
const BACK_OFF = { first: POLL_MS, most: 60_000 };
/** Several processes may run this job. If the erasure of one account fails, the others continue. */
export function eraseAccounts(deps: Deps): Background {
  const failures = new Map<string, number>();
  const onFailure = ifNoteworthy(deps.onLateError);
  return background({
    backOff: BACK_OFF,
    async work(signal) {
      const at = deps.now();
      const claimed = await deps.deletions.claim(at, new Date(at.getTime() + ERASING_LEASE_MS));
      if (claimed === undefined) return POLL_MS;
      const { accountId } = claimed;
      try {
        await eraseAccount(deps, claimed, signal);
        failures.delete(accountId);
      } catch (error) {
        if (signal.aborted) throw error;
        const inARow = (failures.get(accountId) ?? 0) + 1;
        failures.set(accountId, inARow);
        onFailure(error, inARow);
        const again = deps.now().getTime() + backOffMs(BACK_OFF, inARow);
        await deps.deletions.postpone(accountId, new Date(again));
      }
      return 0;
    },
    onFailure,
  }).start();
}
