import { expect, test } from '@jest/globals';
import { OPERATOR } from '@waypost/domain';
import { until } from '@waypost/test-support';
import { newOwner, openStores } from '../../../../libs/adapter-postgres/test/links-under-test.ts';
import { storedSlug } from '../../test/links.ts';
import { eraseAccounts } from './erase-accounts.ts';

const stores = await openStores();
const { db, deletions } = stores;

/** A deleted account with a link. */
async function deletedAccount() {
  const id = await newOwner(stores);
  const slug = await storedSlug(stores, id, new Date());
  await deletions.delete({ id }, OPERATOR, new Date());
  return slug;
}

test('accounts whose clicks cannot be purged hold up no other', async () => {
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
  // Three pauses between the attempts of one account are longer.
  await until(async () => (await revoked()) === slugs.length, 3_000).finally(() => erasing.stop());
  expect((await db.query('SELECT 1 FROM account_deletions')).length).toBe(slugs.length);
});
