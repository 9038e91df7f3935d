import { beforeAll, describe, expect, test } from '@jest/globals';
import { type ApiClient, ofOneProcess, product } from '../product.ts';
import {
  comesTo,
  expectError,
  freshSlug,
  ISO_TIME,
  listedUrl,
  newSlug,
  newSlugs,
  tally,
  times,
  visit,
} from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, api, newClient } = product();
let admin: ApiClient;
beforeAll(async () => {
  admin = await newClient('admin', { admin: true });
});

let addresses = 0;
/** Sends the form, by default from a new network each time. */
function file(fields: Record<string, string>, from = `10.1.${addresses >> 8}.${addresses++ & 255}`, headers = {}) {
  return fetch(`${waypost.api}/report`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'X-Forwarded-For': from, ...headers },
    body: new URLSearchParams(fields),
  });
}
const numberIn = (answer: Response) =>
  /^\/report\/([\w]{7}-[\w]{7})\?lang=en$/.exec(answer.headers.get('location') ?? '')?.[1];
const report = { about: 'report', category: 'phishing', message: '' };
const casesAbout = async (slug: string): Promise<Json[]> =>
  (await admin('GET', `/api/v1/admin/cases?about=${slug}`)).body.data;
const decide = (number: string, body: Json) => admin('POST', `/api/v1/admin/cases/${number}/decision`, body);

function expectPage(response: Response, text: string): void {
  expect(response.headers.get('content-type')).toMatch(/^text\/html/);
  expect(response.headers.get('content-security-policy')?.replace(/'sha256-[^']+'/, 'HASH')).toBe(
    "default-src 'none'; style-src HASH; img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  );
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|<img|undefined|\[object/);
  expect(Buffer.byteLength(text)).toBeLessThan(15_000);
}

describe('the form', () => {
  test.each(['en', 'ja', 'ar'])('is a page without script in %s', async (lang) => {
    for (const about of ['report', 'review']) {
      const response = await fetch(`${waypost.api}/report?link=abcdefg&about=${about}&lang=${lang}`);
      const text = await response.text();
      expect(response.status).toBe(200);
      expectPage(response, text);
      expect(text).toContain(`<html lang="${lang}" dir="${lang === 'ar' ? 'rtl' : 'ltr'}">`);
      expect(text).toContain('name="link" value="abcdefg"');
      expect(text.includes('<select')).toBe(about === 'report');
    }
  });

  test('uses the language of the browser, and shows its address as plain text', async () => {
    const french = await fetch(`${waypost.api}/report`, { headers: { 'Accept-Language': 'xx, fr-CA;q=0.9' } });
    expect(await french.text()).toContain('Signaler un lien');
    const hostile = encodeURIComponent('"><script>alert(1)</script>');
    const response = await fetch(
      `${waypost.api}/report?link=${hostile}&link=${hostile}&about=${hostile}&lang=${hostile}`,
    );
    expectPage(response, await response.text());
    const one = await fetch(`${waypost.api}/report?link=${hostile.repeat(50)}&lang=toString`);
    expectPage(one, await one.text());
    expectError(await apiClient(waypost.api)('PUT', '/report'), 405);
  });
});

describe('a report', () => {
  test('gets a number for later questions, and takes the link down if it is upheld', async () => {
    const slug = await newSlug(api);
    const filed = await file({
      ...report,
      link: `http://localhost:${new URL(waypost.redirect).port}/${slug}+`,
      message: '<b>It</b>\r\nlies.',
    });
    expect(filed.status).toBe(303);
    const number = numberIn(filed)!;
    const seen = async () => {
      const response = await fetch(`${waypost.api}/report/${number}`);
      const text = await response.text();
      expectPage(response, text);
      expect(text).toContain(number);
      expect(text).not.toContain('lies');
      return text;
    };
    expect(await seen()).toContain('Open: nobody has decided yet.');
    expect(await casesAbout(slug)).toEqual([
      {
        number,
        kind: 'report',
        slug,
        category: 'phishing',
        message: '<b>It</b>\nlies.',
        by_owner: false,
        state: 'open',
        reason: null,
        created_at: expect.stringMatching(ISO_TIME),
        decided_at: null,
        url: expect.stringMatching(new RegExp(`/report/${number}$`)),
      },
    ]);
    const decided = await decide(number, { decision: 'upheld', reason: 'It <i>does</i>.' });
    expect(decided.body).toMatchObject({ state: 'upheld', decided_at: expect.stringMatching(ISO_TIME) });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
    expect((await api('GET', `/api/v1/links/${slug}`)).body).toMatchObject({
      threat_type: 'phishing',
      take_down_reason: 'It <i>does</i>.',
    });
    expect(await seen()).toContain('It &lt;i&gt;does&lt;/i&gt;.');
    expectError(await decide(number, { decision: 'dismissed', reason: 'x' }), 400);
    const log = (await admin('GET', `/api/v1/admin/audit?subject=${number}`)).body.data;
    expect(log.map(({ action, outcome, detail }: Json) => [action, outcome, detail])).toEqual([
      ['case.decided', 'refused', expect.stringContaining('already decided')],
      ['case.decided', 'done', `report of ${slug} upheld: It <i>does</i>.`],
    ]);
  });

  test('that is dismissed changes nothing, and one about a revoked link is decided, too', async () => {
    const [active, revoked] = [await newSlug(api), await newSlug(api)];
    await api('POST', `/api/v1/links/${revoked}/revoke`);
    const [one, two] = [await file({ ...report, link: active }), await file({ ...report, link: revoked })];
    expect((await decide(numberIn(one)!, { decision: 'dismissed', reason: 'Harmless.' })).body.state).toBe('dismissed');
    expect((await visit(waypost.redirect, `/${active}`)).status).toBe(302);
    const upheld = await decide(numberIn(two)!, { decision: 'upheld', reason: 'Gone already.', threat_type: 'spam' });
    expect(upheld.body.state).toBe('upheld');
    expect((await visit(waypost.redirect, `/${revoked}`)).status).toBe(410);
  });

  test('with a tab or a text direction mark is filed, and one with other control characters is told so', async () => {
    const slug = await newSlug(api);
    const filing = (message: string) => file({ ...report, link: slug, message, lang: 'en' });
    const answers = [await filing('a\u0001b'), await filing('a\u0007b'), await filing('x'.repeat(1_001))];
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    const unsafe = 'must not contain control characters';
    expect(texts.map((text) => [text.includes(unsafe), text.includes('too long')])).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect((await filing('a\tb\rc\u202ed')).status).toBe(303);
    expect(await casesAbout(slug)).toMatchObject([{ message: 'a b\nc\u202ed' }]);
  });

  test('finds the link however its address was copied', async () => {
    const slug = await newSlug(api);
    const host = `localhost:${new URL(waypost.redirect).port}`;
    const copied = [
      slug,
      ` /${slug}+ `,
      `${host}/${slug}`,
      `http://${host}//${slug}.`,
      `HTTP://${host}/${slug}%29?a=/b`,
    ];
    for (const link of copied) {
      const number = numberIn(await file({ ...report, link }));
      expect([link, (await casesAbout(slug))[0]?.number]).toEqual([link, number]);
    }
  });

  test('that is incomplete comes back as a form with its text', async () => {
    const slug = await newSlug(api);
    const wrong: [fields: Record<string, string>, status: number][] = [
      [{ ...report, link: '' }, 400],
      [{ ...report, link: freshSlug() }, 404],
      [{ ...report, link: `https://elsewhere.example/${slug}` }, 404],
      [{ ...report, link: `elsewhere.example/${slug}` }, 404],
      [{ ...report, link: slug, category: '__proto__' }, 400],
      [{ ...report, link: '"'.repeat(1_500), message: '"'.repeat(2_000) }, 400],
      [{ ...report, link: slug, message: 'a\u0000b' }, 400],
      [{ ...report, link: slug, website: 'https://spam.example' }, 400],
      [{ about: 'review', link: slug, message: 'why' }, 400],
      [{ about: 'review', link: slug, message: ' ' }, 400],
    ];
    for (const [fields, status] of wrong) {
      const response = await file({ ...fields, lang: 'en' });
      const text = await response.text();
      expect([fields, response.status]).toEqual([fields, status]);
      expectPage(response, text);
      expect(text).toContain('role="alert"');
    }
    expect(await casesAbout(slug)).toEqual([]);
    const form = await (await file({ ...report, link: slug, category: '', message: '</textarea>kept' })).text();
    expect(form).toContain('&lt;/textarea&gt;kept</textarea>');
  });

  test('must be small, a form, and from this site', async () => {
    const slug = await newSlug(api);
    const fields = { ...report, link: slug };
    expect((await file({ ...fields, message: 'x'.repeat(20_000) })).status).toBe(400);
    expect((await file(Object.fromEntries(times(50, (i) => [`f${i}`, 'x'])))).status).toBe(400);
    const json = { 'Content-Type': 'application/json' };
    expect((await fetch(`${waypost.api}/report`, { method: 'POST', headers: json, body: '{' })).status).toBe(400);
    expect((await file(fields, '10.2.0.1', { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403);
    expect((await file(fields, '10.2.0.1', { Origin: 'https://evil.example' })).status).toBe(403);
    expect(await casesAbout(slug)).toEqual([]);
  });

  test('is refused after ten an hour from one network; junk about a link closes the form for nobody else', async () => {
    const slugs = await newSlugs(api, 2);
    const flood = await Promise.all(times(15, (i) => file({ ...report, link: slugs[0]! }, `2001:db8:1:2::${i + 1}`)));
    expect(tally(flood)).toEqual({ 303: 10, 429: 5 });
    const waits = flood.filter(({ status }) => status === 429).map(({ headers }) => Number(headers.get('Retry-After')));
    for (const seconds of waits) expect(Math.abs(seconds - 3_595)).toBeLessThanOrEqual(5);
    expect((await file({ ...report, link: slugs[0]! }, '2001:db8:1:3::1')).status).toBe(303);
    const crowd = await Promise.all(times(30, () => file({ ...report, link: slugs[1]! })));
    expect(tally(crowd)).toEqual({ 303: 30 });
    const page = await admin('GET', `/api/v1/admin/cases?about=${slugs[1]}&limit=15`);
    expect([page.body.data.length, page.body.next]).toEqual([15, expect.stringMatching(/^\d+$/)]);
    const rest = await admin('GET', `/api/v1/admin/cases?about=${slugs[1]}&limit=15&before=${page.body.next}`);
    expect([rest.body.data.length, rest.body.next]).toEqual([5, null]);
  });
});

describe('a review', () => {
  const flagged = async () => newSlug(api, { destination_url: await listedUrl(waypost) });

  test('is the same however often the owner asks, and clears the flag if it is upheld', async () => {
    const slug = await flagged();
    const ask = (message: unknown) => api('POST', `/api/v1/links/${slug}/review-request`, { message });
    const answers = await Promise.all(times(5, () => ask('It is our shop.')));
    expect(tally(answers)).toEqual({ 200: 5 });
    const { body } = answers[0]!;
    expect(new Set(answers.map((answer) => answer.body.number)).size).toBe(1);
    expect(body).toMatchObject({ kind: 'review', slug, by_owner: true, state: 'open', message: 'It is our shop.' });
    const open = await admin('GET', '/api/v1/admin/cases?kind=review&state=open&limit=100');
    expect(open.body.data.map(({ number }: Json) => number)).toContain(body.number);
    expect((await decide(body.number, { decision: 'upheld', reason: 'It is.' })).status).toBe(200);
    expect((await api('GET', `/api/v1/links/${slug}`)).body).toMatchObject({ status: 'active', threat_type: null });
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
    expectError(await ask('again'), 400);
    const listed = async (client: typeof api) => (await client('GET', '/api/v1/review-requests?state=upheld')).body;
    const requests = { data: [{ number: body.number, slug, state: 'upheld', reason: 'It is.' }], next: null };
    expect(await listed(api)).toMatchObject(requests);
    expect(await listed(await newClient('read'))).toEqual({ data: [], next: null });
    for (const message of ['', 'a\nb', 'x'.repeat(1_001), 5]) expectError(await ask(message), 400, ['message']);
  });

  test('that a visitor asks for keeps the flag if it is dismissed', async () => {
    const slug = await flagged();
    const filed = await file({ about: 'review', link: slug, message: 'It is harmless.' });
    expect((await decide(numberIn(filed)!, { decision: 'dismissed', reason: 'It is not.' })).body.state).toBe(
      'dismissed',
    );
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(403);
    const page = await fetch(`${waypost.api}/report/${numberIn(filed)}?lang=de`);
    expect(await page.text()).toContain('Abgelehnt');
  });

  test.each([
    ['clear', 'upheld'],
    ['keep', 'dismissed'],
  ])('by slug with %s leaves the open requests %s, and the next request is a new case', async (decision, state) => {
    const slug = await flagged();
    const ask = async (message: string) =>
      (await api('POST', `/api/v1/links/${slug}/review-request`, { message })).body;
    const review = () => admin('POST', `/api/v1/admin/links/${slug}/review`, { decision, reason: 'It is <i>so</i>.' });
    const first = await ask('FIRST');
    await file({ about: 'review', link: slug, message: 'It is harmless.' });
    const reported = numberIn(await file({ ...report, link: slug }));
    expect((await review()).status).toBe(200);
    const cases = await casesAbout(slug);
    const states = cases.map(({ kind, state, reason }) => [kind, state, reason]);
    expect(states).toEqual([['report', 'open', null], ...times(2, () => ['review', state, 'It is <i>so</i>.'])]);
    const log = (await admin('GET', `/api/v1/admin/audit?subject=${first.number}`)).body.data;
    expect(log).toMatchObject([{ action: 'case.decided', detail: `review of ${slug} ${state}: It is <i>so</i>.` }]);
    const reviews = (await admin('GET', `/api/v1/admin/audit?subject=${slug}&action=link.reviewed`)).body.data;
    expect(reviews).toHaveLength(1);
    await admin('POST', `/api/v1/admin/links/${slug}/take-down`, { threat_type: 'scam', reason: 'Again.' });
    const second = await ask('SECOND');
    expect(second).toMatchObject({ message: 'SECOND', state: 'open' });
    expect([first.number, reported]).not.toContain(second.number);
  });

  test('of another account’s link cannot be asked for through the API', async () => {
    const slug = await flagged();
    const other = await newClient();
    expectError(await other('POST', `/api/v1/links/${slug}/review-request`, { message: 'x' }), 404);
    const reader = await newClient('read');
    expectError(await reader('POST', `/api/v1/links/${slug}/review-request`, { message: 'x' }), 403);
  });
});

ofOneProcess('the number of a case is in no log, because who knows it reads the case', async () => {
  const number = numberIn(await file({ ...report, link: await newSlug(api) }))!;
  expect((await fetch(`${waypost.api}/report/${number}`)).status).toBe(200);
  expect((await decide(number, { decision: 'dismissed', reason: 'Harmless.' })).status).toBe(200);
  await comesTo(() => waypost.output().includes('"path":"/api/v1/admin/cases/…"'), true);
  expect(waypost.output()).toContain('"path":"/report/…"');
  expect(waypost.output()).not.toContain(number);
});

test('a case that does not exist is 404, and only administrators see cases', async () => {
  for (const number of ['x', 'aaaaaaa-aaaaaaa', '%00', 'a'.repeat(5_000)]) {
    const page = await fetch(`${waypost.api}/report/${number}`);
    expect(page.status).toBe(404);
    expectPage(page, await page.text());
    expectError(await decide(number, { decision: 'upheld', reason: 'x' }), 404);
  }
  expectError(await decide('aaaaaaa-aaaaaaa', { decision: 'perhaps', reason: '' }), 400, ['decision', 'reason']);
  expectError(await api('GET', '/api/v1/admin/cases'), 403);
  expectError(await api('POST', '/api/v1/admin/cases/aaaaaaa-aaaaaaa/decision', {}), 403);
  for (const query of ['kind=x', 'state=x', 'about=', 'before=0', 'colour=red'])
    expectError(await admin('GET', `/api/v1/admin/cases?${query}`), 400, [query.split('=')[0]!]);
});

// services/redirector/test/pages.test.ts tests the link of each page in each language.
test('a visitor page leads to the form, in its language', async () => {
  const slug = await newSlug(api, { destination_url: await listedUrl(waypost) });
  const { text } = await visit(waypost.redirect, `/${slug}?lang=fr`);
  const reportUrl = new URL(/<a href="([^"]*\/report[^"]*)"/.exec(text)![1]!.replaceAll('&amp;', '&'));
  expect([...reportUrl.searchParams]).toEqual([
    ['link', slug],
    ['about', 'review'],
    ['lang', 'fr'],
  ]);
  const form = await fetch(`${waypost.api}${reportUrl.pathname}${reportUrl.search}`);
  expect(await form.text()).toContain(`<html lang="fr"`);
});
