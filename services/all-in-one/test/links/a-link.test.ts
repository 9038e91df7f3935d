/** The life of a link, from an API key to its revocation. Read it as your first test. */
import { expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { anyLink, expectError, GENERATED_SLUG, visit } from '../support.ts';

const { waypost, newClient } = product();

test('a link is created, read, listed, visited and revoked', async () => {
  const api = await newClient();
  const destination_url = 'https://www.wikipedia.org/wiki/URL_shortening?from=test#History';

  const created = await api('POST', '/api/v1/links', { destination_url, tags: ['docs'] });
  expect(created.status).toBe(201);
  const { link, short_url } = created.body;
  expect(link).toEqual(anyLink({ destination_url, tags: ['docs'], slug: expect.stringMatching(GENERATED_SLUG) }));
  expect(new URL(short_url).pathname).toBe(`/${link.slug}`);

  const read = await api('GET', `/api/v1/links/${link.slug}`);
  expect(read.body).toEqual(link);
  expect((await api('GET', '/api/v1/links')).body).toEqual({
    data: [link],
    total: 1,
    page: 1,
    limit: 10,
    total_pages: 1,
  });

  const followed = await visit(waypost.redirect, `/${link.slug}`);
  expect([followed.status, followed.headers.location]).toEqual([302, destination_url]);

  const revoked = await api('POST', `/api/v1/links/${link.slug}/revoke`);
  expect(revoked.body).toEqual({
    ...link,
    status: 'revoked',
    revoked_at: revoked.body.updated_at,
    updated_at: revoked.body.updated_at,
  });
  expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(410);
  expectError(await api('POST', `/api/v1/links/${link.slug}/revoke`), 400);
  expectError(await api('POST', '/api/v1/links', { destination_url, custom_slug: link.slug }), 409);
});
