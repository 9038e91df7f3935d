import { randomUUID } from 'node:crypto';
import { created, type NewLink } from '@waypost/domain';
import { newOwner, openStores } from './stores.ts';

type Stores = Awaited<ReturnType<typeof openStores>>;

export const newLink = (overrides: Partial<NewLink> = {}, at = new Date()) =>
  created(
    {
      slug: 'a-link',
      ownerId: 'o',
      destinationUrl: 'https://example.com/',
      tags: [],
      threatType: null,
      scanGeneration: 'g1',
      ...overrides,
    },
    at,
  );

export async function storedSlug(
  { links }: Pick<Stores, 'links'>,
  ownerId: string,
  at: Date,
  overrides: Partial<NewLink> = {},
): Promise<string> {
  const creation = newLink({ ...overrides, slug: randomUUID(), ownerId }, at);
  const { slug, destinationUrl: url } = creation.link;
  const verdict = { url, outcome: 'clean', threat_type: null, reasons: [] } as const;
  await links.insert({ ownerId, links: [{ ...creation, verdict }] }, at);
  return slug;
}

/** Stores a link at its first version in a new store, which has no other link. */
export async function storedLink(at: Date, overrides: Partial<NewLink> = {}) {
  const stores = await openStores();
  const ownerId = await newOwner(stores);
  return { links: stores.links, slug: await storedSlug(stores, ownerId, at, overrides), ownerId };
}
