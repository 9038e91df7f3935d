import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { codeOf, NOON, newAccount, noted, openStores } from '../../test/stores.ts';

const { db, accounts, identities, passkeys } = await openStores();
const newPasskey = async (counter = 0) => {
  const { id: accountId } = await newAccount(accounts);
  const credential = { credentialId: randomUUID(), publicKey: randomBytes(77), counter };
  await passkeys.create({ accountId, name: 'phone', max: 10, ...credential }, noted);
  return credential.credentialId;
};
const soon = new Date(NOON.getTime() + 300_000);
const put = async (accountId: string | null, at = NOON, expiresAt = soon) => {
  const hash = randomBytes(32);
  await passkeys.putChallenge({ hash, accountId, at, expiresAt });
  return hash;
};

test('a challenge works once, before it expires, and only for its account', async () => {
  const { id } = await newAccount(accounts);
  const [own, nobodys] = [await put(id), await put(null)];
  expect(await passkeys.useChallenge(own, null, NOON)).toBe(false);
  expect(await passkeys.useChallenge(own, (await newAccount(accounts)).id, NOON)).toBe(false);
  expect(await passkeys.useChallenge(nobodys, id, NOON)).toBe(false);
  expect(await passkeys.useChallenge(own, id, soon)).toBe(false);
  const answers = await Promise.all(Array.from({ length: 10 }, () => passkeys.useChallenge(own, id, NOON)));
  expect(answers.filter(Boolean)).toHaveLength(1);
  expect(await passkeys.useChallenge(nobodys, null, NOON)).toBe(true);
});

test('a new challenge removes expired ones, and the oldest above 10,000', async () => {
  const count = async () => Number((await db.query('SELECT count(*) FROM passkey_challenges'))[0].count);
  await put(null);
  const later = new Date(soon.getTime() + 300_000);
  const oldest = await put(null, soon, later);
  expect(await count()).toBe(1);
  await db.query(
    `INSERT INTO passkey_challenges (hash, expires_at) SELECT sha256(n::text::bytea), $1 FROM generate_series(1, 9999) n`,
    [later],
  );
  expect(await count()).toBe(10_000);
  const newest = await put(null, soon, later);
  expect(await count()).toBe(10_000);
  expect(await passkeys.useChallenge(oldest, null, soon)).toBe(false);
  expect(await passkeys.useChallenge(newest, null, soon)).toBe(true);
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

test('one account cannot use up the challenges of all accounts', async () => {
  const { id } = await newAccount(accounts);
  const strangers = await put(null);
  const own: Buffer[] = [];
  for (let i = 0; i < 30; i++) own.push(await put(id));
  const [{ count }] = await db.query('SELECT count(*)::int AS count FROM passkey_challenges WHERE account_id = $1', [
    id,
  ]);
  expect(count).toBe(10);
  expect(await passkeys.useChallenge(own.at(-10)!, id, NOON)).toBe(true);
  expect(await passkeys.useChallenge(strangers, null, NOON)).toBe(true);
});
