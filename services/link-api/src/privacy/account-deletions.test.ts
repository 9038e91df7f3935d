import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ERASED_DESTINATION, erased, OPERATOR } from '@waypost/domain';
import { asking, atNoon, codeOf, LATER, NOON, newEmail, noted, openStores, PHISHING } from '../../test/stores.ts';
import { aboutAccount } from '../audit/index.ts';
import { createApiKey } from '../keys/create.ts';

const stores = await openStores();
const { db, accounts, audit, cases, deletions, identities, keys, links, sessions, webhooks, webhookQueue } = stores;

const KEY = { name: "Ottilie's laptop", scopes: ['read'] } as const;

async function person() {
  const { id, email } = await accounts.create({ email: newEmail(), admin: false, passwordHash: 'a hash' }, ({ id }) => [
    aboutAccount(OPERATOR, 'account.created', id),
  ]);
  const by = { accountId: id, via: 'session', credential: 'abc' } as const;
  const origin = { browser: 'Firefox of Ottilie', system: 'Linux', country: 'ZZ' };
  const session = { via: 'password', origin, tokenHash: Buffer.from(id), at: NOON, expiresAt: LATER } as const;
  await sessions.start({ ...session, accountId: id, passwordHash: undefined }, () => [
    { by, action: 'session.started', subject: 'abc', accountId: id, detail: origin.browser },
  ]);
  await createApiKey({ keys, now: () => NOON }, id, KEY, by);
  await identities.link(id, { issuer: 'https://provider.example', subject: id }, noted);
  const receiver = { accountId: id, keyId: null, url: 'https://ottilie.example/', secret: 's', at: NOON };
  const webhook = await webhooks.create(
    { ...receiver, scope: 'account', events: ['link.created'] },
    ({ id: subject, url }) => [{ by, action: 'webhook.created', subject, accountId: id, detail: new URL(url).host }],
  );
  await webhooks.queue(webhook.id, { type: 'link.created', body: '{"ottilie":1}', at: NOON });
  const slugs = [1, 2, 3].map(() => randomUUID().slice(0, 12));
  await links.create(
    asking(id, ...slugs.map((slug) => ({ slug, url: 'https://example.com/ottilie', tags: ['ottilie'] }))),
    NOON,
  );
  const number = randomUUID();
  const review = { number, kind: 'review', category: null, message: 'I am Ottilie', accountId: id } as const;
  await cases.open({ ...review, slug: slugs[0]! }, { notice });
  const deleted = () => [aboutAccount(by, 'account.deleted', id)];
  return { id, email, slugs, number, deleted };
}

const notice = ({ number, slug, createdAt: at }: { number: string; slug: string; createdAt: Date }) =>
  ({
    message: { type: 'case.opened', slug, eventId: number, body: '{}', at, traceparent: undefined },
    mail: { kind: 'report', line: slug },
  }) as const;

async function everything(): Promise<string> {
  const tables: { name: string }[] = await db.query(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  const dumps = await Promise.all(
    tables.map(({ name }) => db.query(`SELECT '${name}' AS t, to_jsonb(r) AS r FROM ${name} r`)),
  );
  return JSON.stringify(dumps);
}

test("deletes the person's data from every table, and keeps the slugs reserved", async () => {
  const { id, email, slugs, number, deleted } = await person();
  for (const action of ['account.limit_set', 'key.created'] as const)
    await audit.refused({ by: OPERATOR, action, subject: email.toUpperCase(), detail: email });
  await links.update(slugs[1]!, () => ({
    note: { kind: 'verdict', verdict: PHISHING, generation: 'g', at: NOON },
  }));
  await db.query("INSERT INTO imported_clicks VALUES ($1, $2, '2026-11-01', '2026-11-01', '{4711471147114}')", [
    slugs[0],
    id,
  ]);
  await db.query("INSERT INTO imported_days VALUES ($1, '2026-11-01', 4711471147114)", [id]);
  expect(await everything()).toMatch(/Ottilie's laptop/);

  expect(await deletions.delete({ id }, deleted, NOON)).toEqual({ email });
  const erasedLinks = await deletions.eraseLinks(id, { after: undefined, limit: 10 }, (link) => erased(link, LATER));
  expect(erasedLinks.map(({ slug }) => slug).sort()).toEqual([...slugs].sort());

  await deletions.eraseMessages(id);
  // The relay deletes these rows in the same way.
  await db.query('DELETE FROM outbox');
  const remaining = await everything();
  for (const word of [email, 'ottilie', 'Ottilie', 'provider.example', 'evil.example', 'a hash', '4711471147114'])
    expect(remaining).not.toContain(word);
  for (const slug of slugs)
    expect(await links.find(slug)).toMatchObject({
      ownerId: id,
      status: 'revoked',
      destinationUrl: ERASED_DESTINATION,
      tags: [],
      revokedAt: LATER,
    });
  expect(await audit.list({ limit: 1, action: 'account.deleted' })).toMatchObject([
    { actor: id, subject: id, detail: '' },
  ]);
  expect((await db.query('SELECT account_id, message FROM cases WHERE number = $1', [number]))[0]).toEqual({
    account_id: null,
    message: '',
  });
  expect(await codeOf(deletions.delete({ id }, deleted, NOON))).toBe('account_not_found');
});

test('a late request creates nothing for a deleted account', async () => {
  const { id, deleted } = await person();
  await deletions.delete({ id }, deleted, NOON);
  const late = [
    links.create(asking(id, {}), NOON),
    keys.create({ ...KEY, hint: 'wp_x', expiresAt: null, accountId: id, keyHash: Buffer.from(id) }, noted),
    webhooks.create(
      {
        accountId: id,
        scope: 'account',
        keyId: null,
        url: 'https://a.example/',
        events: ['link.created'],
        secret: '',
        at: NOON,
      },
      noted,
    ),
  ];
  expect(await Promise.all(late.map(codeOf))).toEqual(['credentials_wrong', 'credentials_wrong', 'credentials_wrong']);
});

test('other accounts keep everything, and links are erased page by page', async () => {
  const [one, other] = [await person(), await person()];
  const first = await links.oldest(one.id, undefined, 2);
  const rest = await links.oldest(one.id, first.at(-1), 2);
  expect([...first, ...rest].map(({ slug }) => slug)).toEqual([...one.slugs].sort());

  await deletions.delete({ id: one.id }, one.deleted, NOON);
  const page = await deletions.eraseLinks(one.id, { after: first[0], limit: 1 }, (link) => erased(link, LATER));
  expect(page.map(({ slug }) => slug)).toEqual([first[1]!.slug]);
  expect(await links.find(first[0]!.slug)).toMatchObject({ status: 'active' });
  for (const slug of other.slugs) expect(await links.find(slug)).toMatchObject({ status: 'active', tags: ['ottilie'] });
  expect(await accounts.find(one.id)).toBeUndefined();
  expect(await identities.list(other.id)).toMatchObject([{ issuer: 'https://provider.example', subject: other.id }]);
  expect(await accounts.find(other.id)).toMatchObject({ email: other.email });
  const filed = await cases.list({ accountId: other.id, limit: 10 });
  expect(filed).toMatchObject([{ number: other.number, message: 'I am Ottilie' }]);
  expect(await audit.about(other.id, 10)).toMatchObject([
    { actor: 'you', action: 'webhook.created' },
    { actor: 'you', action: 'key.created', detail: expect.stringContaining("Ottilie's laptop") },
    { actor: 'you', action: 'session.started', detail: 'Firefox of Ottilie' },
    { actor: 'operator', action: 'account.created' },
  ]);
});

test('only one process at a time works on a deletion, until it is finished', async () => {
  await db.query('DELETE FROM account_deletions');
  const { id, deleted } = await person();
  await deletions.delete({ id }, deleted, NOON);
  const claims = await Promise.all([1, 2].map(() => deletions.claim(atNoon(1), LATER)));
  expect(claims.filter((claim) => claim !== undefined)).toEqual([{ accountId: id, purgedAt: null }]);
  expect(await deletions.claim(LATER, atNoon(120_000))).toEqual({ accountId: id, purgedAt: null });
  await deletions.purged(id, LATER, atNoon(130_000));
  expect(await deletions.claim(atNoon(129_999), atNoon(240_000))).toBeUndefined();
  expect(await deletions.claim(atNoon(130_000), atNoon(150_000))).toEqual({ accountId: id, purgedAt: LATER });
  await deletions.finish(id);
  expect(await deletions.claim(atNoon(180_000), atNoon(240_000))).toBeUndefined();
});

test('a new deletion comes before deletions that are repeated', async () => {
  await db.query('DELETE FROM account_deletions');
  const [before, after] = [await person(), await person()];
  await deletions.delete({ id: before.id }, before.deleted, NOON);
  await deletions.claim(NOON, atNoon(1_000));
  await deletions.delete({ id: after.id }, after.deleted, atNoon(2_000));
  const claim = async () => (await deletions.claim(atNoon(3_000), LATER))?.accountId;
  expect([await claim(), await claim()]).toEqual([after.id, before.id]);
});

test("messages about the links of a deleted account leave the log of the installation's webhooks, and none come later", async () => {
  const admin = await accounts.create({ email: newEmail(), admin: true, passwordHash: null }, noted);
  const receiver = { accountId: admin.id, keyId: null, url: 'https://ops.example/', secret: 's', at: NOON };
  const { id: webhookId } = await webhooks.create(
    { ...receiver, scope: 'installation', events: ['link.flagged'] },
    noted,
  );
  const [one, other] = [await person(), await person()];
  const flag = (slug: string, version: number) =>
    webhookQueue.queueLinkEvents(
      [{ type: 'link.flagged', slug, eventId: `${slug} ${version}`, body: '{}', at: NOON, traceparent: undefined }],
      NOON,
    );
  const slugs = [one.slugs[0]!, `${one.slugs[0]}x`, other.slugs[0]!];
  await links.create(asking(other.id, { slug: slugs[1]! }), NOON);
  for (const slug of slugs) expect(await flag(slug, 2)).toBe(1);
  await deletions.delete({ id: one.id }, one.deleted, NOON);
  expect(await flag(one.slugs[1]!, 2)).toBe(0);
  await deletions.eraseLinks(one.id, { after: undefined, limit: 10 }, (link) => erased(link, LATER));
  const rest = await db.query<{ event_id: string }>(
    'SELECT event_id FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY 1',
    [webhookId],
  );
  expect(rest.map((row) => row.event_id)).toEqual(
    [`${slugs[1]} 2`, `${slugs[2]} 2`].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  );
});
