import { describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { anyLink, DESTINATION, expectError, freshSlug, GENERATED_SLUG, listedUrl, times, visit } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, api, newClient, total } = product();

const bulk = (links: unknown, more: Json = {}) => api('POST', '/api/v1/links/bulk', { links, ...more });
const rows = (count: number) => times(count, (i) => ({ destination_url: `https://www.iana.org/${i}` }) as Json);

describe('a batch', () => {
  test('gets 201 and every link, in the order and shape of its row, with their number', async () => {
    const slug = freshSlug();
    const { status, body } = await bulk([
      { destination_url: 'https://www.iana.org/a', tags: ['x'] },
      { destination_url: 'https://www.iana.org/b', custom_slug: slug },
      { destination_url: 'https://www.iana.org/a', custom_slug: null, tags: null },
    ]);
    expect(status).toBe(201);
    expect(body.total_created).toBe(3);
    expect(body).not.toHaveProperty('warnings');
    const generated = expect.stringMatching(GENERATED_SLUG);
    expect(body.links.map(({ link }: Json) => link)).toEqual([
      anyLink({ destination_url: 'https://www.iana.org/a', tags: ['x'], slug: generated }),
      anyLink({ destination_url: 'https://www.iana.org/b', slug }),
      anyLink({ destination_url: 'https://www.iana.org/a', slug: generated }),
    ]);
    for (const created of body.links) {
      expect(Object.keys(created).sort()).toEqual(['link', 'short_url']);
      expect(created.short_url.endsWith(`/${created.link.slug}`)).toBe(true);
      expect(await visit(waypost.redirect, `/${created.link.slug}`)).toMatchObject({
        status: 302,
        headers: { location: created.link.destination_url },
      });
    }
  });

  test('may have 500 links', async () => {
    const before = await total();
    const { status, body } = await bulk(rows(500));
    expect([status, body.total_created]).toEqual([201, 500]);
    const urls = body.links.map(({ link: { destination_url } }: Json) => ({ destination_url }));
    expect(urls).toEqual(rows(500));
    expect(await total()).toBe(before + 500);
  });

  test('warns about each flagged link, and creates all links', async () => {
    const [first, second] = [await listedUrl(waypost, 'scam'), await listedUrl(waypost, 'phishing')];
    const { status, body } = await bulk([
      { destination_url: DESTINATION },
      { destination_url: first },
      { destination_url: DESTINATION },
      { destination_url: second },
    ]);
    expect([status, body.total_created]).toEqual([201, 4]);
    const links = body.links.map(({ link }: Json) => link);
    expect(links.map(({ status, threat_type }: Json) => [status, threat_type])).toEqual([
      ['active', null],
      ['flagged', 'scam'],
      ['active', null],
      ['flagged', 'phishing'],
    ]);
    expect(body.warnings).toEqual([
      { slug: links[1].slug, destination_url: first, threat_type: 'scam', message: expect.stringMatching(/\S/) },
      { slug: links[3].slug, destination_url: second, threat_type: 'phishing', message: expect.stringMatching(/\S/) },
    ]);
    for (const [i, status] of [302, 403, 302, 403].entries()) {
      expect((await visit(waypost.redirect, `/${links[i].slug}`)).status).toBe(status);
    }
  });
});

describe('all or nothing', () => {
  async function createsNothing(send: () => Promise<Json>): Promise<Json> {
    const before = await total();
    const answer = await send();
    expect(await total()).toBe(before);
    const next = await api('POST', '/api/v1/links', { destination_url: DESTINATION });
    expect(next.status).toBe(201);
    expect(Number(next.headers.get('x-ratelimit-used'))).toBe(Number(answer.headers.get('x-ratelimit-used')) + 1);
    return answer;
  }

  test.each([
    ['no rows', []],
    ['501 rows', rows(501)],
    ['missing', undefined],
  ])('refuses links that are %s', async (_what, links) => {
    expectError(await createsNothing(() => bulk(links)), 400, ['links']);
  });

  test('names every bad field of every bad row, and an unknown field beside links', async () => {
    const body = `{"dry_run":true,"links":[
      {"destination_url":"${DESTINATION}","colour":1},
      {"destination_url":"${DESTINATION}"},
      {"destination_url":"","custom_slug":"-","tags":["a"]},
      {"custom_slug":"api","tags":"a","constructor":1,"__proto__":{}}]}`;
    expectError(await createsNothing(() => api('POST', '/api/v1/links/bulk', body)), 400, [
      'dry_run',
      'links[0].colour',
      'links[2].custom_slug',
      'links[2].destination_url',
      'links[3].__proto__',
      'links[3].constructor',
      'links[3].custom_slug',
      'links[3].destination_url',
      'links[3].tags',
    ]);
  });

  test('is a conflict that names all taken slugs, of every account', async () => {
    const [mine, theirs, free] = [freshSlug(), freshSlug(), freshSlug()];
    const other = await newClient();
    await api('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: mine });
    await other('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: theirs });
    const answer = await createsNothing(() =>
      bulk([free, mine, theirs].map((custom_slug) => ({ destination_url: DESTINATION, custom_slug }))),
    );
    expectError(answer, 409);
    expect([...answer.body.details.taken_slugs].sort()).toEqual([mine, theirs].sort());
    expect((await api('GET', `/api/v1/links/${free}`)).status).toBe(404);
    const beside = [{ destination_url: DESTINATION, custom_slug: mine }, { destination_url: 'x' }];
    expectError(await bulk(beside), 400, ['links[1].destination_url']);
  });
});

describe('the quota of an account', () => {
  test('refuses a batch that exceeds it as a whole, accepts one that fits, and names a taken slug first', async () => {
    const own = await newClient('read,write', { limit: 10 });
    const custom_slug = freshSlug();
    const send = (links: Json[]) => own('POST', '/api/v1/links/bulk', { links });
    const never = await send(rows(11));
    expectError(never, 400);
    expect(never.headers.get('retry-after')).toBeNull();
    expect((await send([...rows(6), { destination_url: DESTINATION, custom_slug }])).status).toBe(201);
    const answer = await send(rows(4));
    expectError(answer, 429);
    expect(answer.headers.get('x-ratelimit-used')).toBe('7');
    expectError(await send([...rows(4), { destination_url: DESTINATION, custom_slug }]), 409);
    expect((await send(rows(3))).status).toBe(201);
    expect((await own('GET', '/api/v1/links')).body.total).toBe(10);
  });
});
