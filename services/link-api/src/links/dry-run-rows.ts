/** Limits how many rows an account may check by dry runs and checks, which cost it nothing (docs/contract.md). */
import { DomainError, LIMITS } from '@waypost/domain';
import { putLast } from '@waypost/resilience';

const { atOnce, perMinute } = LIMITS.dryRunRows;
export const tooManyRows = `Dry runs and checks of an account may scan ${atOnce} URLs at once, and ${perMinute} more per minute.`;
const ACCOUNTS_MAX = 10_000;

/** Returns a function that spends rows, or throws `too_many_attempts`. It counts in the memory of this process. */
export function dryRunRows(now: () => Date): (accountId: string, rows: number) => void {
  const usage = new Map<string, { readonly rows: number; readonly at: number }>();
  return (accountId, rows) => {
    const at = now().getTime();
    const last = usage.get(accountId);
    // A clock that was set back must not add rows.
    const refilled = last === undefined ? 0 : (Math.max(0, at - last.at) / 60_000) * perMinute;
    const total = Math.max(0, (last?.rows ?? 0) - refilled) + rows;
    if (total > atOnce) {
      const retryAfterSeconds = Math.max(1, Math.ceil(((total - atOnce) / perMinute) * 60));
      throw new DomainError('too_many_attempts', tooManyRows, { retryAfterSeconds });
    }
    putLast(usage, accountId, { rows: total, at }, ACCOUNTS_MAX);
  };
}
