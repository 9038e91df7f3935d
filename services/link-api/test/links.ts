/** Accounts and links for the tests of link-api. */
import { randomUUID } from 'node:crypto';
import { postgresAccounts, postgresLinkStore } from '@waypost/adapter-postgres';
import { created, type NewLink, OPERATOR } from '@waypost/domain';
import { emptyDatabase } from '../../../libs/adapter-postgres/test/empty-database.ts';

type Database = Awaited<ReturnType<typeof emptyDatabase>>;

/** As the domain makes one: the link and its event. */
export const newLink = (given: Partial<NewLink> = {}, at = new Date()) =>
  created(
    {
      slug: 'a-link',
      ownerId: 'o',
      destinationUrl: 'https://example.com/',
      tags: [],
      threatType: null,
      scanGeneration: 'g1',
      ...given,
    },
    at,
  );

/** A new account of a real store. */
export const newAccount = (db: Database) =>
  postgresAccounts(db).create({ email: `${randomUUID()}@example.com`, admin: false, passwordHash: null }, OPERATOR);

/** The slug of a new link of this account, at its first version. */
export async function storedSlug(
  db: Database,
  ownerId: string,
  at: Date,
  given: Partial<NewLink> = {},
): Promise<string> {
  const made = newLink({ ...given, slug: randomUUID(), ownerId }, at);
  const { slug, destinationUrl: url } = made.link;
  const verdict = { url, outcome: 'clean', threat_type: null, reasons: [] } as const;
  await postgresLinkStore(db, { creationsPerHour: 300 }).insert({ ownerId, links: [{ ...made, verdict }] }, at);
  return slug;
}

/** The only link of a real store, at its first version. */
export async function storedLink(at: Date, given: Partial<NewLink> = {}) {
  const db = await emptyDatabase();
  const { id: ownerId } = await newAccount(db);
  const slug = await storedSlug(db, ownerId, at, given);
  return { links: postgresLinkStore(db, { creationsPerHour: 300 }), slug, ownerId };
}
