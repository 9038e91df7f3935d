import type { Actor } from '@waypost/domain';
import { type AccountDetails, type Accounts, accountOf } from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import { invalid } from '../platform/checks.ts';
import type { Suspensions } from './suspensions.port.ts';

/** The account's keys and sessions fail from the next request on. Administrators cannot suspend themselves. */
export async function suspendAccount(
  deps: {
    readonly accounts: Pick<Accounts, 'findByEmail'>;
    readonly suspensions: Pick<Suspensions, 'suspend'>;
    readonly now: () => Date;
  },
  email: string,
  reason: string | null,
  by: Actor,
): Promise<AccountDetails> {
  const account = await accountOf(deps, email);
  if (account.id === by.accountId) throw invalid({ email: 'must not be your own account' });
  return deps.suspensions.suspend(email, { reason, at: deps.now() }, ({ id }) => [
    aboutAccount(by, 'account.suspended', id, reason),
  ]);
}

/** Does nothing and notes nothing if the account is not suspended. */
export function resumeAccount(
  deps: { readonly suspensions: Pick<Suspensions, 'resume'> },
  email: string,
  by: Actor,
): Promise<AccountDetails> {
  return deps.suspensions.resume(email, ({ id }) => [aboutAccount(by, 'account.resumed', id)]);
}
