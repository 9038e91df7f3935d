import { type Background, background, isNoteworthy } from '@waypost/resilience';
import { ERASING_LEASE_MS, type EraseDeps, eraseAccount } from '../use-cases/delete-account.ts';

interface Deps extends EraseDeps {
  readonly onLateError: (error: unknown) => void;
}

const POLL_MS = 1_000;
const BACK_OFF = { first: POLL_MS, most: 60_000 };
/** Erases what deleted accounts had, one account after the other, in any number of processes. */
export function eraseAccounts(deps: Deps): Background {
  const erasing = background({
    backOff: BACK_OFF,
    async work(signal) {
      const at = deps.now();
      const claimed = await deps.deletions.claim(at, new Date(at.getTime() + ERASING_LEASE_MS));
      if (claimed === undefined) return POLL_MS;
      await eraseAccount(deps, claimed, signal);
      return 0;
    },
    onFailure(error, failures) {
      if (isNoteworthy(failures)) deps.onLateError(error);
    },
  });
  erasing.start();
  return erasing;
}
