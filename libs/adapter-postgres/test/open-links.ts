import { creating, type LinksUnderTest } from '../../ports/src/contract/links-under-test.ts';
import {
  postgresAccounts,
  postgresIdempotencyStore,
  postgresLinkReader,
  postgresLinkStore,
  postgresOutbox,
} from '../src/index.ts';
import { emptyDatabase } from './empty-database.ts';

/** All ports to an empty database. */
export async function openLinks(): Promise<LinksUnderTest> {
  const db = await emptyDatabase();
  return {
    links: creating(postgresLinkStore(db, { creationsPerHour: 300 })),
    idempotency: postgresIdempotencyStore(db),
    accounts: postgresAccounts(db),
    outbox: postgresOutbox(db, (error) => {
      throw error;
    }),
    reader: postgresLinkReader(db),
  };
}
