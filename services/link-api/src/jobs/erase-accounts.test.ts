import { beforeAll, expect, test } from '@jest/globals';
import { postgresAccountDeletions } from '@waypost/adapter-postgres';
import { OPERATOR } from '@waypost/domain';
import { until } from '@waypost/test-support';
import { emptyDatabase } from '../../../../libs/adapter-postgres/test/empty-database.ts';
import { newAccount, storedSlug } from '../../test/links.ts';
import { eraseAccounts } from './erase-accounts.ts';

let db: Awaited<ReturnType<typeof emptyDatabase>>;
beforeAll(async () => {
  db = await emptyDatabase();
});

/** A deleted account with a link. */
async function deletedAccount() {
  const { id } = await newAccount(db);
  const slug = await storedSlug(db, id, new Date());
  await postgresAccountDeletions(db).delete({ id }, OPERATOR, new Date());
  return slug;
}

test('accounts whose clicks cannot be purged hold up no other', async () => {
  const slugs: string[] = [];
  for (let i = 0; i < 4; i++) slugs.push(await deletedAccount());
  const erasing = eraseAccounts({
    deletions: postgresAccountDeletions(db),
    clicks: { purge: () => Promise.reject(new Error('the click store is away')) },
    cache: { put: async () => undefined },
    now: () => new Date(),
    onLateError: () => undefined,
  });
  const revoked = async () => (await db.query("SELECT slug FROM links WHERE status = 'revoked'")).length;
  // Three pauses between the attempts of one account are longer.
  await until(async () => (await revoked()) === slugs.length, 3_000).finally(() => erasing.stop());
  expect((await db.query('SELECT 1 FROM account_deletions')).length).toBe(slugs.length);
});
