import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { OPERATOR } from '@waypost/domain';
import { codeOf, KEEP, LATER, NOON, newAccount, noted, openStores, SIGN_IN } from '../../test/stores.ts';

const { db, accounts, audit, identities, keys, sessions, suspensions } = await openStores();
const newKey = (accountId: string) =>
  keys.create(
    { accountId, name: 'CI', scopes: ['read'], keyHash: Buffer.from(randomUUID()), hint: 'wp_x', expiresAt: null },
    noted,
  );

test.each(['UPDATE audit_log SET detail = $$x$$', 'DELETE FROM audit_log', 'TRUNCATE audit_log'])(
  'refuses to change entries, even for the owner of the table: %s',
  async (statement) => {
    await newAccount(accounts);
    await expect(db.query(statement)).rejects.toThrow('audit_log is append-only');
  },
);

test('the audit log has an entry for each change, or the change fails', async () => {
  const account = await newAccount(accounts);
  const key = await newKey(account.id);
  const [current, other] = [Buffer.from('current'), Buffer.from('other')];
  const session = { ...SIGN_IN, accountId: account.id, at: NOON, expiresAt: LATER, passwordHash: undefined };
  for (const tokenHash of [current, other]) await sessions.start({ ...session, tokenHash }, noted);
  const { total } = await accounts.list({ page: 1, limit: 1 });
  await db.query('ALTER TABLE audit_log ADD CONSTRAINT closed CHECK (false) NOT VALID');
  try {
    const changes = [
      newAccount(accounts),
      newKey(account.id),
      keys.delete(key.id, KEEP, noted),
      accounts.setLimit(account.email, 5, noted),
      accounts.setPassword(account.id, { from: null, to: 'hash', session: current }, noted),
      suspensions.suspend(account.email, { reason: null, at: NOON }, noted),
      accounts.putSignInLink(account.id, { tokenHash: Buffer.from('a'), expiresAt: NOON }, noted),
      sessions.endAll(account.id, noted),
      sessions.secure(account.id, { password: true }, noted),
      sessions.start({ ...session, tokenHash: Buffer.from('third') }, noted),
      identities.link(account.id, { issuer: 'https://id.example.org', subject: 'a' }, noted),
    ];
    for (const change of await Promise.allSettled(changes))
      expect(change).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('closed') } });
  } finally {
    await db.query('ALTER TABLE audit_log DROP CONSTRAINT closed');
  }
  expect(await keys.list(account.id)).toHaveLength(1);
  const unchanged = [{ creationsPerHour: null, suspendedAt: null }];
  expect(await accounts.list({ page: 1, limit: 1, search: account.email })).toMatchObject({ accounts: unchanged });
  expect(await accounts.own(account.id)).toMatchObject({ passwordHash: null });
  expect(await sessions.authenticate(other, NOON)).toMatchObject({ accountId: account.id });
  expect((await accounts.list({ page: 1, limit: 1 })).total).toBe(total);
});

test('the audit log has no entry for a change that failed', async () => {
  const { email, id } = await newAccount(accounts);
  const before = await audit.list({ limit: 1 });
  const again = accounts.create({ email, admin: true, passwordHash: null }, noted);
  expect(await codeOf(again)).toBe('account_exists');
  expect(await codeOf(keys.delete(randomUUID(), { ...KEEP, accountId: id }, noted))).toBe('key_not_found');
  await suspensions.resume(email, noted);
  expect(await audit.list({ limit: 1 })).toEqual(before);
});

test('lists entries by time, then by id, whichever transaction wrote first', async () => {
  const note = (at: string, detail: string) =>
    db.query(
      `INSERT INTO audit_log (at, via, action, subject, outcome, detail)
       VALUES ($1, 'operator', 'link.reviewed', 'in-order', 'done', $2)`,
      [at, detail],
    );
  for (const [at, detail] of [
    ['2026-11-01T00:00:00.002Z', 'third'],
    ['2026-11-01T00:00:00.001Z', 'first'],
    ['2026-11-01T00:00:00.001Z', 'second'],
    ['2026-11-01T00:00:00.003Z', 'fourth'],
  ])
    await note(at!, detail!);
  const details: string[] = [];
  for (let before: string | undefined; ; ) {
    const [entry] = await audit.list({ limit: 1, subject: 'in-order', ...(before !== undefined && { before }) });
    if (entry === undefined) break;
    details.push(entry.detail);
    before = entry.id;
  }
  expect(details).toEqual(['fourth', 'third', 'second', 'first']);
  expect(await audit.list({ limit: 10, before: '999999999999' })).toEqual([]);
});

test('notes a refused action, whatever its subject', async () => {
  const subject = 'nobody@example.com';
  await audit.refused({ by: OPERATOR, action: 'account.limit_set', subject, detail: 'no such account' });
  expect(await audit.list({ limit: 1, actor: 'operator', action: 'account.limit_set' })).toMatchObject([
    { actor: 'operator', subject, account: null, outcome: 'refused' },
  ]);
});
