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
const FIELDS = ['destination_url', 'message', 'revoked_at', 'scanned_at', 'slug', 'status', 'threat_type'];

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

describe.each<[state: string, status: number, link: () => Json, destination: () => string]>([
  ['revoked', 410, () => revoked, () => 'secret-of-the-revoked'],
  ['flagged', 403, () => flagged, () => new URL(flagged.destination_url).host],
])('a %s link', (state, expected, link, destination) => {
  const paths = () => [`/${link().slug}`, `/${link().slug}+`];

  test('has an explaining page, also for its preview, and no way to continue', async () => {
    for (const path of paths()) {
      const answer = await page(path);
      expectPage(answer, expected);
      expect(answer.text).not.toContain(destination());
    }
  });

  test('has a JSON form with its threat type, if it has one, and without its destination', async () => {
    const { slug, threat_type, revoked_at } = link();
    for (const path of paths()) {
      const { status, body } = await asJson(path);
      expect([status, Object.keys(body).sort()]).toEqual([expected, FIELDS]);
      const message = expect.stringMatching(/\S/);
      expect(body).toMatchObject({ slug, status: state, threat_type, destination_url: null, revoked_at, message });
    }
  });
});

describe('an unknown slug', () => {
  test('has a 404 page that repeats no markup', async () => {
    const slug = freshSlug();
    expectPage(await page(`/${slug}`), 404);
    expectPage(await page(`/${slug}+`), 404);
    const answer = await page('/%3Cscript%3Ealert(1)%3C%2Fscript%3E');
    expectPage(answer, 404);
    expect(answer.text).not.toContain('<script>alert');
  });

  test('has a JSON form that names what was requested', async () => {
    const slug = freshSlug();
    const { status, body } = await asJson(`/${slug}`);
    expect(status).toBe(404);
    expect(body).toEqual({
      slug,
      status: 'not_found',
      threat_type: null,
      destination_url: null,
      revoked_at: null,
      scanned_at: null,
      message: expect.stringMatching(/\S/),
    });
  });

  test.each(['/%00', '/%ff', '/%', '/a/b', `/${'a'.repeat(5_000)}`, '/<script>', '/__proto__'])(
    'in the odd form %s has a JSON form too',
    async (path) => {
      const { status, body } = await asJson(path);
      expect([status, body.status, Object.keys(body).sort()]).toEqual([404, 'not_found', FIELDS]);
    },
  );
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
    expect((await visit(waypost.redirect, `/${active.slug}+`, { method: 'HEAD' })).status).toBe(200);
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

  test.each(['https://www.wikipedia.org/"><script>alert(1)</script>', 'https://www.wikipedia.org/?a=1&lt;b=<u>&copy;'])(
    'shows %s as text',
    async (destination_url) => {
      const { slug } = await newLink(api, { destination_url });
      const { status, text, headers } = await page(`/${slug}+`);
      expect(status).toBe(200);
      expect(text).not.toMatch(/<script>alert|<u>|&copy;/);
      expect(headers['content-security-policy']).toMatch(/default-src 'none'/);
      expect((await asJson(`/${slug}+`)).body.destination_url).toBe(destination_url);
    },
  );
});
