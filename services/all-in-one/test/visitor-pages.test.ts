/** The pages of the redirector, and their JSON form. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { product } from './product.ts';
import { DESTINATION, freshSlug, ISO_TIME, listedUrl, newLink, type Visit, visit } from './support.ts';
import type { Json } from './waypost-process.ts';

const { waypost, api } = product();
let active: Json;
let revoked: Json;
let flagged: Json;

beforeAll(async () => {
  active = await newLink(api);
  revoked = await newLink(api, { destination_url: 'https://www.iana.org/secret-of-the-revoked' });
  revoked = (await api('POST', `/api/v1/links/${revoked.slug}/revoke`)).body;
  flagged = await newLink(api, { destination_url: await listedUrl(waypost, 'phishing') });
  expect(revoked).toMatchObject({ status: 'revoked', threat_type: null });
  expect(flagged).toMatchObject({ status: 'flagged', threat_type: 'phishing', revoked_at: null });
});

const page = (path: string, headers: Record<string, string> = {}) => visit(waypost.redirect, path, { headers });
const asJson = async (path: string): Promise<{ status: number; body: Json; headers: Visit['headers'] }> => {
  const { status, headers, text } = await page(path, { Accept: 'application/json' });
  expect(headers['content-type']).toMatch(/^application\/json/);
  return { status, headers, body: JSON.parse(text) };
};

function expectPage({ status, headers, text }: Visit, expected: number): void {
  expect(status).toBe(expected);
  expect(headers['content-type']).toMatch(/^text\/html; *charset=utf-8/i);
  expect(text).toMatch(/^<!doctype html>/i);
  expect(text).toMatch(/<html[^>]* lang=/i);
  expect(text).toMatch(/<title>[^<]*\S[^<]*<\/title>/i);
  expect(headers.location).toBeUndefined();
  expect(headers['set-cookie']).toBeUndefined();
  expect(headers['x-content-type-options']).toBe('nosniff');
  expect(text).not.toMatch(/http-equiv=["']?refresh/i);
}

// Every page in every language, and hostile values in them: services/redirector/test/pages.test.ts.
test.each<[state: string, status: number, link: () => Json, destination: () => string]>([
  ['revoked', 410, () => revoked, () => 'secret-of-the-revoked'],
  ['flagged', 403, () => flagged, () => new URL(flagged.destination_url).host],
])(
  'a %s link has an explaining page and a JSON form, for its preview too, with no way to continue',
  async (state, expected, link, destination) => {
    const { slug, threat_type, revoked_at } = link();
    for (const path of [`/${slug}`, `/${slug}+`]) {
      const answer = await page(path);
      expectPage(answer, expected);
      expect(answer.text).not.toContain(destination());
      const { status, body } = await asJson(path);
      expect(status).toBe(expected);
      const message = expect.stringMatching(/\S/);
      const scanned_at = expect.stringMatching(ISO_TIME);
      expect(body).toEqual({
        slug,
        status: state,
        threat_type,
        destination_url: null,
        revoked_at,
        scanned_at,
        message,
      });
    }
  },
);

test('an unknown slug has a 404 page that repeats no markup, and a JSON form that names what was requested', async () => {
  const slug = freshSlug();
  expectPage(await page(`/${slug}+`), 404);
  const answer = await page('/%3Cscript%3Ealert(1)%3C%2Fscript%3E');
  expectPage(answer, 404);
  expect(answer.text).not.toContain('<script>alert');
  const nothing = { threat_type: null, destination_url: null, revoked_at: null, scanned_at: null };
  const unknown = { ...nothing, status: 'not_found', message: expect.stringMatching(/\S/) };
  expect(await asJson(`/${slug}`)).toMatchObject({ status: 404, body: { slug, ...unknown } });
  for (const path of ['/%00', '/%ff', '/%', '/a/b', `/${'a'.repeat(5_000)}`, '/<script>', '/__proto__'])
    expect(await asJson(path)).toMatchObject({ status: 404, body: unknown });
});

describe('a preview', () => {
  test('shows where an active link leads, as text and not as a link, with the age of the scan', async () => {
    const answer = await page(`/${active.slug}+`);
    expectPage(answer, 200);
    const words = answer.text
      .replace(/<wbr>|&#8203;|\u200b/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&#x2F;', '/');
    expect(words.replace(/\s+/g, '')).toContain(DESTINATION);
    expect(answer.text).not.toMatch(/<a [^>]*href=["']?https:\/\/www\.wikipedia\.org/i);
    expect(words).toMatch(/\bago\b/);
  });

  test('has a JSON form with the destination and the time of the scan', async () => {
    const { status, body } = await asJson(`/${active.slug}+`);
    expect(status).toBe(200);
    expect(body).toEqual({
      slug: active.slug,
      status: 'active',
      threat_type: null,
      destination_url: DESTINATION,
      revoked_at: null,
      scanned_at: expect.stringMatching(ISO_TIME),
      message: expect.stringMatching(/\S/),
    });
    expect(Math.abs(Date.parse(body.scanned_at) - Date.parse(active.created_at))).toBeLessThan(5_000);
  });
});
