import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { codeOf, NOON, newAccount, noted, openStores } from '../../../test/stores.ts';

const { db, accounts, identities, passkeys } = await openStores();
const newPasskey = async (counter = 0) => {
  const { id: accountId } = await newAccount(accounts);
  const credential = { credentialId: randomUUID(), publicKey: randomBytes(77), counter };
  await passkeys.create({ accountId, name: 'phone', max: 10, ...credential }, noted);
  return credential.credentialId;
};
const soon = new Date(NOON.getTime() + 300_000);

test('a challenge is used once, of several uses at once too, and forgotten when it has expired', async () => {
  const hash = randomBytes(32);
  const uses = await Promise.all(Array.from({ length: 10 }, () => passkeys.useChallenge(hash, soon, NOON)));
  expect(uses.filter(Boolean)).toHaveLength(1);
  expect(await passkeys.useChallenge(hash, soon, NOON)).toBe(false);
  expect(await passkeys.useChallenge(randomBytes(32), new Date(soon.getTime() + 1), soon)).toBe(true);
  expect(await db.query('SELECT expires_at FROM used_challenges')).toEqual([
    { expires_at: new Date(soon.getTime() + 1) },
  ]);
});

test('a counter must increase on each use, unless the authenticator always sends 0', async () => {
  const counting = await newPasskey(5);
  const uses = await Promise.all(Array.from({ length: 10 }, () => passkeys.use(counting, 6, NOON)));
  expect(uses.filter(Boolean)).toHaveLength(1);
  for (const [counter, isUse] of [
    [0, false],
    [6, false],
    [4_294_967_295, true],
  ] as const)
    expect(await passkeys.use(counting, counter, NOON)).toBe(isUse);
  const synced = await newPasskey();
  expect(await passkeys.use(synced, 0, NOON)).toBe(true);
  expect(await passkeys.use(synced, 0, NOON)).toBe(true);
  expect(await passkeys.use('unknown', 0, NOON)).toBe(false);
});

test('a credential is registered once, for one account', async () => {
  const credentialId = await newPasskey();
  const { id: accountId } = await newAccount(accounts);
  const again = { accountId, name: 'x', max: 10, credentialId, publicKey: Buffer.of(1), counter: 0 };
  expect(await codeOf(passkeys.create(again, noted))).toBe('passkey_exists');
  expect(await codeOf(passkeys.delete('not-an-id', accountId, noted))).toBe('passkey_not_found');
});

test('an identity opens one account, and an account has one identity of each issuer', async () => {
  const [one, other] = [await newAccount(accounts), await newAccount(accounts)];
  const issuer = 'https://id.example.org';
  expect(await identities.find({ issuer, subject: 'a' })).toBeUndefined();
  expect(await identities.link(one.id, { issuer, subject: 'a' }, noted)).toBe(true);
  expect(await identities.find({ issuer, subject: 'a' })).toEqual(one);
  expect(await identities.find({ issuer: 'https://other.example.org', subject: 'a' })).toBeUndefined();
  expect(await identities.link(one.id, { issuer, subject: 'b' }, noted)).toBe(false);
  expect(await identities.link(other.id, { issuer, subject: 'a' }, noted)).toBe(false);
  expect(await identities.link(one.id, { issuer: 'https://other.example.org', subject: 'a' }, noted)).toBe(true);
});
