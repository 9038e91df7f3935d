import { describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { anyLink, DESTINATION, expectError, freshSlug, listedUrl, newLink, sendRaw, statusesIn } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, api, apiKey, newClient } = product();

test('GET returns the Link as it was created', async () => {
  const link = await newLink(api, { tags: ['a', 'b'] });
  const { status, headers, body } = await api('GET', `/api/v1/links/${link.slug}`);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^application\/json/);
  expect(body).toEqual(link);
  expect(body).toEqual(anyLink({ destination_url: DESTINATION, tags: ['a', 'b'] }));
});

test("GET hides another account's link: the answer is that for a missing link", async () => {
  const { slug } = await newLink(await newClient());
  const theirs = await api('GET', `/api/v1/links/${slug}`);
  const missing = await api('GET', `/api/v1/links/${freshSlug()}`);
  expectError(theirs, 404);
  expectError(missing, 404);
  expect(theirs.body.message.replace(slug, '')).toBe(missing.body.message.replace(/t-[0-9a-f]{12}/, ''));
  expectError(await (await newClient('admin'))('GET', `/api/v1/links/${slug}`), 404);
});

test.each(['ab', 'a'.repeat(8_000), '%00', '%ff%fe', '%', 'a%2Fb', '..%2f..', '%E2%80%AE', '__proto__', 'abc+'])(
  'GET answers 404 to the odd slug %s',
  async (slug) => {
    expectError(await api('GET', `/api/v1/links/${slug}`), 404);
  },
);

test.each(['fields', '__proto__'])(
  'GET refuses the parameter %s before it looks for the link, and names it',
  async (name) => {
    expectError(await api('GET', `/api/v1/links/${freshSlug()}?${name}=1`), 400, [name]);
  },
);

test('HEAD answers like GET, without the body', async () => {
  const { slug } = await newLink(api);
  const received = await sendRaw(
    waypost.api,
    `HEAD /api/v1/links/${slug} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey()}\r\nConnection: close\r\n\r\n`,
  );
  expect(statusesIn(received)).toEqual([200]);
  expect(received.split('\r\n\r\n')[1]).toBe('');
});

describe('GET /links/:slug/scan', () => {
  const scanOf = (slug: string, client = api) => client('GET', `/api/v1/links/${slug}/scan`);

  test('of a clean link says when it was scanned, with which data, and that it found nothing', async () => {
    const { slug, created_at } = await newLink(api);
    expect((await scanOf(slug)).body).toEqual({
      scanned_at: created_at,
      generation: expect.stringMatching(/\S/),
      outcome: 'clean',
      threat_type: null,
      reasons: [],
      history: [],
    });
  });

  test('of a flagged link names the feed and its match, then the decision of an administrator', async () => {
    const url = await listedUrl(waypost, 'scam');
    const { slug, created_at } = await newLink(api, { destination_url: url });
    const { body: flagged } = await scanOf(slug);
    const entry = {
      at: created_at,
      source: 'scan',
      outcome: 'flagged',
      threat_type: 'scam',
      reasons: flagged.reasons,
      generation: flagged.generation,
    };
    expect(flagged.reasons).toContainEqual({
      rule: expect.stringMatching(/^feed:/),
      evidence: expect.stringContaining(new URL(url).host),
    });
    expect(flagged).toEqual({
      scanned_at: created_at,
      generation: expect.stringMatching(/\S/),
      outcome: 'flagged',
      threat_type: 'scam',
      reasons: entry.reasons,
      history: [entry],
    });
    await waypost.admin('take-down', { slug, 'threat-type': 'phishing', reason: 'Copies a bank.' });
    const { body: taken } = await scanOf(slug);
    expect(taken).toMatchObject({
      outcome: 'flagged',
      threat_type: 'phishing',
      reasons: [{ rule: 'take-down', evidence: 'Copies a bank.' }, ...entry.reasons],
    });
    const review = (decision: string) => waypost.admin('review', { slug, decision, reason: 'For ourselves.' });
    await review('keep');
    expect((await scanOf(slug)).body).toMatchObject({ outcome: 'flagged', reasons: taken.reasons });
    await review('clear');
    const { body: cleared } = await scanOf(slug);
    expect(cleared).toMatchObject({ outcome: 'clean', threat_type: null, reasons: [] });
    expect(cleared.history.map(({ source, outcome }: Json) => `${source} ${outcome}`)).toEqual([
      'review cleared',
      'review kept',
      'take_down flagged',
      'scan flagged',
    ]);
    expect(JSON.stringify(cleared)).not.toContain('For ourselves.');
  });

  test('of a suspicious link shows the note, while the link works', async () => {
    const { slug, status } = await newLink(api, { destination_url: 'https://bit.ly/3xYz' });
    expect(status).toBe('active');
    const { body } = await scanOf(slug);
    expect(body).toMatchObject({ outcome: 'warned', history: [{ source: 'scan', outcome: 'warned' }] });
    expect(body.reasons).toEqual(body.history[0].reasons);
  });

  test("of another account's link is a 404, as that of a missing link is", async () => {
    const { slug } = await newLink(api);
    expectError(await scanOf(slug, await newClient()), 404);
    expectError(await scanOf(freshSlug()), 404);
    expectError(await scanOf('%00'), 404);
    expectError(await api('GET', `/api/v1/links/${slug}/scan?x=1`), 400, ['x']);
  });
});
