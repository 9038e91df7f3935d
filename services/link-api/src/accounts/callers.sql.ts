import type { Caller } from '../platform/caller.ts';

export interface QuotaRow {
  quota: number;
  window_start: Date | null;
  used: number | null;
}

export function creationsOf({ quota, window_start: start, used }: QuotaRow): Caller['creations'] {
  return { limit: quota, window: start === null ? undefined : { start, used: used ?? 0 } };
}

export interface CallerRow extends QuotaRow {
  account_id: string;
  admin: boolean;
  suspended: boolean;
  suspension_reason: string | null;
}

/** Selects the columns of a caller's account. `$2` is the limit of accounts without their own. */
export const CALLER = `a.id AS account_id, a.admin, a.suspended_at IS NOT NULL AS suspended, a.suspension_reason,
  coalesce(a.creations_per_hour, $2::int) AS quota, q.window_start, q.used`;
export const ITS_ACCOUNT = 'JOIN accounts a ON a.id = account_id LEFT JOIN creation_quota q ON q.account_id = a.id';

export const callerOf = (row: CallerRow) => ({
  accountId: row.account_id,
  admin: row.admin,
  ...(row.suspended && { suspension: { reason: row.suspension_reason } }),
  creations: creationsOf(row),
});

/** Writes the time of a use. Requests do not wait for that; a later use repeats a failed write. */
export function marking(write: (id: string, now: Date) => Promise<unknown>) {
  const underWay = new Set<string>();
  return async (id: string, now: Date): Promise<void> => {
    if (underWay.has(id)) return;
    underWay.add(id);
    await write(id, now).catch(() => undefined);
    underWay.delete(id);
  };
}
