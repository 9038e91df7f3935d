import { expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { storedSlug } from '../../test/links.ts';
import { newOwner, noted, openStores } from '../../test/stores.ts';
import { eraseAccounts } from './erase-accounts.job.ts';

const stores = await openStores();
const { db, deletions } = stores;

async function deletedAccount() {
  const id = await newOwner(stores);
  const slug = await storedSlug(stores, id, new Date());
  await deletions.delete({ id }, noted, new Date());
  return slug;
}

test('an account whose clicks cannot be purged does not delay other accounts', async () => {
  const slugs: string[] = [];
  for (let i = 0; i < 4; i++) slugs.push(await deletedAccount());
  const erasing = eraseAccounts({
    deletions,
    clicks: { purge: () => Promise.reject(new Error('the click store is away')) },
    cache: { put: async () => undefined },
    now: () => new Date(),
    onLateError: () => undefined,
  });
  const revoked = async () => (await db.query("SELECT slug FROM links WHERE status = 'revoked'")).length;
  // Three attempts at one account, with the pauses between them, would take longer than this.
  await until(async () => (await revoked()) === slugs.length, 3_000).finally(() => erasing.stop());
  expect((await db.query('SELECT 1 FROM account_deletions')).length).toBe(slugs.length);
});
