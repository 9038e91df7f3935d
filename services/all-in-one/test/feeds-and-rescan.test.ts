/** Threat feeds, their effect on existing links, and the review of a flagged link. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { pause } from '@waypost/test-support';
import { product } from './product.ts';
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
} from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const { waypost, api, newClient } = product({ OWN_HOSTS: 'own.example.org' });

const newUrl = () => `https://${freshHost('bad')}/x`;
const create = (destination_url: string) => newLink(api, { destination_url });
const get = async (slug: string): Promise<Json> => (await api('GET', `/api/v1/links/${slug}`)).body;
const becomes = (slug: string, status: string) => comesTo(() => get(slug), { status });
const verdict = async (url: string): Promise<Json> =>
  (await apiClient(waypost.internal)('POST', '/scan', { urls: [url] })).body.verdicts[0];
const review = (slug: string, decision: string, reason = 'looked at it') =>
  waypost.admin<Json>('review', { slug, decision, reason });

describe('import-feed', () => {
  const [good, goodName] = [newUrl(), freshSlug('feed')];
  beforeAll(() => importFeed(waypost, good, { name: goodName }));

  const FORMATS: Record<string, (hosts: string[]) => string> = {
    urls: ([a, b]) => `# a list\nhttp://${a}/x\n\nhttps://${b}/y?z=1 \r\n`,
    hosts: ([a, b]) => `# a hosts file\n127.0.0.1 localhost\n::1 localhost\n0.0.0.0 ${a} # why\n${b}\n`,
    'urlhaus-csv': ([a, b]) =>
      [
        '################################################################',
        '# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter',
        `"1","2026-11-20 01:02:03","http://${a}/x","online","2026-11-20 01:02:03","malware_download","elf,""x""","https://urlhaus.abuse.ch/url/1/","someone"`,
        `"2","2026-11-20 01:02:03","https://${b}/y?z=1","offline","2026-11-20 01:02:03","malware_download","None","https://urlhaus.abuse.ch/url/2/","someone"`,
        '',
      ].join('\r\n'),
    adblock: ([a, b]) => `[Adblock Plus 2.0]\n! Title: a list\n||${a}^\n||${b}^$document,popup\n`,
  };

  test.each(Object.keys(FORMATS))('reads %s, and reports what it read', async (format) => {
    const hosts = [freshHost(), freshHost()];
    const name = freshSlug('feed');
    for (const host of hosts) expect((await verdict(`https://${host}/`)).outcome).toBe('clean');
    const result = await importFeed(waypost, FORMATS[format]!(hosts), { name, format, threatType: 'phishing' });
    expect(result).toEqual({ name, entries: 2, rejected: 0, generation: expect.stringMatching(/\S/) });
    expect(await verdict(`http://${hosts[0]}/x`)).toMatchObject({ outcome: 'flagged', threat_type: 'phishing' });
    expect(await verdict(`https://${hosts[1]}/y?z=1`)).toMatchObject({ outcome: 'flagged', threat_type: 'phishing' });
  });

  test('decides verdicts once it answers: the next creation is flagged, by the generation that the answer named', async () => {
    const url = newUrl();
    const { generation } = await importFeed(waypost, url);
    expect((await newLink(api, { destination_url: url })).status).toBe('flagged');
    expect((await apiClient(waypost.internal)('POST', '/scan', { urls: [url] })).body.generation).toBe(generation);
  });

  test('replaces the feed of the same name, and no other', async () => {
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

  test('counts lines that do not parse as rejected, up to 2 %', async () => {
    const urls = times(98, newUrl);
    const result = await importFeed(waypost, ['not a url', 'http://', ...urls].join('\n'));
    expect(result).toMatchObject({ entries: 98, rejected: 2 });
    expect((await verdict(urls[50]!)).outcome).toBe('flagged');
  });

  test.each<[string, () => string, RegExp]>([
    [
      'more than 2 % of broken lines',
      () => ['garbage line here', '<html>', ...times(97, newUrl)].join('\n').replace(/$/, '\n%%%'),
      /garbage line here/,
    ],
    ['nothing', () => '', /\S/],
    ['a most-visited host', () => `${newUrl()}\nhttps://www.google.com/\n`, /google\.com/],
    ['a host of our own', () => `${newUrl()}\nhttps://own.example.org/\n`, /own\.example\.org/],
  ])('refuses a file with %s and reports why; the feed does not change', async (_what, text, names) => {
    const before = await waypost.admin<Json[]>('feeds');
    const bad = text();
    await expect(importFeed(waypost, bad, { name: goodName })).rejects.toThrow(names);
    expect((await verdict(good)).outcome).toBe('flagged');
    expect((await verdict('https://www.google.com/')).outcome).toBe('clean');
    const fresh = bad.match(/https:\/\/bad\S+/)?.[0];
    if (fresh !== undefined) expect((await verdict(fresh)).outcome).toBe('clean');
    const entries = (feeds: Json[]) => feeds.map(({ name, entries, updated_at }) => ({ name, entries, updated_at }));
    expect(entries(await waypost.admin<Json[]>('feeds'))).toEqual(entries(before));
  });

  test.each([[{ format: 'csv' }], [{ format: '' }], [{ threatType: 'virus' }], [{ threatType: '' }], [{ name: '' }]])(
    'refuses the options %j',
    async (options) => {
      await expect(importFeed(waypost, newUrl(), options)).rejects.toThrow(/\S/);
    },
  );
});

describe('a newly listed destination', () => {
  const urlOn = (host: string) => (i: number) => ({ destination_url: `https://${host}/${i}` });

  test('flags its active links within 60 s and stops their redirect; other and revoked links do not change', async () => {
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

  test('flags links of many accounts in one import, and each once', async () => {
    const host = freshHost('many');
    const clients = await Promise.all(times(4, () => newClient()));
    await Promise.all(clients.map((client) => newSlugs(client, 50, urlOn(host))));
    await importFeed(waypost, `${host}\n`, { format: 'hosts' });
    for (const client of clients)
      await comesTo(async () => (await client('GET', '/api/v1/links?status=flagged')).body.total, 50);
  });

  test('leaves links that are revoked meanwhile as their owners were answered: revoked, or flagged', async () => {
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
    const made: Promise<Json>[] = times(20, (i) => create(`https://${host}/${i}`));
    await importFeed(waypost, `${host}\n`, { format: 'hosts' });
    made.push(...times(10, (i) => create(`https://${host}/later${i}`)));
    for (const { slug } of await Promise.all(made))
      expect((await becomes(slug, 'flagged')).threat_type).toBe('malware');
  });

  test('is never missed for a link that was created, or cleared, just before the import', async () => {
    for (let round = 0; round < 5; round++) {
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

describe('a review', () => {
  async function flaggedLink(threatType = 'malware') {
    const name = freshSlug('feed');
    const url = newUrl();
    await importFeed(waypost, url, { name, threatType });
    return { name, url, link: await create(url) };
  }

  test('that clears makes the link active and its redirect work', async () => {
    const { url, link } = await flaggedLink();
    expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(403);
    const cleared = await review(link.slug, 'clear');
    expect(cleared).toEqual(anyLink({ ...link, status: 'active', threat_type: null, updated_at: cleared.updated_at }));
    expect(cleared.updated_at > link.updated_at).toBe(true);
    expect(await get(link.slug)).toEqual(cleared);
    const visited = await comesTo(() => visit(waypost.redirect, `/${link.slug}`), { status: 302 }, 5_000);
    expect(visited.headers.location).toBe(url);
    expect((await api('POST', `/api/v1/links/${link.slug}/revoke`)).body.status).toBe('revoked');
  });

  test('that keeps changes nothing', async () => {
    const { link } = await flaggedLink();
    expect(await review(link.slug, 'keep')).toEqual(link);
    expect(await get(link.slug)).toEqual(link);
    expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(403);
    expect((await review(link.slug, 'clear')).status).toBe('active');
  });

  test('that cleared applies to the same evidence, and not to another source', async () => {
    const { name, url, link } = await flaggedLink('phishing');
    await review(link.slug, 'clear');
    // The same feed again, with one more entry whose effect shows that the re-scan has run.
    const marker = newUrl();
    const marked = await create(marker);
    await importFeed(waypost, `${url}\n${marker}`, { name, threatType: 'phishing' });
    await becomes(marked.slug, 'flagged');
    expect((await get(link.slug)).status).toBe('active');
    expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(302);
    await importFeed(waypost, url, { threatType: 'malware' });
    expect(await becomes(link.slug, 'flagged')).toMatchObject({ status: 'flagged', threat_type: 'malware' });
  });

  test('that cleared no longer counts when another source flags the link as something less severe', async () => {
    const { url, link } = await flaggedLink('malware');
    await review(link.slug, 'clear');
    await importFeed(waypost, url, { threatType: 'spam' });
    expect(await becomes(link.slug, 'flagged')).toMatchObject({ status: 'flagged', threat_type: 'spam' });
  });

  test('that cleared a link flagged by a re-scan applies too', async () => {
    const [url, marker] = [newUrl(), newUrl()];
    const [link, marked] = [await create(url), await create(marker)];
    const name = freshSlug('feed');
    await importFeed(waypost, url, { name });
    await becomes(link.slug, 'flagged');
    await review(link.slug, 'clear');
    await importFeed(waypost, `${url}\n${marker}`, { name });
    await becomes(marked.slug, 'flagged');
    expect((await get(link.slug)).status).toBe('active');
  });

  test('that cleared one link clears no other to the same destination', async () => {
    const { url, link } = await flaggedLink();
    await review(link.slug, 'clear');
    expect((await create(url)).status).toBe('flagged');
  });

  test.each(['active', 'revoked'])('of a link that is %s is an error, and changes nothing', async (status) => {
    const { slug } = await create(DESTINATION);
    if (status === 'revoked') await api('POST', `/api/v1/links/${slug}/revoke`);
    const before = await get(slug);
    for (const decision of ['clear', 'keep']) await expect(review(slug, decision)).rejects.toThrow(/\S/);
    expect(await get(slug)).toEqual(before);
  });

  test('of a missing link, with another decision or without a reason is an error', async () => {
    const { link } = await flaggedLink();
    await expect(review(freshSlug(), 'clear')).rejects.toThrow(/\S/);
    await expect(review(link.slug, 'delete')).rejects.toThrow(/\S/);
    await expect(review(link.slug, 'clear', ' ')).rejects.toThrow(/\S/);
    expect((await get(link.slug)).status).toBe('flagged');
  });

  test('sent ten times at once clears once', async () => {
    const { link } = await flaggedLink();
    const made = await Promise.allSettled(times(10, () => review(link.slug, 'clear')));
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await get(link.slug)).status).toBe('active');
  });
});

test('feeds and verdicts survive a restart', async () => {
  const url = newUrl();
  await importFeed(waypost, url);
  const cleared = await create(url);
  await review(cleared.slug, 'clear');
  const before = await waypost.admin<Json[]>('feeds');
  await waypost.restart();
  expect((await verdict(url)).outcome).toBe('flagged');
  expect(await waypost.admin<Json[]>('feeds')).toEqual(before);
  expect((await get(cleared.slug)).status).toBe('active');
});
