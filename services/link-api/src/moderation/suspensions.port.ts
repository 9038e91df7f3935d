import type { Account, AccountDetails } from '../accounts/index.ts';
import type { NotesOf } from '../audit/index.ts';

export interface Suspensions {
  /** The suspension takes effect on the next request. If the account is already suspended, only the reason changes. */
  suspend(
    email: string,
    suspension: { reason: string | null; at: Date },
    notes: NotesOf<Account>,
  ): Promise<AccountDetails>;
  /** Does nothing if the account is not suspended. */
  resume(email: string, notes: NotesOf<Account>): Promise<AccountDetails>;
}
