/** Links for the tests of link-api. */
import { randomUUID } from 'node:crypto';
import { created, type NewLink } from '@waypost/domain';
import { newOwner, openStores } from '../../../libs/adapter-postgres/test/links-under-test.ts';

type Stores = Awaited<ReturnType<typeof openStores>>;

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

/** The slug of a new link of this account, at its first version. */
export async function storedSlug(
  { links }: Pick<Stores, 'links'>,
  ownerId: string,
  at: Date,
  given: Partial<NewLink> = {},
): Promise<string> {
  const made = newLink({ ...given, slug: randomUUID(), ownerId }, at);
  const { slug, destinationUrl: url } = made.link;
  const verdict = { url, outcome: 'clean', threat_type: null, reasons: [] } as const;
  await links.insert({ ownerId, links: [{ ...made, verdict }] }, at);
  return slug;
}

/** The only link of a real store, at its first version. */
export async function storedLink(at: Date, given: Partial<NewLink> = {}) {
  const stores = await openStores();
  const ownerId = await newOwner(stores);
  return { links: stores.links, slug: await storedSlug(stores, ownerId, at, given), ownerId };
}
