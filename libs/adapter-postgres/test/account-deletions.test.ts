import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { ERASED_DESTINATION, erased, OPERATOR, TOPICS } from '@waypost/domain';
import { asking, atNoon, codeOf, LATER, NOON, newEmail, openStores, PHISHING } from './links-under-test.ts';

const stores = await openStores();
const { db, accounts, audit, cases, deletions, identities, keys, links, personalData, webhooks } = stores;

const KEY = { name: "Ottilie's laptop", scopes: ['read'], hint: 'wp_x', expiresAt: null } as const;

async function person() {
  const { id, email } = await accounts.create({ email: newEmail(), admin: false, passwordHash: 'a hash' }, OPERATOR);
  const by = { accountId: id, via: 'session', credential: 'abc' } as const;
  await keys.create({ ...KEY, accountId: id, keyHash: Buffer.from(randomUUID()) }, by);
  await identities.link(id, { issuer: 'https://provider.example', subject: id });
  const webhook = await webhooks.create({
    accountId: id,
    url: 'https://ottilie.example/',
    events: ['link.created'],
    secret: 's',
    at: NOON,
  });
  await webhooks.queue(webhook.id, { type: 'link.created', body: '{"ottilie":1}', at: NOON });
  await db.query("INSERT INTO webhook_clicks (webhook_id, count, clicks) VALUES ($1, 1, 'ottilie')", [webhook.id]);
  const slugs = [1, 2, 3].map(() => randomUUID().slice(0, 12));
  await links.create(
    asking(id, ...slugs.map((slug) => ({ slug, url: 'https://example.com/ottilie', tags: ['ottilie'] }))),
    NOON,
  );
  const number = randomUUID();
  const review = { number, kind: 'review', category: null, message: 'I am Ottilie', accountId: id } as const;
  await cases.open({ ...review, slug: slugs[0]! });
  return { id, email, slugs, number, by };
}

/** Every row of every table, as text. */
async function everything(): Promise<string> {
  const tables: { name: string }[] = await db.query(
    "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
  );
  const dumps = await Promise.all(
    tables.map(({ name }) => db.query(`SELECT '${name}' AS t, to_jsonb(r) AS r FROM ${name} r`)),
  );
  return JSON.stringify(dumps);
}

test('leaves nothing of the person in any table, and the slugs reserved', async () => {
  const { id, email, slugs, number, by } = await person();
  for (const action of ['account.limit_set', 'key.created'] as const)
    await audit.refused({ by: OPERATOR, action, subject: email.toUpperCase(), detail: email });
  await links.update(slugs[1]!, () => undefined, { kind: 'verdict', verdict: PHISHING, generation: 'g' });
  expect(await everything()).toMatch(/Ottilie's laptop/);

  expect(await deletions.delete({ email: email.toUpperCase() }, by, NOON)).toEqual({ email });
  const erasedLinks = await deletions.eraseLinks(id, { after: undefined, limit: 10 }, (link) => erased(link, LATER));
  expect(erasedLinks.map(({ slug }) => slug).sort()).toEqual([...slugs].sort());

  await deletions.eraseMessages(id);
  await db.query('DELETE FROM outbox WHERE topic = $1', [TOPICS.links]); // as the relay does
  const left = await everything();
  for (const word of [email, 'ottilie', 'Ottilie', 'provider.example', 'evil.example', 'a hash'])
    expect(left).not.toContain(word);
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
  expect(await codeOf(deletions.delete({ id }, by, NOON))).toBe('account_not_found');
});

test('a request that was under way makes nothing for a deleted account', async () => {
  const { id, by } = await person();
  await deletions.delete({ id }, by, NOON);
  const late = [
    links.create(asking(id, {}), NOON),
    keys.create({ ...KEY, accountId: id, keyHash: Buffer.from(id) }, by),
    webhooks.create({ accountId: id, url: 'https://a.example/', events: ['link.created'], secret: '', at: NOON }),
  ];
  expect(await Promise.all(late.map(codeOf))).toEqual(['credentials_wrong', 'credentials_wrong', 'credentials_wrong']);
});

test('other accounts keep everything, and links are read page by page', async () => {
  const [one, other] = [await person(), await person()];
  const first = await personalData.links(one.id, undefined, 2);
  const rest = await personalData.links(one.id, first.at(-1), 2);
  expect([...first, ...rest].map(({ slug }) => slug)).toEqual([...one.slugs].sort());

  await deletions.delete({ id: one.id }, one.by, NOON);
  const page = await deletions.eraseLinks(one.id, { after: first[0], limit: 1 }, (link) => erased(link, LATER));
  expect(page.map(({ slug }) => slug)).toEqual([first[1]!.slug]);
  expect(await links.find(first[0]!.slug)).toMatchObject({ status: 'active' });
  for (const slug of other.slugs) expect(await links.find(slug)).toMatchObject({ status: 'active', tags: ['ottilie'] });
  expect(await personalData.records(one.id)).toBeUndefined();
  expect(await personalData.records(other.id)).toMatchObject({
    account: { email: other.email },
    identities: [{ issuer: 'https://provider.example', subject: other.id }],
    cases: [{ number: other.number, message: 'I am Ottilie' }],
    audit: [
      { actor: 'you', action: 'key.created', detail: expect.stringContaining("Ottilie's laptop") },
      { actor: 'operator', action: 'account.created' },
    ],
  });
});

test('a deletion is one process at a time, until it is finished', async () => {
  await db.query('DELETE FROM account_deletions');
  const { id, by } = await person();
  await deletions.delete({ id }, by, NOON);
  const claims = await Promise.all([1, 2].map(() => deletions.claim(atNoon(1), LATER)));
  expect(claims.filter((claim) => claim !== undefined)).toEqual([{ accountId: id, deletedAt: NOON }]);
  expect(await deletions.claim(LATER, atNoon(120_000))).toEqual({ accountId: id, deletedAt: NOON });
  await deletions.finish(id);
  expect(await deletions.claim(atNoon(180_000), atNoon(240_000))).toBeUndefined();
});

test('an account that was just deleted does not wait for those that are gone through again', async () => {
  await db.query('DELETE FROM account_deletions');
  const [before, after] = [await person(), await person()];
  await deletions.delete({ id: before.id }, before.by, NOON);
  await deletions.claim(NOON, atNoon(1_000));
  await deletions.delete({ id: after.id }, after.by, atNoon(2_000));
  const claim = async () => (await deletions.claim(atNoon(3_000), LATER))?.accountId;
  expect([await claim(), await claim()]).toEqual([after.id, before.id]);
});
