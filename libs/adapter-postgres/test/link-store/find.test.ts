import { describe, expect, test } from '@jest/globals';
import { revoked } from '@waypost/domain';
import { postgresLinkReader } from '../../src/index.ts';
import { LATER, NOON, newLink, newSlug, openStores } from '../links-under-test.ts';

const store = await openStores();
const { links } = store;
const reader = postgresLinkReader(store.db);

describe('finding', () => {
  test('an unknown slug finds nothing', async () => {
    expect(await links.find(newSlug())).toBeUndefined();
    expect(await reader.find(newSlug())).toBeUndefined();
    expect(await links.taken([])).toEqual([]);
  });

  test('treats a slug as a value, whatever it looks like', async () => {
    await newLink(store);
    for (const slug of ["' OR 1=1 --", '%', '_______', '\\', '$1', 'é😀', 'x'.repeat(100_000)]) {
      expect(await links.find(slug)).toBeUndefined();
      expect(await links.taken([slug])).toEqual([]);
    }
  });

  test('the redirector reads each change as soon as it is stored', async () => {
    const { slug, destinationUrl } = await newLink(store);
    expect(await reader.find(slug)).toEqual({
      slug,
      status: 'active',
      destinationUrl,
      threatType: null,
      revokedAt: null,
      scannedAt: NOON.toISOString(),
      version: 1,
    });
    await links.update(slug, (link) => revoked(link, LATER));
    expect(await reader.find(slug)).toMatchObject({
      status: 'revoked',
      revokedAt: LATER.toISOString(),
      version: 2,
    });
  });
});
