import { accountsContract } from '../../ports/src/contract/accounts.contract.ts';
import { creating } from '../../ports/src/contract/links-under-test.ts';
import { postgresAccounts, postgresApiKeys, postgresLinkStore } from '../src/index.ts';
import { emptyDatabase } from './empty-database.ts';

accountsContract('PostgreSQL', async () => {
  const db = await emptyDatabase();
  const limits = { creationsPerHour: 300 };
  return {
    accounts: postgresAccounts(db),
    keys: postgresApiKeys(db, limits),
    links: creating(postgresLinkStore(db, limits)),
  };
});
