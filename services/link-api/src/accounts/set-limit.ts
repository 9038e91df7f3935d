import type { Actor } from '@waypost/domain';
import { aboutAccount } from '../audit/index.ts';
import { invalid } from '../platform/checks.ts';
import type { Account, Accounts } from './accounts.port.ts';

export async function setLimit(
  deps: { readonly accounts: Pick<Accounts, 'setLimit'> },
  email: string,
  creationsPerHour: number | null,
  by: Actor,
): Promise<Account> {
  if (
    creationsPerHour !== null &&
    !(Number.isInteger(creationsPerHour) && creationsPerHour >= 0 && creationsPerHour <= 1e9)
  ) {
    throw invalid({ creations_per_hour: 'must be a whole number from 0 to 1000000000' });
  }
  return deps.accounts.setLimit(email, creationsPerHour, ({ id }) => [
    aboutAccount(by, 'account.limit_set', id, `creations_per_hour: ${creationsPerHour ?? 'default'}`),
  ]);
}
