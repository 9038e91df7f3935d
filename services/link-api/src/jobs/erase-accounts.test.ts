import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { postgresAccountDeletions, postgresAccounts } from '@waypost/adapter-postgres';
import { OPERATOR } from '@waypost/domain';
import { until } from '@waypost/test-support';
import { emptyDatabase } from '../../../../libs/adapter-postgres/test/empty-database.ts';
import { eraseAccounts } from './erase-accounts.ts';

let db: Awaited<ReturnType<typeof emptyDatabase>>;
beforeAll(async () => {
  db = await emptyDatabase();
});

/** A deleted account with a link. */
async function deletedAccount() {
  const email = `${randomUUID()}@example.com`;
  const { id } = await postgresAccounts(db).create({ email, admin: false, passwordHash: null }, OPERATOR);
  const slug = randomUUID();
  await db.query(
    `INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at, scan_generation, version)
     VALUES ($1, $2, 'https://example.com/', 'active', '{}', now(), now(), now(), 'g1', 1)`,
    [slug, id],
  );
  await postgresAccountDeletions(db).delete({ id }, OPERATOR, new Date());
  return slug;
}

test('accounts whose clicks cannot be purged hold up no other', async () => {
  const slugs: string[] = [];
  for (let i = 0; i < 4; i++) slugs.push(await deletedAccount());
  const erasing = eraseAccounts({
    deletions: postgresAccountDeletions(db),
    clicks: { purge: () => Promise.reject(new Error('the click store is away')) },
    cache: { replace: async () => undefined },
    now: () => new Date(),
    onLateError: () => undefined,
  });
  const revoked = async () => (await db.query("SELECT slug FROM links WHERE status = 'revoked'")).length;
  // Three pauses between the attempts of one account are longer.
  await until(async () => (await revoked()) === slugs.length, 3_000).finally(() => erasing.stop());
  expect((await db.query('SELECT 1 FROM account_deletions')).length).toBe(slugs.length);
});
