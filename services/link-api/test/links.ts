/** Links for the tests of link-api. */
import { postgresAccounts, postgresLinkStore } from '@waypost/adapter-postgres';
import { created, type NewLink, OPERATOR } from '@waypost/domain';
import { emptyDatabase } from '../../../libs/adapter-postgres/test/empty-database.ts';

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

/** The only link of a real store, at its first version. */
export async function storedLink(at: Date) {
  const db = await emptyDatabase();
  const account = { email: 'owner@example.com', admin: false, passwordHash: null };
  const { id: ownerId } = await postgresAccounts(db).create(account, OPERATOR);
  const links = postgresLinkStore(db, { creationsPerHour: 300 });
  const made = newLink({ ownerId }, at);
  const { slug, destinationUrl: url } = made.link;
  const verdict = { url, outcome: 'clean', threat_type: null, reasons: [] } as const;
  await links.insert({ ownerId, links: [{ ...made, verdict }] }, at);
  return { links, slug, ownerId };
}
