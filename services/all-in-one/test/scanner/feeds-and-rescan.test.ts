import { describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from '../product.ts';
import {
  anyLink,
  comesTo,
  DESTINATION,
  eventually,
  expectError,
  freshHost,
  freshSlug,
  importFeed,
  newLink,
  newSlugs,
  times,
  visit,
} from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const OWN_HOST = 'go.example.org';
const { waypost, api, newClient } = product({ OWN_HOSTS: OWN_HOST });

const newUrl = () => `https://${freshHost('bad')}/x`;
const create = (destination_url: string) => newLink(api, { destination_url });
const get = async (slug: string): Promise<Json> => (await api('GET', `/api/v1/links/${slug}`)).body;
const becomes = (slug: string, status: string) => comesTo(() => get(slug), { status });
const verdict = async (url: string): Promise<Json> =>
  (await apiClient(waypost.internal)('POST', '/scan', { urls: [url] })).body.verdicts[0];
const review = (slug: string, decision: string, reason = 'looked at it') =>
  waypost.admin<Json>('review', { slug, decision, reason });

// formats.test.ts (services/scanner/src/threats/feeds) and import-feed.test.ts test what a file may contain.
describe('import-feed', () => {
  test('affects verdicts once it answers: the next creation is flagged', async () => {
    const [url, name] = [newUrl(), freshSlug('feed')];
    const report = await importFeed(waypost, `${url}\n`, { name });
    expect(report).toEqual({ name, entries: 1, rejected: 0, generation: expect.stringMatching(/\S/) });
    expect((await create(url)).status).toBe('flagged');
  });

  test('replaces only the feed of the same name', async () => {
    const [old, other, young] = [newUrl(), newUrl(), newUrl()];
    const name = freshSlug('feed');
    await importFeed(waypost, other);
    await importFeed(waypost, old, { name });
    expect((await verdict(old)).outcome).toBe('flagged');
    await importFeed(waypost, young, { name, threatType: 'scam' });
    expect((await verdict(old)).outcome).toBe('clean');
    expect(await verdict(young)).toMatchObject({ outcome: 'flagged', threat_type: 'scam' });
    expect((await verdict(other)).outcome).toBe('flagged');
    const feeds = await waypost.admin<Json[]>('feeds');
    expect(feeds.filter((feed) => feed.name === name)).toEqual([
      { name, entries: 1, updated_at: expect.stringMatching(/Z$/), last_error: null },
    ]);
  });

  test('refuses a file that would flag a popular host, says why, and changes nothing', async () => {
    const [good, bad, name] = [newUrl(), newUrl(), freshSlug('feed')];
    await importFeed(waypost, good, { name });
    await expect(importFeed(waypost, `${bad}\nhttps://www.google.com/\n`, { name })).rejects.toMatchObject({
      message: expect.stringContaining('lists 1 host that no feed may list'),
      details: { 'line 2': expect.stringContaining('google.com') },
    });
    for (const [url, outcome] of [
      [good, 'flagged'],
      [bad, 'clean'],
      ['https://www.google.com/', 'clean'],
    ] as const)
      expect((await verdict(url)).outcome).toBe(outcome);
    await expect(importFeed(waypost, bad, { format: 'csv' })).rejects.toThrow('format');
  });
});

describe('a newly listed destination', () => {
  const urlOn = (host: string) => (i: number) => ({ destination_url: `https://${host}/${i}` });

  test('flags its active links within 60 s and stops their redirect; other links do not change', async () => {
    const url = newUrl();
    const [first, second, revoked, other] = [
      await create(url),
      await create(`${url}?q`),
      await create(url),
      await create(DESTINATION),
    ];
    const gone = (await api('POST', `/api/v1/links/${revoked.slug}/revoke`)).body;
    for (const { slug } of [first, second]) expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    await pause(5);
    await importFeed(waypost, url, { threatType: 'phishing' });
    for (const link of [first, second]) {
      const now = await becomes(link.slug, 'flagged');
      expect(now).toEqual({ ...link, status: 'flagged', threat_type: 'phishing', updated_at: now.updated_at });
      expect(now.updated_at > link.updated_at).toBe(true);
      const visited = await comesTo(() => visit(waypost.redirect, `/${link.slug}`), { status: 403 }, 5_000);
      expect([visited.status, visited.headers.location]).toEqual([403, undefined]);
      expectError(await api('POST', `/api/v1/links/${link.slug}/revoke`), 400);
    }
    expect(await get(revoked.slug)).toEqual(gone);
    expect(await get(other.slug)).toEqual(other);
    expect((await visit(waypost.redirect, `/${other.slug}`)).status).toBe(302);
  });

  test('keeps the answered status of a link that is revoked meanwhile: revoked or flagged', async () => {
    const host = freshHost('revoke');
    const slugs = await newSlugs(api, 40, urlOn(host));
    const importing = importFeed(waypost, `${host}\n`, { format: 'hosts' });
    const expected: string[] = [];
    for (const slug of slugs) {
      const answer = await api('POST', `/api/v1/links/${slug}/revoke`);
      expect([200, 400]).toContain(answer.status);
      expected.push(answer.status === 200 ? 'revoked' : 'flagged');
      await pause(8);
    }
    await importing;
    const links = () => Promise.all(slugs.map(get));
    const last = await eventually(links, (all) => all.every(({ status }) => status !== 'active'), 60_000);
    expect(last.map(({ status }) => status)).toEqual(expected);
    for (const { status, threat_type } of last) expect(threat_type).toBe(status === 'flagged' ? 'malware' : null);
    const visits = await Promise.all(slugs.map((slug) => visit(waypost.redirect, `/${slug}`)));
    expect(visits.map(({ status }) => (status === 410 ? 'revoked' : status === 403 ? 'flagged' : status))).toEqual(
      expected,
    );
  });

  test('is never missed for a link that is created during the import', async () => {
    const host = freshHost('race');
    const creations: Promise<Json>[] = times(20, (i) => create(`https://${host}/${i}`));
    await importFeed(waypost, `${host}\n`, { format: 'hosts' });
    creations.push(...times(10, (i) => create(`https://${host}/later${i}`)));
    for (const { slug } of await Promise.all(creations))
      expect((await becomes(slug, 'flagged')).threat_type).toBe('malware');
  });

  test('is never missed for a link that was created or cleared just before the import', async () => {
    for (let round = 0; round < 3; round++) {
      const url = newUrl();
      const { slug } = await create(url);
      await importFeed(waypost, url);
      await becomes(slug, 'flagged');
      await review(slug, 'clear');
      await importFeed(waypost, url, { threatType: 'scam' });
      expect((await becomes(slug, 'flagged')).threat_type).toBe('scam');
    }
  });
});

describe('a listed short link', () => {
  const addressOf = (slug: string) => `${OWN_HOST}/${slug}`;

  test('is flagged and stops its redirect; its neighbours and a revoked link do not change', async () => {
    const destination_url = `https://${freshHost('plain')}/`;
    const [link, neighbour, revoked] = [
      await create(destination_url),
      await create(destination_url),
      await create(destination_url),
    ];
    const gone = (await api('POST', `/api/v1/links/${revoked.slug}/revoke`)).body;
    const name = freshSlug('feed');
    const lines = [`https://${addressOf(link.slug)}+?x`, addressOf(revoked.slug), newUrl()].join('\n');
    expect(await importFeed(waypost, lines, { name, threatType: 'scam' })).toMatchObject({ entries: 3, rejected: 0 });
    expect(await becomes(link.slug, 'flagged')).toMatchObject({ threat_type: 'scam' });
    await comesTo(() => visit(waypost.redirect, `/${link.slug}`), { status: 403 }, 5_000);
    expect(await get(revoked.slug)).toEqual(gone);
    expect(await get(neighbour.slug)).toEqual(neighbour);
    expect((await verdict(destination_url)).outcome).toBe('clean');
    expect((await api('GET', `/api/v1/links/${link.slug}/scan`)).body.reasons).toEqual([
      { rule: `feed:${name}`, evidence: 'names this short link itself' },
    ]);
  });

  test('stays cleared by a review, until another list names it', async () => {
    const link = await create(`https://${freshHost('plain')}/`);
    const name = freshSlug('feed');
    await importFeed(waypost, addressOf(link.slug), { name });
    await becomes(link.slug, 'flagged');
    await review(link.slug, 'clear');
    const marker = newUrl();
    const marked = await create(marker);
    await importFeed(waypost, `${addressOf(link.slug)}\n${marker}`, { name });
    await becomes(marked.slug, 'flagged');
    expect((await get(link.slug)).status).toBe('active');
    await importFeed(waypost, addressOf(link.slug), { threatType: 'spam' });
    expect(await becomes(link.slug, 'flagged')).toMatchObject({ threat_type: 'spam' });
  });
});

test('administrators and the doctor see which list names this service, and what a request for removal needs', async () => {
  const [link, name] = [await create(`https://${freshHost('plain')}/`), freshSlug('feed')];
  const admin = await newClient('admin', { admin: true });
  const feeds = async () => (await admin('GET', '/api/v1/admin/feeds')).body;
  const feed = async () => (await feeds()).data.find((each: Json) => each.name === name);
  await importFeed(waypost, `http://${OWN_HOST}/\nhttp://${OWN_HOST}/${link.slug}\nhttp://${OWN_HOST}/nobody7`, {
    name,
  });
  await becomes(link.slug, 'flagged');
  const { own_addresses, own_links, removal_url } = await feed();
  expect(own_addresses).toEqual([{ address: `${OWN_HOST}/`, since: expect.stringMatching(/Z$/) }]);
  expect(own_links).toEqual([
    { slug: link.slug, status: 'flagged', since: own_addresses[0].since, flagged_at: expect.stringMatching(/Z$/) },
  ]);
  expect(removal_url).toBeNull();
  const { listings } = (await feeds()).takedown_times;
  expect(listings.count).toBeGreaterThan(0);
  expect(listings.longest_seconds).toBeLessThan(60);
  const { checks } = await waypost.admin<{ checks: Json[] }>('doctor');
  expect(checks.find((check) => check.name === 'own_addresses')).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`${name} lists ${OWN_HOST}/ since`),
  });
  await importFeed(waypost, newUrl(), { name });
  expect(await feed()).toMatchObject({ own_addresses: [], own_links: [] });
});

describe('a review', () => {
  async function flaggedLink(threatType = 'malware') {
    const name = freshSlug('feed');
    const url = newUrl();
    await importFeed(waypost, url, { name, threatType });
    return { name, url, link: await create(url) };
  }

  test('that keeps the flag changes nothing; one that clears it makes the link active again', async () => {
    const { url, link } = await flaggedLink();
    expect(await review(link.slug, 'keep')).toEqual(link);
    expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(403);
    const cleared = await review(link.slug, 'clear');
    expect(cleared).toEqual(anyLink({ ...link, status: 'active', threat_type: null, updated_at: cleared.updated_at }));
    expect(cleared.updated_at > link.updated_at).toBe(true);
    expect(await get(link.slug)).toEqual(cleared);
    const visited = await comesTo(() => visit(waypost.redirect, `/${link.slug}`), { status: 302 }, 5_000);
    expect(visited.headers.location).toBe(url);
    expect((await api('POST', `/api/v1/links/${link.slug}/revoke`)).body.status).toBe('revoked');
  });

  test('that cleared a link holds for the same evidence, and not for another source', async () => {
    const { name, url, link } = await flaggedLink('phishing');
    await review(link.slug, 'clear');
    // The same feed has one more entry, whose effect shows that the re-scan has finished.
    const marker = newUrl();
    const marked = await create(marker);
    await importFeed(waypost, `${url}\n${marker}`, { name, threatType: 'phishing' });
    await becomes(marked.slug, 'flagged');
    expect((await get(link.slug)).status).toBe('active');
    expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(302);
    await importFeed(waypost, url, { threatType: 'spam' });
    expect(await becomes(link.slug, 'flagged')).toMatchObject({ status: 'flagged', threat_type: 'spam' });
  });

  test('of a missing link, with another decision, or without a reason is an error', async () => {
    const { link } = await flaggedLink();
    await expect(review(freshSlug(), 'clear')).rejects.toThrow(/\S/);
    await expect(review(link.slug, 'delete')).rejects.toThrow(/\S/);
    await expect(review(link.slug, 'clear', ' ')).rejects.toThrow(/\S/);
    expect((await get(link.slug)).status).toBe('flagged');
  });
});
