/** Tests `waypost admin import` with files as other services export them (the folder `exports`). */
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { newFolder } from '@waypost/test-support/afterwards';
import { product } from '../product.ts';
import { CLIENT, ended, environmentOf, startProgram, WAYPOST } from '../programs.ts';
import { comesTo, DESTINATION, eventually, freshSlug, listedUrl, times, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const folder = newFolder();
const { waypost, newClient } = product();

const start = (args: readonly string[]) =>
  startProgram(WAYPOST, ['admin', ...args], folder, {
    ...environmentOf(waypost),
    // A time without a zone must be UTC, in whatever zone the command runs.
    TZ: 'Pacific/Honolulu',
  });
const run = (...args: string[]) => ended(start(args));

async function importing(from: string, file: string, email: string, ...options: string[]): Promise<Json> {
  const ran = await run('import', '--from', from, file, '--email', email, '--json', ...options);
  expect({ ...ran, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: expect.any(String) });
  return JSON.parse(ran.stdout);
}
/** Imports in this process. What the command prints on stderr goes to `lines`. */
async function imported(from: string, argument: string, email: string, lines: string[] = []): Promise<Json> {
  const stderr = jest.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  const send = (sent: Json) => waypost.admin('import', sent);
  return linkApiCommands.import!.local!.run({ argument, options: { from, email } }, send).finally(stderr.mockRestore);
}

const write = (text: string | Uint8Array) => {
  const file = path.join(folder, freshSlug());
  fs.writeFileSync(file, text);
  return file;
};
const fixture = (name: string, values: Readonly<Record<string, string>> = {}) =>
  write(
    fs
      .readFileSync(new URL(`exports/${name}`, import.meta.url), 'utf8')
      .replace(/@([A-Z]+)@/g, (_, key: string) => values[key]!),
  );
async function newAccount() {
  const { key, email } = await waypost.newKey('read,write', { limit: 0 });
  const api = apiClient(waypost.api, key);
  const links = async (): Promise<Json[]> =>
    (await api('GET', '/api/v1/links?limit=100&sort=slug&order=asc')).body.data;
  return { key, email, api, links };
}
const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

test('every row of a hostile CSV is created, skipped or named with its fault; a second import adds none', async () => {
  const [owner, taken] = [await newAccount(), freshSlug()];
  await (await newClient())('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: taken });
  const file = fixture('plain.csv', {
    TAKEN: taken,
    DAYS: `${day(2)}=4 ${day(1)}=5 ${day(400)}=6`,
    LISTED: await listedUrl(waypost, 'phishing'),
    PORT: new URL(waypost.api).port,
  });
  const conflicts = [
    { line: 6, slug: 'P-one', why: 'slug is taken by another link' },
    { line: 7, slug: taken, why: 'slug is taken by another link' },
    { line: 8, slug: 'admin', why: 'slug is reserved' },
    { line: 9, slug: 'x', why: 'slug must have 3 to 50 characters' },
    { line: 10, slug: '../etc', why: expect.stringMatching(/^slug must contain only letters/) },
    { line: 11, slug: '', why: 'slug is missing' },
    { line: 12, slug: 'P-script', why: expect.stringMatching(/^destination_url must be an absolute URL/) },
    { line: 13, slug: 'P-user', why: 'destination_url must not contain a user name or password' },
    { line: 14, slug: 'P-local', why: expect.stringMatching(/^destination_url must not lead to a private/) },
    { line: 15, slug: 'P-own', why: 'destination_url must not lead back to this service' },
    { line: 17, slug: 'P-date', why: expect.stringMatching(/^created_at must be a date/) },
    { line: 18, slug: 'P-future', why: 'created_at must not be in the future' },
    { line: 19, slug: 'P-count', why: expect.stringMatching(/^clicks must be a whole number/) },
    {
      line: 20,
      slug: 'P-cells',
      why: 'it has 8 values, but the header has 6: enclose values that contain "," in quotes',
    },
    { line: 21, slug: 'P-tags', why: 'tags must have at most 10 entries' },
    { line: 24, slug: '=HYPERLINK("x")', why: expect.stringMatching(/^slug must contain only letters/) },
  ];
  const dry = await importing('csv', file, owner.email, '--dry-run');
  const counts = { read: 22, created: 5, skipped: 1, conflicts, clicks: 12 + 15 };
  expect(dry).toEqual({ ...counts, dry_run: true });
  expect(await owner.links()).toEqual([]);

  expect(await importing('csv', file, owner.email)).toEqual(counts);
  const links = await owner.links();
  expect(links.map(({ slug, status, created_at, tags }) => [slug, status, created_at, tags])).toEqual([
    ['P-bare', 'active', expect.any(String), []],
    ['P-days', 'active', '2024-02-29T23:59:59.000Z', ['docs']],
    ['P-flagged', 'flagged', '2020-01-01T00:00:00.000Z', []],
    ['P-lines', 'active', expect.any(String), []],
    ['P-one', 'active', '2021-03-04T05:06:07.000Z', ['docs', 'spring']],
  ]);
  const visited = await comesTo(() => visit(waypost.redirect, '/P-days'), { status: 302 }, 5_000);
  expect([visited.status, visited.headers.location]).toEqual([302, 'https://www.wikipedia.org/wiki/Two?a=1,2']);
  expect((await visit(waypost.redirect, '/P-flagged')).status).toBe(403);

  const again = await imported('csv', file, owner.email);
  expect(again).toEqual({ ...counts, created: 0, skipped: 6, clicks: 0 });
  expect(await owner.links()).toEqual(links);
}, 120_000);

test('imported days are added to the analytics, and importing the same days twice counts them once', async () => {
  const { email, api } = await newAccount();
  const slug = freshSlug();
  const file = write(
    `slug;destination_url;clicks;clicks_by_day\n${slug};${DESTINATION};100;${day(1)}=5 ${day(10)}=7 ${day(95)}=1 ${day(300)}=9\n`,
  );
  const dry = await run('import', '--from', 'csv', file, '--email', email, '--dry-run');
  expect(dry.stdout).toBe('1 rows: 1 links would be created, 0 already existed, 0 not created. 100 clicks.\n');
  const ran = await run('import', '--from', 'csv', file, '--email', email);
  expect(ran).toMatchObject({
    code: 0,
    stdout: '1 rows: 1 links created, 0 already existed, 0 not created. 100 clicks.\n',
  });
  expect(ran.stderr).toBe('The source does not provide the days of 78 of 100 clicks. Analytics do not include them.\n');
  await imported('csv', file, email);
  await comesTo(() => visit(waypost.redirect, `/${slug}`), { status: 302 }, 5_000);
  const figures = (query: string) => api('GET', `/api/v1/links/${slug}/analytics${query}`);
  const counted = { total_clicks: 6, imported_clicks: 5, unique_visitors: 1, bot_clicks: 0 };
  const week = await comesTo(() => figures(''), { body: { total_clicks: 6 } }, 20_000);
  expect(week.body).toMatchObject(counted);
  expect(week.body.time_series.slice(-2)).toEqual([
    { date: day(1), clicks: 5 },
    { date: day(0), clicks: 1 },
  ]);
  expect((await figures('?period=90d&bots=exclude')).body).toMatchObject({ total_clicks: 13, imported_clicks: 12 });
  for (const query of ['?period=7d', '?period=30d', '?period=90d&bots=exclude']) {
    const { slug: _, ...ofLink } = (await figures(query)).body;
    const { body: overview } = await api('GET', `/api/v1/analytics${query}`);
    expect(overview).toMatchObject({ ...ofLink, top_links: [{ slug, clicks: ofLink.total_clicks }] });
    const { body: clicks } = await api('GET', `/api/v1/links/clicks${query}&slugs=${slug}`);
    const { total_clicks, time_series } = ofLink;
    expect(clicks).toEqual({ period: ofLink.period, links: [{ slug, total_clicks, time_series }] });
  }
  const { body: overview } = await api('GET', '/api/v1/analytics?period=7d');
  expect(overview.previous).toEqual({ total_clicks: 7, unique_visitors: 0 });
}, 60_000);

const TARGETS = 'at the source, some visitors are redirected elsewhere (by device, country or a rule); here, all';
const FAR = 'its end at the source, 2999-01-01T00:00:00.000Z, is too far ahead; here, it has none';

/** For each file: its clicks, the links that it creates, and the first words of each refused line and each loss. */
test.each<[from: string, name: string, clicks: number, made: string[], conflicts: string[], losses?: string[]]>([
  [
    'bitly',
    'bitly.csv',
    127,
    [
      'B-named 2022-11-30T08:15:00.000Z  | Quote " and line, comma',
      'B-old 2022-11-30T08:15:00.000Z  | Quote " and line, comma',
      'B-one 2023-05-01T10:00:00.000Z docs,spring | A page',
      'B-two 2022-11-30T08:15:00.000Z  | Quote " and line, comma',
    ],
    ['5  slug is missing'],
  ],
  [
    'bitly',
    'bitly-pages.txt',
    0,
    [
      '3AbCdE1 2023-05-01T10:00:00.000Z print,spring | A page',
      ...['3AbCdE5', '3AbCdE6', '3AbCdE7', 'BJ-own'].map((slug) => `${slug} 2023-05-01T10:00:00.000Z  | A page`),
      ...['BJ-sale', 'BJ-sale-22'].map((slug) => `${slug} 2023-05-01T10:00:00.000Z print,spring | A page`),
    ],
    [
      '3 3AbCdE3 it is deleted at the source',
      '4 BJ-over it has expired at the source',
      '4 3AbCdE4 it has expired at the source',
    ],
    [
      'Line 5, 3AbCdE5: its end at the source, 2999-01-28T14:30:00.000Z, is too far ahead',
      `Line 6, 3AbCdE6: ${TARGETS}`,
      `Line 7, 3AbCdE7: ${TARGETS}`,
    ],
  ],
  [
    'yourls',
    'yourls.csv',
    77,
    ['Y-one 2019-06-07T08:09:10.000Z  | It\'s; (a) "title"', 'Y-two 2018-01-02T03:04:05.000Z '],
    ['4 Y-ftp destination_url must be an absolute'],
  ],
  ['yourls', 'yourls.json', 7, ['YJ-one 2019-06-07T08:09:10.000Z ', 'YJ-two 2020-06-07T08:09:10.000Z '], []],
  ['yourls', 'yourls-list.json', 3, ['YL-one 2019-06-07T08:09:10.000Z  | t'], []],
  [
    'kutt',
    'kutt.json',
    6,
    ['K-ends 2021-01-02T03:04:05.678Z  | Ask Kim | ends', 'K-one 2021-01-02T03:04:05.678Z '],
    [
      '2 K-banned it is blocked at the source',
      '3 K-secret it has a password at the source',
      '4 K-expired it has expired at the source',
      '6 K-one slug is taken by another link',
    ],
  ],
  [
    'kutt',
    'kutt.csv',
    4,
    ['KC-one 2024-05-01T10:00:00.123Z ', 'KC-open 2024-05-01T04:30:00.000Z  | ends'],
    [
      ...['4 KC-over', '5 KC-hour', '6 KC-unix'].map((row) => `${row} it has expired`),
      '7 KC-when expire_in must be a date',
    ],
  ],
  [
    'shlink',
    'shlink-pages.txt',
    368,
    [
      'S-ends 2016-08-21T18:34:16.000Z  | ends',
      'S-one 2016-08-21T18:34:16.000Z games,tech | {"shortCode":"S-no"}',
      ...['S-phone', 'S-rules', 'S-ten'].map((slug) => `${slug} 2016-08-21T18:34:16.000Z `),
    ],
    [
      '2 S-over it has expired at the source',
      '3 S/path slug must contain only letters',
      '4 S-used it has reached its limit of visits at the source',
      '5 S-later it is not active yet at the source',
      '9 S-one slug is taken by another link',
    ],
    [
      'Line 7, S-ten: its limit of 11 visits at the source does not apply here.',
      `Line 8, S-rules: ${TARGETS}`,
      `Line 10, S-phone: ${TARGETS}`,
    ],
  ],
  [
    'shlink',
    'shlink.csv',
    328,
    ['SC-one 2016-08-21T18:34:16.000Z games,tech | Say "hi", you', 'SC-two 2016-08-21T18:34:16.000Z '],
    [],
  ],
  [
    'dub',
    'dub.csv',
    6,
    [
      expect.stringMatching(/^D-none .* $/) as unknown as string,
      'D-old 2024-07-08T09:10:11.123Z docs,spring',
      'D-one 2024-07-08T09:10:11.123Z docs,R&D, Berlin | A, "B"',
      'D-two 2024-07-08T09:10:11.123Z ',
    ],
    ['6  slug is missing', '7 docs/D-six slug must contain only letters'],
    [`Line 5, D-none: ${FAR}`],
  ],
  [
    'dub',
    'dub-pages.txt',
    24,
    [
      'DJ-ends 2024-07-08T09:10:11.123Z  | ends',
      'DJ-land 2024-07-08T09:10:11.123Z ',
      'DJ-one 2024-07-08T09:10:11.123Z docs,a, b',
      'DJ-phone 2024-07-08T09:10:11.123Z ',
      'DJ-test 2024-07-08T09:10:11.123Z ',
    ],
    [
      '3 DJ-over it has expired at the source',
      '4 DJ-secret it has a password at the source',
      '5 DJ-off it is disabled at the source',
    ],
    [...['6, DJ-phone', '7, DJ-land', '8, DJ-test'].map((row) => `Line ${row}: ${TARGETS}`)],
  ],
  [
    'shortio',
    'shortio-pages.txt',
    0,
    [
      'SI-ends 2024-04-24T07:50:37.000Z  | Ends | ends',
      'SI-one 2024-04-24T07:50:37.000Z docs,a, b | Spring, "sale"',
      ...['SI-phone', 'SI-split', 'SI-ten'].map((slug) => `${slug} 2024-04-24T07:50:37.000Z `),
    ],
    ['3 SI-over it has expired at the source', '4 SI-secret it has a password at the source'],
    [
      ...['5, SI-phone', '6, SI-split'].map((row) => `Line ${row}: ${TARGETS}`),
      'Line 7, SI-ten: its limit of 10 visits at the source does not apply here.',
    ],
  ],
  [
    'sink',
    'sink.json',
    0,
    [
      'Z-ends 2023-11-14T22:13:20.000Z ',
      'Z-land 2023-11-14T22:13:20.000Z ',
      'Z-one 2023-11-14T22:13:20.000Z docs,spring | t | c',
      'Z-phone 2023-11-14T22:13:20.000Z ',
    ],
    [
      '2 Z-over it has expired at the source',
      '3 Z-empty destination_url is missing',
      '5 Z-secret it has a password at the source',
      '6 Z-unsafe the source warns visitors about it',
    ],
    [
      'Line 4, Z-ends: its end at the source, 2100-01-01T00:00:00.000Z, is too far ahead',
      ...['7, Z-phone', '8, Z-land'].map((row) => `Line ${row}: ${TARGETS}`),
    ],
  ],
  ['sink', 'sink-kv.json', 0, ['ZK-one 2023-11-14T22:13:20.000Z '], []],
])('an export of %s: %s', async (from, name, clicks, created, conflicts, losses = []) => {
  const { email, links } = await newAccount();
  const inSql = (hours: number) =>
    new Date(Date.now() + hours * 3_600_000).toISOString().slice(0, 19).replace('T', ' ');
  const tomorrow = inSql(24);
  const file = fixture(name, { HOUR: inSql(-1), TOMORROW: tomorrow });
  const lines: string[] = [];
  const { conflicts: refused, ...counts } = await imported(from, file, email, lines);
  expect(counts).toEqual({ read: created.length + conflicts.length, created: created.length, skipped: 0, clicks });
  const told = refused.map(({ line, slug, why }: Json) => `${line} ${slug} ${why}`);
  expect(told).toEqual(conflicts.map((words) => expect.stringContaining(words)));
  const daysUnknown = clicks === 0 ? [] : [`The source does not provide the days of ${clicks} of ${clicks} clicks`];
  expect(lines).toEqual([...losses, ...daysUnknown].map((words) => expect.stringContaining(words)));
  const atTomorrow = `${tomorrow.replace(' ', 'T')}.000Z`;
  const shown = ({ slug, created_at, tags, title, note, ends_at }: Json) =>
    [`${slug} ${created_at} ${tags}`, title, note, ends_at === atTomorrow ? 'ends' : ends_at]
      .filter((part) => part !== null)
      .join(' | ');
  expect((await links()).map(shown)).toEqual(created);
  if (name !== 'yourls.csv') return;
  const location = (await visit(waypost.redirect, '/Y-one')).headers.location;
  expect(location).toBe("https://www.wikipedia.org/wiki/O'Hara");
});

test('titles, notes and ends come along: too long ones are cut, and unsafe characters become spaces', async () => {
  const { email, links } = await newAccount();
  const ends = new Date(Date.now() + 3_600_000).toISOString();
  const file = write(
    `slug,destination_url,title,note,ends_at\n${[
      `a-${freshSlug()},${DESTINATION},"Spring\nsale\u202e!","One\nTwo, three",${ends}`,
      `b-${freshSlug()},${DESTINATION},${'😀'.repeat(201)},${'n'.repeat(2_001)},`,
      `c-${freshSlug()},${DESTINATION},\u0007,,2019-01-01T00:00:00Z`,
    ].join('\n')}\n`,
  );
  const { created, conflicts } = await imported('csv', file, email);
  expect([created, conflicts.map(({ why }: Json) => why)]).toEqual([2, ['it has expired at the source']]);
  expect((await links()).map(({ title, note, ends_at }) => [title, note, ends_at])).toEqual([
    ['Spring sale !', 'One\nTwo, three', ends],
    ['😀'.repeat(200), 'n'.repeat(2_000), null],
  ]);
});

test('a wrong export, file or account changes nothing, and the error is on stderr', async () => {
  const { email, links } = await newAccount();
  const cut = write(`slug,destination_url\n${freshSlug()},${DESTINATION}\nabc,"https://example.com/\n`);
  const ran = await run('import', '--from', 'csv', cut, '--email', email, '--json');
  expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, '', expect.stringMatching(/line 3/i)]);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
  expect(await links()).toEqual([]);
  const file = write(`slug,destination_url\n${freshSlug()},${DESTINATION}\n`);
  await expect(imported('csv', file, 'nobody@example.org')).rejects.toThrow('nobody@example.org');
  await expect(imported('csv', path.join(folder, 'missing'), email)).rejects.toThrow('missing');
  const excel = await run('import', '--from', 'excel', file, '--email', email, '--json');
  const usage = expect.stringContaining('Usage: waypost admin import FILE');
  expect(excel).toEqual({ code: 2, stdout: '', stderr: usage });
}, 120_000);

test('an import that was killed continues with the same command, and creates every link once', async () => {
  const { email, links, api } = await newAccount();
  const prefix = freshSlug();
  const rows = 8_000;
  const lines = times(rows, (i) => `${prefix}-${i},${DESTINATION}?${i},${day(1)}=3\n`);
  const file = write(`slug,destination_url,clicks_by_day\n${lines.join('')}`);
  const count = async () => (await api('GET', '/api/v1/links?limit=1')).body.total;
  const args = ['import', '--from', 'csv', file, '--email', email, '--json'];
  const child = start(args);
  await eventually(count, (total) => total > 1_000, 60_000);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const first = await count();
  expect(first).toBeLessThan(rows);
  const second = await imported('csv', file, email);
  expect(second.created).toBeLessThan(rows);
  expect(second).toMatchObject({
    read: rows,
    created: rows - second.skipped,
    conflicts: [],
    clicks: 3 * second.created,
  });
  expect(await count()).toBe(rows);
  expect(await links()).toHaveLength(100);
  const { body } = await api('GET', `/api/v1/links/${prefix}-7/analytics`);
  expect(body).toMatchObject({ total_clicks: 3, imported_clicks: 3 });
}, 180_000);

test('CSV of `waypost export` is read unchanged, even tags that contain separators or look like formulas', async () => {
  const [from, to] = [await newAccount(), await newAccount()];
  const [one, two, three] = [freshSlug(), freshSlug(), freshSlug()];
  const tagsOf = { [one]: ['R&D, Berlin', 'a;b', 'x|y'], [two]: ['[1', '2]', 'x|y'], [three]: ['=1+1', '-x'] };
  const lines = Object.entries(tagsOf).map(([slug, tags]) =>
    JSON.stringify({ slug, destination_url: DESTINATION, tags }),
  );
  expect(await imported('csv', write(lines.join('\n')), from.email)).toMatchObject({ created: 3 });
  const exported = await ended(
    startProgram(CLIENT, ['export'], folder, { WAYPOST_API_KEY: from.key, WAYPOST_URL: waypost.api }),
  );
  expect(exported.code).toBe(0);
  expect(exported.stdout).toContain(`"'=1+1,-x"`);
  const file = write([one, two, three].reduce((text, slug) => text.replaceAll(slug, `${slug}-moved`), exported.stdout));
  expect(await imported('csv', file, to.email)).toMatchObject({ read: 3, created: 3, conflicts: [] });
  const moved = (await to.links()).map(({ slug, tags }) => [slug.replace('-moved', ''), tags]);
  expect(Object.fromEntries(moved)).toEqual(tagsOf);
}, 60_000);

test('JSON lines of `waypost export` are read unchanged', async () => {
  const { email, links } = await newAccount();
  const [active, revoked] = [freshSlug(), freshSlug()];
  const link = {
    destination_url: DESTINATION,
    threat_type: null,
    tags: ['a b'],
    created_at: '2025-01-02T03:04:05.678Z',
  };
  const file = write(
    `${JSON.stringify({ ...link, slug: active, status: 'active', clicks_by_day: `${day(0)}=2` })}\n${JSON.stringify({ ...link, slug: revoked, status: 'revoked' })}`,
  );
  expect(await imported('csv', file, email)).toEqual({
    read: 2,
    created: 1,
    skipped: 0,
    conflicts: [{ line: 2, slug: revoked, why: 'it is revoked at the source' }],
    clicks: 2,
  });
  expect(await links()).toMatchObject([{ slug: active, tags: ['a b'], created_at: link.created_at }]);
}, 60_000);
