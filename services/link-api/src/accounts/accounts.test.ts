import { createHash, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  atNoon,
  codeOf,
  HOUR_MS,
  KEEP,
  NOON,
  newAccount,
  newEmail,
  noted,
  openStores,
  SIGN_IN,
  tally,
} from '../../test/stores.ts';

const hashOf = (text: string) => createHash('sha256').update(text).digest();

const { db, accounts, keys } = await openStores();

test('there are no accounts at first', async () => {
  expect(await accounts.any()).toBe(false);
  await newAccount(accounts);
  expect(await accounts.any()).toBe(true);
});

test('an account is found by its address in any letter case', async () => {
  const email = `Ann.${randomUUID()}@Example.COM`;
  const account = await accounts.create({ email, admin: true, passwordHash: '$argon2id$x' }, noted);
  expect(account).toEqual({
    id: expect.any(String),
    email: email.toLowerCase(),
    admin: true,
    creationsPerHour: null,
  });
  expect(await accounts.findByEmail(email.toUpperCase())).toEqual(account);
  expect(await accounts.findByEmail(newEmail())).toBeUndefined();
  expect(await accounts.findByEmail('%')).toBeUndefined();
  expect(await accounts.findByEmail('\0')).toBeUndefined();
  expect(await accounts.credentials('ann\0@example.com')).toBeUndefined();
});

test('only one of 20 concurrent callers gets an address', async () => {
  const email = newEmail();
  const calls = Array.from({ length: 20 }, (_, i) => newAccount(accounts, i % 2 === 0 ? email : email.toUpperCase()));
  expect(await tally(calls)).toEqual({ ok: 1, account_exists: 19 });
});

test('an account can get its own limit and lose it again', async () => {
  const { email } = await newAccount(accounts);
  expect(await accounts.setLimit(email.toUpperCase(), 5000, noted)).toMatchObject({
    email,
    creationsPerHour: 5000,
  });
  expect(await accounts.findByEmail(email)).toMatchObject({ creationsPerHour: 5000 });
  expect(await accounts.setLimit(email, 0, noted)).toMatchObject({ creationsPerHour: 0 });
  expect(await accounts.setLimit(email, null, noted)).toMatchObject({ creationsPerHour: null });
  expect(await codeOf(accounts.setLimit(newEmail(), 5, noted))).toBe('account_not_found');
});

describe('sign-in links', () => {
  const token = () => hashOf(randomUUID());
  const put = async ({ id }: { readonly id: string }) => {
    const current = token();
    await accounts.putSignInLink(id, { tokenHash: current, expiresAt: atNoon(HOUR_MS) }, noted);
    return current;
  };
  const use = (current: Buffer, at: Date) =>
    accounts.useSignInLink(current, { ...SIGN_IN, tokenHash: token(), at, expiresAt: atNoon(HOUR_MS) }, noted);

  test('work once until they expire, and a look-up does not use them up', async () => {
    const account = await newAccount(accounts);
    const current = await put(account);
    expect(await accounts.findSignInLink(current, NOON)).toEqual(account);
    expect(await accounts.findSignInLink(current, atNoon(HOUR_MS - 1))).toEqual(account);
    expect(await accounts.findSignInLink(current, atNoon(HOUR_MS))).toBeUndefined();
    expect(await use(current, atNoon(HOUR_MS))).toBeUndefined();
    expect(await use(current, NOON)).toEqual(account);
    expect(await use(current, NOON)).toBeUndefined();
    expect(await accounts.findSignInLink(current, NOON)).toBeUndefined();
    expect(await accounts.findSignInLink(token(), NOON)).toBeUndefined();
    expect(await use(token(), NOON)).toBeUndefined();
  });

  test('work for only one of 20 concurrent callers', async () => {
    const account = await newAccount(accounts);
    const current = await put(account);
    const got = await Promise.all(Array.from({ length: 20 }, () => use(current, NOON)));
    expect(got.filter((one) => one !== undefined)).toEqual([account]);
  });

  test('stop working when a newer link of the same account replaces them', async () => {
    const [account, other] = [await newAccount(accounts), await newAccount(accounts)];
    const [first, others] = [await put(account), await put(other)];
    const second = await put(account);
    expect(await accounts.findSignInLink(first, NOON)).toBeUndefined();
    expect(await use(first, NOON)).toBeUndefined();
    expect(await use(second, NOON)).toEqual(account);
    expect(await use(await put(account), NOON)).toEqual(account);
    expect(await use(others, NOON)).toEqual(other);
  });
});

describe('API keys', () => {
  const newKey = (
    accountId: string,
    keyHash = hashOf(randomUUID()),
    scopes: readonly ('read' | 'write')[] = ['read'],
    expiresAt: Date | null = null,
  ) => keys.create({ accountId, name: 'CI', scopes, keyHash, hint: 'wp_abcdefg', expiresAt }, noted);

  test('are removed from the table after they are deleted or have expired', async () => {
    const { id: accountId } = await newAccount(accounts);
    const [used, gone, ended] = [hashOf(randomUUID()), hashOf(randomUUID()), hashOf(randomUUID())];
    await newKey(accountId, used);
    await keys.delete((await newKey(accountId, gone)).id, KEEP, noted);
    await newKey(accountId, ended, ['read'], new Date(Date.now() - 1_000));
    await keys.forget();
    const remaining = await db.query('SELECT key_hash FROM api_keys WHERE account_id = $1', [accountId]);
    expect(remaining).toEqual([{ key_hash: used }]);
  });

  test('are deleted once if 20 callers delete the same key, and no other key is deleted', async () => {
    const { id: accountId } = await newAccount(accounts);
    const [hash, others] = [hashOf(randomUUID()), hashOf(randomUUID())];
    const { id } = await newKey(accountId, hash);
    await newKey(accountId, others);
    expect(await tally(Array.from({ length: 20 }, () => keys.delete(id, KEEP, noted)))).toEqual({
      ok: 1,
      key_not_found: 19,
    });
    expect(await keys.authenticate(others)).toMatchObject({ accountId });
  });

  test('are limited to 20, even if 30 callers create one at the same time', async () => {
    const [ann, bob] = [await newAccount(accounts), await newAccount(accounts)];
    const hashes = Array.from({ length: 45 }, () => hashOf(randomUUID()));
    await Promise.all(hashes.slice(30).map((hash) => newKey(ann.id, hash)));
    const racing = hashes.slice(0, 30).map((hash) => newKey(ann.id, hash));
    expect(await tally(racing)).toEqual({ ok: 5, too_many_keys: 25 });
    const callers = await Promise.all(hashes.map((hash) => keys.authenticate(hash)));
    const active = callers.filter((caller) => caller !== undefined);
    expect(active).toHaveLength(20);
    await newKey(bob.id);
    // A deleted key does not count, so the account can create another.
    await keys.delete(active[0]!.keyId!, KEEP, noted);
    await newKey(ann.id);
    expect(await codeOf(newKey(ann.id))).toBe('too_many_keys');
  });
});
