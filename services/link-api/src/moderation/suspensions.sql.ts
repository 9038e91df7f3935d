import { type Database, rows, type Transaction } from '@waypost/postgres';
import { type Account, type AccountDetails, changingAccount } from '../accounts/index.ts';
import { type NotesOf, storeNotes } from '../audit/index.ts';
import { resumeClicks } from '../webhooks/index.ts';
import type { Suspensions } from './suspensions.port.ts';

export function postgresSuspensions(db: Database): Suspensions {
  return {
    suspend: (email, { reason, at }, notes) =>
      changingAccount(db, email, (tx, account) => {
        const change = { suspendedAt: account.suspendedAt ?? at, suspensionReason: reason };
        return setSuspension(tx, account, change, notes);
      }),
    resume: (email, notes) =>
      changingAccount(db, email, async (tx, account) => {
        if (account.suspendedAt === null) return account;
        await resumeClicks(tx, account.id);
        return setSuspension(tx, account, { suspendedAt: null, suspensionReason: null }, notes);
      }),
  };
}

async function setSuspension(
  tx: Transaction,
  account: AccountDetails,
  change: Pick<AccountDetails, 'suspendedAt' | 'suspensionReason'>,
  notes: NotesOf<Account>,
): Promise<AccountDetails> {
  const values = [account.id, change.suspendedAt, change.suspensionReason];
  await rows(tx, 'UPDATE accounts SET suspended_at = $2, suspension_reason = $3 WHERE id = $1', values);
  await storeNotes(tx, notes(account));
  return { ...account, ...change };
}
