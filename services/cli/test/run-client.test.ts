import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { CREATED, fakeApi, KEY, LINK, refusal } from './fake-api.ts';

const api = fakeApi();
const folder = mkdtempSync(path.join(tmpdir(), 'waypost-cli-'));
afterAll(() => rmSync(folder, { recursive: true }));

const revoked = { ...LINK, status: 'revoked', revoked_at: '2026-11-21T13:00:00.000Z' };
const unavailable = { error: 'service_unavailable', message: 'The scanner is away.', status: 503, error_id: 'e-1' };

describe('create', () => {
  test('sends the given values, and shows the short URL, or with --json the exact answer of the API', async () => {
    api.reply({ status: 201, body: CREATED });
    const args = ['create', 'https://www.wikipedia.org/', '--slug', 'wiki', '--tag', 'a', '--tag', 'b'];
    const { code, stdout, stderr } = await api.run(args);
    expect(api.seen).toMatchObject([
      {
        method: 'POST',
        url: '/api/v1/links',
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
        body: { destination_url: 'https://www.wikipedia.org/', custom_slug: 'wiki', tags: ['a', 'b'] },
      },
    ]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stderr: '',
      stdout: `short URL    http://localhost:8081/aB3dE6g
destination  https://www.wikipedia.org/
status       active
tags         docs, spring
created      2026-11-21 12:30 UTC
`,
    });
    api.reply({ status: 201, body: CREATED });
    expect((await api.run([...args, '--json'])).stdout).toBe(`${JSON.stringify(CREATED)}\n`);
  });

  test('--dry-run says that nothing was created', async () => {
    api.reply({ body: { link: { ...LINK, slug: null }, short_url: null } });
    const { stdout } = await api.run(['create', 'https://www.wikipedia.org/', '--dry-run']);
    expect(api.seen[0]!.url).toBe('/api/v1/links?dry_run=true');
    expect(stdout).toMatch(/^Dry run: nothing was created\.\nshort URL +\(set at creation\)\n/);
  });

  test('says that a flagged link will not redirect, and exits with 0', async () => {
    const link = { ...LINK, status: 'flagged', threat_type: 'phishing' };
    api.reply({ status: 201, body: { ...CREATED, link, warning: { message: 'Suspected of phishing.' } } });
    const { code, stdout, stderr } = await api.run(['create', 'https://bad.example/']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/status +flagged \(phishing\)/);
    expect(stderr).toMatch(/Created, but the link does not redirect\. Suspected of phishing\./);
  });

  test('retries a broken connection and a 503 with the same Idempotency-Key, and says so', async () => {
    api.reply(
      { hangUp: true },
      { status: 503, headers: { 'Retry-After': '5' }, body: unavailable },
      { status: 201, body: CREATED },
    );
    const { code, stderr, waits } = await api.run(['create', 'https://www.wikipedia.org/']);
    expect(code).toBe(0);
    const keys = api.seen.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(waits).toEqual([750, 5125]);
    expect(stderr).toMatch(/did not respond: the connection was closed\. Trying again in 0\.8 s \(2 of 3\)\./);
    expect(stderr).toMatch(/The scanner is away\. Trying again in 5\.1 s \(3 of 3\)\./);
  });

  test('retries while the first attempt still runs (409 with Retry-After), but not for a taken slug', async () => {
    const conflict = { error: 'conflict', message: 'It still runs.', status: 409 };
    api.reply({ status: 409, headers: { 'Retry-After': '1' }, body: conflict }, { status: 201, body: CREATED });
    expect((await api.run(['create', 'https://www.wikipedia.org/'])).code).toBe(0);

    api.reply(refusal(409, 'conflict', 'The slug "wiki" is taken.', { taken_slugs: ['wiki'] }));
    const { code, stderr } = await api.run(['create', 'https://www.wikipedia.org/', '--slug', 'wiki']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'The slug "wiki" is taken.\n  taken_slugs: wiki\n' });
  });

  test('gives up after three attempts', async () => {
    const reply = { status: 500, body: { error: 'internal_error', message: 'Oh.', status: 500, error_id: 'e-9' } };
    api.reply(reply, reply, reply, reply);
    const { code, stdout, stderr } = await api.run(['create', 'https://www.wikipedia.org/', '--json']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(JSON.parse(stderr)).toEqual(reply.body);
    expect(api.seen).toHaveLength(3);
    api.reply(reply, reply, reply, reply);
    expect((await api.run(['create', 'https://www.wikipedia.org/'])).stderr).toMatch(
      /Oh\. Tried 3 times\.\n {2}error_id: e-9/,
    );
  });

  test('does not wait for a quota that is long used up, but says when to try again', async () => {
    const limited = { error: 'rate_limited', message: 'Nothing was created.', status: 429 };
    api.reply({ status: 429, headers: { 'Retry-After': '1800' }, body: limited });
    const { code, stderr, waits } = await api.run(['create', 'https://www.wikipedia.org/']);
    expect({ code, waits }).toEqual({ code: 6, waits: [] });
    expect(stderr).toBe('Nothing was created. Try again in 1800 seconds.\n');
    api.reply({ status: 429, headers: { 'Retry-After': '1800' }, body: limited });
    const json = await api.run(['create', 'https://www.wikipedia.org/', '--json']);
    expect(JSON.parse(json.stderr)).toEqual({ ...limited, retry_after: 1800 });
  });

  test('never waits more than 30 s in all', async () => {
    const slow = { status: 503, headers: { 'Retry-After': '20' }, body: unavailable };
    api.reply(slow, slow, slow);
    const { code, waits } = await api.run(['create', 'https://www.wikipedia.org/']);
    expect(code).toBe(6);
    expect(waits).toEqual([20_125]);
  });

  test('does not retry a 400, and names each field', async () => {
    const details = { destination_url: 'must be a URL', custom_slug: 'is reserved' };
    api.reply(refusal(400, 'bad_request', 'Two faults.', details));
    const { code, stderr } = await api.run(['create', 'nonsense']);
    expect(code).toBe(1);
    expect(stderr).toBe('Two faults.\n  destination_url: must be a URL\n  custom_slug: is reserved\n');
  });
});

test('create sends title, note and end, also as a duration', async () => {
  const link = { ...LINK, title: 'Menu', note: 'One\nTwo', ends_at: '2027-06-01T18:00:00.000Z' };
  const create = ['create', 'https://www.wikipedia.org/', '--title', 'Menu', '--note', 'One\nTwo', '--ends'];
  api.reply({ status: 201, body: { ...CREATED, link } });
  const { stdout } = await api.run([...create, '2027-06-01T18:00:00Z']);
  const { title, note, ends_at } = link;
  expect(api.seen[0]!.body).toEqual({ destination_url: 'https://www.wikipedia.org/', title, note, ends_at });
  expect(stdout).toMatch(/title +Menu\n[\s\S]*note +One\S*Two\n[\s\S]*ends +2027-06-01 18:00 UTC\n/);
  api.reply({ status: 201, body: CREATED });
  await api.run([...create, '14d']);
  expect(Date.parse((api.seen.at(-1)!.body as { ends_at: string }).ends_at) - Date.now()).toBeGreaterThan(
    13.9 * 86_400_000,
  );
  expect((await api.run([...create, 'soon'])).code).toBe(2);
});

describe('create --utm', () => {
  const create = ['create', 'https://example.org/?b=1&utm_source=old#top', '--utm', 'source=mail & more'];

  test('adds campaign parameters to the URL, and says what they replace', async () => {
    api.reply({ status: 201, body: CREATED }, { status: 201, body: CREATED });
    const { stderr } = await api.run([...create, '--utm', 'campaign=a=b']);
    expect(api.seen[0]!.body).toEqual({
      destination_url: 'https://example.org/?b=1&utm_source=mail%20%26%20more&utm_campaign=a%3Db#top',
    });
    expect(stderr).toBe('Replaced in the URL: utm_source.\n');
    expect((await api.run([...create, '--json'])).stderr).toBe('');
  });

  test.each([
    [
      'an unknown name',
      'campain=x',
      '--utm campain=x has an unknown name. Write NAME=VALUE; the name is one of source,',
    ],
    ['no value', 'campaign=', '--utm campaign= has no value.'],
    ['no name', 'spring', '--utm spring has an unknown name.'],
    ['a repeated name', 'source=print', '--utm source is repeated.'],
  ])('sends nothing for %s', async (_what, word, words) => {
    api.reply();
    const { code, stderr } = await api.run([...create, '--utm', word]);
    expect([code, api.seen]).toEqual([2, []]);
    expect(stderr).toContain(words);
  });
});

describe('edit, tag', () => {
  test('edit sends only the given fields, and an empty value removes one', async () => {
    api.reply({ body: LINK }, { body: LINK });
    await api.run(['edit', 'aB3dE6g', '--title', 'New', '--tag', 'a', '--tag', 'b', '--ends', '2027-06-01']);
    const path = { method: 'PATCH', url: '/api/v1/links/aB3dE6g' };
    const body = { title: 'New', tags: ['a', 'b'], ends_at: '2027-06-01T00:00:00.000Z' };
    expect(api.seen[0]).toMatchObject({ ...path, body });
    await api.run(['edit', 'aB3dE6g', '--title', '', '--note', '', '--tag', '', '--ends', '']);
    expect(api.seen[1]!.body).toEqual({ title: null, note: null, tags: [], ends_at: null });
    expect(await api.run(['edit', 'aB3dE6g'])).toMatchObject({ code: 2 });
    expect(api.seen).toHaveLength(2);
  });

  test('tag sends all slugs at once, and says how many changed', async () => {
    api.reply({ body: { total_changed: 1 } });
    const { stdout } = await api.run(['tag', 'one', 'other', '--add', 'a', '--add', 'b', '--remove', 'c']);
    expect(api.seen[0]).toMatchObject({
      method: 'POST',
      url: '/api/v1/links/tags',
      body: { slugs: ['one', 'other'], add: ['a', 'b'], remove: ['c'] },
    });
    expect(stdout).toBe('1 link changed.\n');
  });
});

describe('bulk', () => {
  const answer = { links: [CREATED], total_created: 1 };

  test('reads lines of URLs from stdin', async () => {
    api.reply({ status: 201, body: answer });
    const stdin = '\ufeff# mine\r\nhttps://a.example/\r\n\r\n  https://b.example/?x=1,2  \n';
    const { code, stdout } = await api.run(['bulk', '-'], { stdin });
    expect(code).toBe(0);
    expect(api.seen[0]!.url).toBe('/api/v1/links/bulk');
    expect(api.seen[0]!.headers['idempotency-key']).toBeDefined();
    expect(api.seen[0]!.body).toEqual({
      links: [{ destination_url: 'https://a.example/' }, { destination_url: 'https://b.example/?x=1,2' }],
    });
    expect(stdout).toBe(`SHORT URL                      STATUS  DESTINATION
http://localhost:8081/aB3dE6g  active  https://www.wikipedia.org/

1 link created.
`);
  });

  test('reads CSV with quotes', async () => {
    const file = path.join(folder, 'links.csv');
    writeFileSync(
      file,
      'destination_url,custom_slug,tags\nhttps://a.example/,one,"x, y"\n"https://b.example/?q=""1"",2",,\n,,\nhttps://c.example/,three,z',
    );
    api.reply({ status: 201, body: answer });
    expect((await api.run(['bulk', file])).code).toBe(0);
    expect(api.seen[0]!.body).toEqual({
      links: [
        { destination_url: 'https://a.example/', custom_slug: 'one', tags: ['x', 'y'] },
        { destination_url: 'https://b.example/?q="1",2' },
        { destination_url: 'https://c.example/', custom_slug: 'three', tags: ['z'] },
      ],
    });
  });

  test.each<[string, string, readonly object[]]>([
    [
      'CSV whose first lines are blank',
      '\r\n \r\ndestination_url,tags\r\nhttps://a.example/,x\r\n',
      [{ destination_url: 'https://a.example/', tags: ['x'] }],
    ],
    [
      'semicolons and columns in another order',
      'tags;destination_url\r\n"a;b";https://a.example/\r\n',
      [{ destination_url: 'https://a.example/', tags: ['a', 'b'] }],
    ],
    [
      'a JSON array, and leaves its fields to the API',
      '[{"destination_url":"https://a.example/","customSlug":"typo"},"https://b.example/"]',
      [{ destination_url: 'https://a.example/', customSlug: 'typo' }, { destination_url: 'https://b.example/' }],
    ],
    [
      'JSON lines',
      '{"destination_url":"https://a.example/","tags":["x"]}\n\n"https://b.example/"\n',
      [{ destination_url: 'https://a.example/', tags: ['x'] }, { destination_url: 'https://b.example/' }],
    ],
  ])('reads %s', async (_what, stdin, links) => {
    api.reply({ status: 201, body: answer });
    await api.run(['bulk', '-'], { stdin });
    expect(api.seen[0]!.body).toEqual({ links });
  });

  test('makes the active links of an export, and says what it does not use', async () => {
    const over = { ...LINK, slug: 'aB3dE6h', status: 'revoked' };
    const out = path.join(folder, 'export.csv');
    const page = { data: [LINK, over], total: 2, page: 1, limit: 100, total_pages: 1 };
    const dry = { links: [{ link: LINK, short_url: null }], total_created: 0 };
    api.reply({ body: page }, { body: dry }, { body: dry });
    await api.run(['export', '--out', out]);
    const { code, stderr } = await api.run(['bulk', out, '--dry-run']);
    expect(api.seen[1]!.body).toEqual({
      links: [{ destination_url: LINK.destination_url, custom_slug: LINK.slug, tags: LINK.tags }],
    });
    expect(code).toBe(0);
    expect(stderr).toBe(
      'Ignored columns, which a new link cannot have: status, threat_type, created_at, updated_at, revoked_at.\nSkipped: 1 link that is revoked or flagged.\n',
    );
    expect(JSON.parse((await api.run(['bulk', out, '--dry-run', '--json'])).stdout)).toEqual({ ...dry, left_out: 1 });
  });

  test('columns of campaign parameters become part of the URL, and the command says what they replace', async () => {
    api.reply({ status: 201, body: answer });
    const stdin = 'destination_url,utm_source\nhttps://a.example/?utm_source=old,mail\n';
    const { stderr } = await api.run(['bulk', '-'], { stdin });
    expect(api.seen[0]!.body).toEqual({ links: [{ destination_url: 'https://a.example/?utm_source=mail' }] });
    expect(stderr).toBe('Replaced in URLs: utm_source.\n');
  });

  test('names the line of the file if a link has a fault', async () => {
    const details = {
      'links[1].destination_url': 'must be a URL',
      'links[2].custom_slug': 'is the same as links[0].custom_slug',
    };
    api.reply(refusal(400, 'bad_request', 'links[1].destination_url must be a URL, and 1 more.', details));
    const { code, stderr } = await api.run(['bulk', '-'], { stdin: '# mine\nhttps://a.example/\n\nb\nc\n' });
    expect(code).toBe(1);
    expect(stderr).toBe(
      'destination_url of line 4 must be a URL, and 1 more.\n  line 4, destination_url: must be a URL\n  line 5, custom_slug: is the same as custom_slug of line 2\n',
    );
  });

  test('counts rows over all requests of a dry run in JSON errors', async () => {
    const fault = { 'links[1].custom_slug': 'is the same as links[0].custom_slug' };
    const error = { error: 'bad_request', message: 'links[1].custom_slug is the same.', status: 400, details: fault };
    api.reply({ body: { links: [], total_created: 0 } }, { status: 400, body: error });
    const { code, stderr } = await api.run(['bulk', '-', '--dry-run', '--json'], {
      stdin: 'https://a.example/\n'.repeat(502),
    });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toEqual({
      ...error,
      message: 'links[501].custom_slug is the same.',
      details: { 'links[501].custom_slug': 'is the same as links[500].custom_slug' },
    });
  });

  test.each([
    ['nothing', '\n# only words\n', 'contains no links'],
    ['broken JSON', '[{', 'not valid JSON'],
    ['an unknown column', 'destination_url,owner\nhttps://a.example/,x\n', 'an unknown column "owner"'],
    ['two columns without a header', 'https://a.example/,promo-a\n', 'destination_url,custom_slug,tags'],
    ['an open quote', 'destination_url\n"https://a.example/\n', 'The quotes of line 2'],
    ['too many cells', 'destination_url,tags\nhttps://a.example/,x,y\n', 'line 2, there are 3 values'],
    ['a broken line of JSON', '{"destination_url":"https://a.example/"}\n{"dest\n', 'not valid JSON in line 2'],
  ])('refuses %s as wrong usage without a request to the API', async (_what, stdin, words) => {
    api.reply();
    const { code, stderr } = await api.run(['bulk', '-'], { stdin });
    expect(code).toBe(2);
    expect(stderr).toContain(words);
    expect(api.seen).toEqual([]);
  });
});

describe('list, get, revoke', () => {
  test('list sends its options and shows a table', async () => {
    api.reply({ body: { data: [LINK, revoked], total: 12, page: 2, limit: 2, total_pages: 6 } });
    const { stdout } = await api.run(
      'list --page 2 --limit 2 --sort slug --order asc --status active --tag a --tag b&c --search 50%'.split(' '),
    );
    expect(Object.fromEntries(new URL(api.seen[0]!.url, api.url).searchParams)).toMatchObject({
      page: '2',
      limit: '2',
      sort: 'slug',
      order: 'asc',
      status: 'active',
      search: '50%',
    });
    expect(new URL(api.seen[0]!.url, api.url).searchParams.getAll('tag')).toEqual(['a', 'b&c']);
    expect(stdout).toBe(`SLUG     STATUS   CREATED (UTC)     TAGS          DESTINATION
aB3dE6g  active   2026-11-21 12:30  docs, spring  https://www.wikipedia.org/
aB3dE6g  revoked  2026-11-21 12:30  docs, spring  https://www.wikipedia.org/

Page 2 of 6, 12 links in all. Next: --page 3
`);
  });

  test('get names a link that does not exist', async () => {
    api.reply(refusal(404, 'not_found', 'There is no link "nope".'));
    expect(await api.run(['get', 'nope'])).toMatchObject({ code: 1, stderr: 'There is no link "nope".\n' });
    expect(api.seen[0]).toMatchObject({ method: 'GET', url: '/api/v1/links/nope' });
  });

  test('get never requests another path than that of a link', async () => {
    api.reply();
    for (const slug of ['..', '../admin', 'a/b', 'a?b', '']) expect((await api.run(['get', slug])).code).toBe(2);
    expect(api.seen).toEqual([]);
  });

  test('revoke shows the revoked link', async () => {
    api.reply({ body: revoked });
    const { code, stdout } = await api.run(['revoke', 'aB3dE6g']);
    expect(code).toBe(0);
    expect(api.seen[0]).toMatchObject({ method: 'POST', url: '/api/v1/links/aB3dE6g/revoke' });
    expect(stdout).toMatch(/revoked +2026-11-21 13:00 UTC\nRevoked\. The link no longer redirects\.\n$/);
  });

  test('revoke succeeds if the answer to its first attempt was lost', async () => {
    const already = refusal(400, 'bad_request', 'The link is already revoked.');
    api.reply({ hangUp: true }, already, { body: revoked });
    const { code, stdout } = await api.run(['revoke', 'aB3dE6g', '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(revoked);

    api.reply(already);
    expect((await api.run(['revoke', 'aB3dE6g'])).code).toBe(1);
  });
});

describe('analytics', () => {
  const analytics = {
    slug: 'aB3dE6g',
    period: '7d',
    total_clicks: 12,
    unique_visitors: 7,
    bot_clicks: 2,
    time_series: [
      { date: '2026-11-20', clicks: 10 },
      { date: '2026-11-21', clicks: 2 },
    ],
    top_referrers: [{ referrer: 'direct', count: 12 }],
    top_countries: [],
    top_devices: [{ device: 'mobile', count: 9 }],
    top_browsers: [{ browser: 'Firefox', count: 9 }],
  };

  test('shows figures, days and lists', async () => {
    api.reply({ body: analytics });
    const { stdout } = await api.run(['analytics', 'aB3dE6g', '--period', '7d', '--bots', 'include']);
    expect(api.seen[0]!.url).toBe('/api/v1/links/aB3dE6g/analytics?period=7d&bots=include');
    expect(stdout).toContain('clicks    12, including 2 by bots\nvisitors  7\n');
    expect(stdout).toContain(`2026-11-20  10  ${'█'.repeat(30)}\n2026-11-21   2  ${'█'.repeat(6)}\n`);
    expect(stdout).not.toContain('Countries');
    api.reply({ body: analytics });
    const atTerminal = await api.run(['analytics', 'aB3dE6g'], { terminal: { columns: 80 } });
    expect(atTerminal.stdout).toMatch(/\ntrend +█▃\n/);
  });
});

describe('overview', () => {
  const overview = {
    period: '7d',
    total_clicks: 42,
    unique_visitors: 30,
    bot_clicks: 0,
    time_series: [
      { date: '2026-11-20', clicks: 40 },
      { date: '2026-11-21', clicks: 2 },
    ],
    top_referrers: [{ referrer: 'direct', count: 12 }],
    top_countries: [],
    top_devices: [],
    top_browsers: [],
    top_links: [{ slug: 'aB3dE6g', title: 'Menu', clicks: 41 }],
    previous: { total_clicks: 35, unique_visitors: 40 },
    links: { created: 4, flagged: 1, revoked: 0 },
  };

  test('shows the figures of all links, the period before, and what happened to links', async () => {
    api.reply({ body: overview }, { body: overview });
    const { stdout } = await api.run(['overview', '--period', '7d', '--bots', 'exclude']);
    expect(api.seen[0]!.url).toBe('/api/v1/analytics?period=7d&bots=exclude');
    expect(stdout).toContain(`clicks    42
visitors  30
before    35 clicks (now +20%), 40 visitors (now -25%)
links     4 created, 1 flagged, 0 revoked
`);
    expect(stdout).toContain('2026-11-21   2  ██\n\nLinks\n  41  aB3dE6g  Menu\n\nReferrers\n');
    expect(JSON.parse((await api.run(['overview', '--json'])).stdout)).toEqual(overview);
  });

  test('compares with nothing where there was nothing before, or nothing is kept', async () => {
    const none = { total_clicks: 0, unique_visitors: 0 };
    api.reply({ body: { ...overview, previous: none } }, { body: { ...overview, previous: null } });
    expect((await api.run(['overview'])).stdout).toContain('\nbefore    0 clicks, 0 visitors\n');
    expect((await api.run(['overview', '--period', '90d'])).stdout).not.toContain('before');
  });
});

describe('unsafe output', () => {
  const hostile = 'https://x.example/\u001b]0;pwned\u0007\u202egpj.exe\u009b31m';

  test('hostile text is shown escaped, in tables, errors and JSON', async () => {
    api.reply({ body: { ...LINK, destination_url: hostile, tags: ['a\nb', 'x\u{e0041}'] } });
    const { stdout } = await api.run(['get', 'aB3dE6g']);
    expect(stdout).toContain('https://x.example/\\u{1B}]0;pwned\\u{7}\\u{202E}gpj.exe\\u{9B}31m');
    expect(stdout).toContain('a\\u{A}b, x\\u{E0041}');

    api.reply(refusal(400, 'bad_request', hostile, { [hostile]: hostile }));
    const { stderr } = await api.run(['get', 'aB3dE6g']);
    expect(stderr).not.toMatch(/[\u001b\u0007\u202e\u009b]/);

    api.reply({ body: { ...LINK, destination_url: hostile, tags: ['x\u{e0041}'] } });
    const json = (await api.run(['get', 'aB3dE6g', '--json'])).stdout;
    expect(json).not.toMatch(/[\u001b\u0007\u202e\u009b]/);
    expect(JSON.parse(json)).toEqual({ ...LINK, destination_url: hostile, tags: ['x\u{e0041}'] });
  });

  test('the key is never printed, even if an answer repeats it', async () => {
    api.reply(refusal(401, 'unauthorized', `Bad key ${KEY}`));
    expect((await api.run(['get', 'aB3dE6g'])).stderr).toBe('Bad key [API key]\n');
    const { code, stderr } = await api.run(['get', 'aB3dE6g'], { environment: { WAYPOST_API_KEY: `${KEY}\u0001x` } });
    expect(code).toBe(2);
    expect(stderr).not.toContain(KEY);
  });

  test('the key does not follow a redirect', async () => {
    api.reply({ status: 302, headers: { Location: 'http://127.0.0.1:1/' }, body: {} });
    const { code, stderr } = await api.run(['list']);
    expect(code).toBe(1);
    expect(stderr).toContain('Set WAYPOST_URL to the address of the API');
  });
});

describe('a server that is not Waypost', () => {
  test('an answer of another program is reported as such', async () => {
    for (const reply of [{ text: '<html>' }, { body: { hello: 'world' } }]) {
      api.reply(reply);
      const { code, stderr } = await api.run(['list']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('Check WAYPOST_URL.')]);
    }
  });

  test('a server that gives no response is tried three times', async () => {
    const { code, stderr, waits } = await api.run(['list'], { environment: { WAYPOST_URL: 'http://127.0.0.1:1' } });
    expect(code).toBe(6);
    expect(stderr).toContain('did not respond');
    expect(waits).toHaveLength(2);
  });
});

describe('in a pipe', () => {
  const terminal = { columns: undefined };
  const run = async (...args: string[]) => (await api.run(args, { terminal })).stdout;

  test('create prints the short URL alone, and warns on stderr', async () => {
    api.reply({ status: 201, body: { ...CREATED, warning: { message: 'Suspected of phishing.' } } });
    expect(await api.run(['create', 'https://bad.example/'], { terminal })).toMatchObject({
      stdout: `${CREATED.short_url}\n`,
      stderr: 'Created, but the link does not redirect. Suspected of phishing.\n',
    });
    api.reply({ body: { link: { ...LINK, slug: null }, short_url: null } });
    expect(await run('create', 'https://a.example/', '--dry-run')).toBe('');
  });

  test('tables are lines of values between tabs, without a header and other words', async () => {
    const page = { data: [LINK], total: 30, page: 1, limit: 1, total_pages: 30 };
    api.reply({ body: page }, { body: { ...page, data: [], total: 0 } }, { body: LINK });
    expect(await run('list')).toBe('aB3dE6g\tactive\t2026-11-21 12:30\tdocs, spring\thttps://www.wikipedia.org/\n');
    expect(await run('list')).toBe('');
    expect((await run('get', LINK.slug)).split('\n')[0]).toBe('slug\taB3dE6g');
    api.reply({ status: 201, body: { links: [CREATED], total_created: 1 } });
    expect((await api.run(['bulk', '-'], { stdin: 'https://a.example/', terminal })).stdout).toBe(
      `${CREATED.short_url}\tactive\thttps://www.wikipedia.org/\n`,
    );
  });
});

describe('usage', () => {
  test('no line of any help is longer than 100 columns', async () => {
    const helpOf = async (words: readonly string[]) =>
      (await api.run([...words, '--help'], { terminal: { columns: undefined } })).stdout;
    const namesIn = (help: string) =>
      [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
    const helps: string[] = [];
    for (const name of ['', ...namesIn(await helpOf([])).filter((each) => each !== 'help')]) {
      const help = await helpOf(name === '' ? [] : [name]);
      helps.push(help);
      for (const inner of name === '' ? [] : namesIn(help))
        if (inner !== 'help') helps.push(await helpOf([name, inner]));
    }
    expect(helps.length).toBeGreaterThan(40);
    expect(helps.flatMap((help) => help.split('\n').filter((line) => line.length > 100))).toEqual([]);
  });

  test.each([
    [['nonsense']],
    [['create']],
    [['create', 'https://a.example/', 'https://b.example/']],
    [['create', 'https://a.example/', '--slug', 'one', '--slug', 'two']],
    [['create', 'https://a.example/', '--colour', 'red']],
    [['list', '--page', '0']],
    [['analytics', 'aB3dE6g', '--period', '5d']],
    [['help', 'nonsense']],
  ])('%j is wrong usage', async (args) => {
    api.reply();
    const { code, stdout, stderr } = await api.run(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/Usage: /);
    expect(api.seen).toEqual([]);
  });

  test.each([
    [{ WAYPOST_API_KEY: '' }],
    [{ WAYPOST_URL: 'localhost:8080' }],
    [{ WAYPOST_URL: 'https://user:secret@a.example' }],
  ])('%j is wrong usage', async (environment) => {
    const { code, stderr } = await api.run(['list'], { environment });
    expect(code).toBe(2);
    expect(stderr).not.toContain('secret');
  });

  test('help and version need neither a key nor an API', async () => {
    const environment = { WAYPOST_API_KEY: undefined, WAYPOST_URL: undefined };
    expect((await api.run(['help'], { environment })).stdout).toMatch(/create URL .*\n {2}bulk FILE\|-/);
    expect((await api.run(['list', '--help'], { environment })).stdout).toMatch(
      /--limit N +.+ Default: 10\.\n[\s\S]*\n +--order asc\|desc /,
    );
    expect((await api.run(['help', 'bulk'], { environment })).stdout).toContain('a header: destination_url');
    expect((await api.run(['--version'], { environment })).stdout).toMatch(/^waypost \d+\.\d+\.\d+\n$/);
  });
});
