import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import type { Revision } from '@waypost/ports';
import type { Database } from '@waypost/postgres';
import { connectTo, newDatabase } from '@waypost/test-support/database';
import { postgresLinkArchive as postgresArchive } from '../src/adapters.ts';

const ids = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
const NOTHING: Revision = { madeAt: new Date('2026-01-02T00:00:00Z'), deleteKeys: false, webhooksOff: false };

/** Two accounts, with an active link each, and what each can sign in with. */
const ROWS = `
  INSERT INTO accounts (id, email, admin, password_hash) SELECT i.id::uuid, i.email, false, 'hash'
    FROM (VALUES ('${ids(1)}', 'a@example.org'), ('${ids(2)}', 'b@example.org')) AS i (id, email);
  INSERT INTO api_keys (id, account_id, name, scopes, key_hash, hint)
    SELECT id, id, 'k', '{read}', id::text::bytea, 'w' FROM accounts;
  INSERT INTO passkeys (id, account_id, name, credential_id, public_key, counter)
    SELECT id, id, 'p', id::text, '', 0 FROM accounts;
  INSERT INTO identities (issuer, subject, account_id) SELECT 'i', id::text, id FROM accounts;
  INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at, scan_generation,
    version) SELECT 'of-' || left(email, 1), id, 'https://example.com/', 'active', '{}', now(), now(), now(), 'g', 1
    FROM accounts;
  INSERT INTO webhooks (id, account_id, url, events, secret, created_at, enabled_since, clicks_since, clicks_after_at,
    clicks_after_id)
    SELECT id, id, 'https://example.com/', '{link.created}', 's', now(), now(), now(), 0, id FROM accounts;
  INSERT INTO webhook_deliveries (webhook_id, type, body, created_at, began_at, next_attempt_at)
    SELECT id, 'link.created', '{}', now(), now(), now() FROM webhooks`;

async function installation(changes = ''): Promise<{ db: Database; archive: ReturnType<typeof postgresArchive> }> {
  const address = await newDatabase();
  const db = await connectTo(address);
  await db.query(ROWS);
  if (changes !== '') await db.query(changes);
  return { db, archive: postgresArchive(address) };
}

async function listOf(archive: ReturnType<typeof postgresArchive>) {
  let list = '';
  const lines = await archive.saveRevoked(async (rows) => {
    list = await text(rows);
  });
  return { list, lines };
}

const as = (list: string, slugsOnly = false): Partial<Revision> => ({
  revoked: { slugsOnly, lines: () => Readable.from([Buffer.from(list)]) },
});
const statesOf = (db: Database) =>
  db.query<{ status: string }>(
    'SELECT slug, status, threat_type, take_down_reason, destination_url FROM links ORDER BY slug',
  );
const one = async (db: Database, sql: string) => Object.values((await db.query<object>(sql))[0]!)[0];

test('what a restore brings back is counted, and nothing else changes', async () => {
  const { db, archive } = await installation();
  expect(await archive.revise(NOTHING)).toEqual({
    back: {
      redirecting_links: 2,
      suspended_accounts: 0,
      keys: 2,
      passkeys: 2,
      passwords: 2,
      identities: 2,
      webhooks: 2,
      webhook_messages: 2,
    },
    revoked: {
      links_revoked: 0,
      links_flagged: 0,
      slugs_reserved: 0,
      keys: 0,
      passkeys: 0,
      passwords: 0,
      webhooks: 0,
      accounts_suspended: 0,
    },
    accounts_to_delete: [],
  });
  expect((await statesOf(db)).map((row) => row.status)).toEqual(['active', 'active']);
  expect(await one(db, 'SELECT count(*)::integer FROM audit_log')).toBe(0);
});

test('a list of the running installation keeps refused what was refused after the backup', async () => {
  const audit = (action: string, subject: string) =>
    `INSERT INTO audit_log (via, action, subject, outcome, detail) VALUES ('session', '${action}', '${subject}', 'done', '');`;
  const running = await installation(`
    UPDATE links SET status = 'revoked', revoked_at = '2026-01-03T00:00:00Z' WHERE slug = 'of-a';
    UPDATE links SET status = 'flagged', threat_type = 'phishing', take_down_reason = 'a "bank", or\nso'
      WHERE slug = 'of-b';
    INSERT INTO links (slug, owner_id, destination_url, status, tags, created_at, updated_at, scanned_at,
      scan_generation, version) SELECT 'since', id, 'https://secret.example/', 'active', '{}', now(), now(), now(), 'g', 1
      FROM accounts WHERE id = '${ids(1)}';
    UPDATE accounts SET suspended_at = now(), suspension_reason = 'spam' WHERE id = '${ids(1)}';
    ${audit('key.deleted', ids(1))} ${audit('passkey.deleted', ids(2))} ${audit('webhook.deleted', ids(1))}
    ${audit('account.password_changed', ids(1))} ${audit('account.deleted', ids(2))}`);
  const { list, lines } = await listOf(running.archive);
  expect(lines).toBe(9);
  expect(list).not.toContain('secret.example');
  expect(list.split('\n')[0]).toBe('kind,id,state,at,threat_type,reason');

  const { db, archive } = await installation();
  expect(await archive.revise({ ...NOTHING, ...as(list) })).toMatchObject({
    back: { redirecting_links: 0, keys: 1, passkeys: 1, passwords: 1, webhooks: 1, suspended_accounts: 2 },
    revoked: {
      links_revoked: 1,
      links_flagged: 1,
      slugs_reserved: 1,
      keys: 1,
      passkeys: 1,
      passwords: 1,
      webhooks: 1,
      accounts_suspended: 2,
    },
    accounts_to_delete: ['b@example.org'],
  });
  const unflagged = { threat_type: null, take_down_reason: null };
  expect(await statesOf(db)).toEqual([
    { slug: 'of-a', status: 'revoked', ...unflagged, destination_url: 'https://example.com/' },
    {
      slug: 'of-b',
      status: 'flagged',
      threat_type: 'phishing',
      take_down_reason: 'a "bank", or\nso',
      destination_url: 'https://example.com/',
    },
    { slug: 'since', status: 'revoked', ...unflagged, destination_url: 'https://erased.invalid/' },
  ]);
  expect(await one(db, "SELECT revoked_at FROM links WHERE slug = 'of-a'")).toEqual(new Date('2026-01-03T00:00:00Z'));
  expect(await one(db, "SELECT suspension_reason FROM accounts WHERE email = 'a@example.org'")).toBe('spam');
  expect(
    await db.query("SELECT action, subject FROM audit_log WHERE via = 'operator' ORDER BY action, subject"),
  ).toEqual([
    { action: 'account.suspended', subject: ids(1) },
    { action: 'account.suspended', subject: ids(2) },
    { action: 'key.deleted', subject: ids(1) },
    { action: 'passkey.deleted', subject: ids(2) },
  ]);
  // What the list reserved stays reserved at the next restore, and the same list changes nothing more.
  expect((await listOf(archive)).list).toContain('link,since,revoked');
  const again = await archive.revise({ ...NOTHING, ...as(list) });
  expect(Object.values(again.revoked)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
});

test('a password from before the backup stays', async () => {
  const { archive } = await installation();
  const list = `kind,id,state,at,threat_type,reason\naccount,${ids(1)},password_changed,2026-01-01T00:00:00Z,,\n`;
  expect((await archive.revise({ ...NOTHING, ...as(list) })).revoked.passwords).toBe(0);
});

test('a list of slugs that somebody wrote revokes their links', async () => {
  const { db, archive } = await installation();
  const { revoked } = await archive.revise({ ...NOTHING, ...as('\ufeffof-a\r\n\r\n other\t\r\n\n', true) });
  expect(revoked).toMatchObject({ links_revoked: 1, slugs_reserved: 1 });
  expect((await statesOf(db)).map((row) => row.status)).toEqual(['revoked', 'active', 'revoked']);
});

test.each([
  ['of-a\nno slug\n', true, /line 2: "no slug" is not a slug$/],
  ['of-a\n\n"other"\n', true, /line 3: "\\"other\\"" is not a slug$/],
  ['of-a,b\n', true, /line 1: "of-a,b" is not a slug$/],
  ['kind,id,state,at,threat_type\n', false, /line 1: .*wrong number of fields/],
  ['kind,id,state,at,threat_type,reason\nkey,x,deleted,2026-01-01T00:00:00Z,,\n', false, /line 2: .*slug_or_id/],
  ['kind,id,state,at,threat_type,reason\nother,of-a,revoked,2026-01-01T00:00:00Z,,\n', false, /line 2: .*known_kind/],
])('a list with a wrong line is refused with its number: %j', async (list, slugsOnly, words) => {
  const { db, archive } = await installation();
  await expect(archive.revise({ ...NOTHING, deleteKeys: true, ...as(list, slugsOnly) })).rejects.toThrow(words);
  expect(await one(db, 'SELECT count(*)::integer FROM api_keys')).toBe(2);
});

test('all keys are deleted and all webhooks are off if the operator says so', async () => {
  const { archive } = await installation();
  const { back, revoked } = await archive.revise({ ...NOTHING, deleteKeys: true, webhooksOff: true });
  expect([back, revoked]).toMatchObject([{ keys: 0, webhooks: 0, webhook_messages: 0, passkeys: 2 }, { keys: 2 }]);
});

test('an installation without anything has an empty list', async () => {
  const address = await newDatabase();
  await connectTo(address);
  const { list, lines } = await listOf(postgresArchive(address));
  expect([list.trim(), lines]).toEqual(['kind,id,state,at,threat_type,reason', 0]);
});
