import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { qrCode } from '@waypost/qr-code';
import { Waypost } from '@waypost/sdk';
import { runOperator } from '../src/operator.ts';
import { answering, CREATED, fakeApi, KEY, LINK, listening, refusal, startProxy } from './fake-api.ts';

const api = fakeApi();
let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(tmpdir(), 'waypost-cli-'));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const page = { body: { data: [LINK], total: 1, page: 1, limit: 100, total_pages: 1 } };
const account = {
  body: {
    email: 'ada@example.org',
    admin: false,
    has_password: true,
    scopes: ['read', 'write'],
    redirect_base_url: 'http://localhost:8081',
    quota: { limit: 300, used: 7, resets_at: '2026-09-21T14:13:20.000Z' },
  },
};

describe('login, whoami, logout', () => {
  const environment = () => ({ WAYPOST_API_KEY: undefined, WAYPOST_URL: undefined, XDG_CONFIG_HOME: folder });
  const login = (...args: string[]) =>
    api.run(['login', '--url', `${api.url}/`, ...args], { stdin: `${KEY}\n`, environment: environment() });

  test('a valid key is stored for its owner only, and later commands use it', async () => {
    api.reply(account);
    expect(JSON.parse((await login('--json')).stdout)).toMatchObject({ profile: 'default', scopes: ['read', 'write'] });
    const file = path.join(folder, 'waypost/profiles.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    expect(fs.readdirSync(path.dirname(file))).toEqual(['profiles.json']);

    api.reply({ body: LINK });
    expect((await api.run(['get', 'aB3dE6g'], { environment: environment() })).code).toBe(0);
    expect(api.seen[0]!.headers.authorization).toBe(`Bearer ${KEY}`);

    api.reply(account);
    const { stdout } = await api.run(['whoami', '--json'], { environment: environment() });
    expect(JSON.parse(stdout)).toEqual({
      url: api.url,
      profile: 'default',
      email: 'ada@example.org',
      scopes: ['read', 'write'],
      quota: { limit: 300, used: 7, remaining: 293, reset_at: '2026-09-21T14:13:20.000Z' },
    });

    expect((await api.run(['logout'], { environment: environment() })).code).toBe(0);
    expect(fs.readFileSync(file, 'utf8')).not.toContain(KEY);
    expect((await api.run(['list'], { environment: environment() })).code).toBe(2);
  });

  test('an invalid key is not stored', async () => {
    api.reply(refusal(401, 'unauthorized', `Not ${KEY}.`));
    expect(await login()).toMatchObject({ code: 5, stderr: 'Not [API key].\n' });
    expect(fs.existsSync(path.join(folder, 'waypost'))).toBe(false);
  });

  test('a stored key is not sent to another address, nor used if another key is given', async () => {
    api.reply(account);
    await login('--profile', 'work');
    const elsewhere = { ...environment(), WAYPOST_URL: 'http://127.0.0.1:1' };
    expect(await api.run(['list'], { environment: elsewhere })).toMatchObject({ code: 2, waits: [] });
    api.reply(page);
    const other = { ...environment(), WAYPOST_API_KEY: `${KEY}2`, WAYPOST_URL: api.url };
    await api.run(['list'], { environment: other });
    expect(api.seen[0]!.headers.authorization).toBe(`Bearer ${KEY}2`);
    api.reply(page);
    await api.run(['list', '--profile', 'work'], { environment: { ...other, WAYPOST_URL: undefined } });
    expect(api.seen[0]!.headers.authorization).toBe(`Bearer ${KEY}`);
    expect((await api.run(['list', '--profile', 'home'], { environment: environment() })).stderr).toContain('work');
  });

  test('whoami distinguishes a suspended account from an invalid key', async () => {
    const message = 'This account is suspended: A test.';
    api.reply(refusal(403, 'forbidden', message));
    expect(await api.run(['whoami'])).toMatchObject({ code: 5, stderr: expect.stringContaining(message) });
    api.reply(refusal(401, 'unauthorized', 'No.'));
    expect((await api.run(['whoami'])).code).toBe(5);
  });
});

describe('keys', () => {
  const key = {
    id: 'b7a5f3a0-7d52-4b7c-9a52-0f3c1f6f2b44',
    name: 'a\u202eb',
    scopes: ['read', 'write'],
    hint: 'wp_0123456',
    created_at: '2026-11-21T09:30:00.000Z',
    expires_at: '2027-01-31T00:00:00.000Z',
  };

  test('can be listed, created and deleted', async () => {
    api.reply({ body: { data: [{ ...key, last_used_at: null }], limit: 20 } });
    const list = await api.run(['keys', 'list']);
    expect(list.stdout).toMatch(/b7a5f3a0-\S+ +read, write +never +2027-01-31 00:00 +a\S*b\n\n1 key of 20\.\n$/);
    expect(list.stdout).not.toContain('\u202e');

    api.reply({ status: 201, body: { ...key, key: 'wp_new' } });
    const options = ['--name', 'CI', '--scopes', 'read, write', '--expires', '2027-01-31'];
    expect((await api.run(['keys', 'create', ...options])).stdout).toMatch(/wp_new[\s\S]*not shown again/);
    expect(api.seen).toMatchObject([
      { method: 'POST', url: '/api/v1/account/keys', body: { scopes: ['read', 'write'], expires_at: key.expires_at } },
    ]);

    const webhooks = [{ id: 'w1', url: 'https://hooks.example.org/\u202e', enabled: true }];
    api.reply({ body: { id: key.id, deleted_at: key.created_at, webhooks } });
    const deleted = await api.run(['keys', 'delete', key.id]);
    expect(deleted.stdout).toMatch(
      /To delete one: waypost webhooks delete ID\n {2}w1 {2}on {3}https:\/\/hooks\.example\.org/,
    );
    expect(deleted.stdout).not.toContain('\u202e');
    expect(api.seen).toMatchObject([{ method: 'DELETE', url: `/api/v1/account/keys/${key.id}` }]);
    api.reply({ body: { id: key.id, deleted_at: key.created_at, webhooks: [] } });
    await api.run(['keys', 'delete', key.id, '--webhooks', 'switch_off']);
    expect(api.seen).toMatchObject([{ url: `/api/v1/account/keys/${key.id}?webhooks=switch_off` }]);
  });

  test('are not created twice: a creation with unknown outcome is not retried', async () => {
    api.reply({ hangUp: true }, { status: 201, body: key });
    const { code, waits } = await api.run(['keys', 'create', '--name', 'CI', '--scopes', 'read']);
    expect({ code, waits, requests: api.seen.length }).toEqual({ code: 6, waits: [], requests: 1 });
    for (const end of ['soon', '2027-02-30', '2027-02-30T00:00:00Z']) {
      const wrong = await api.run(['keys', 'create', '--name', 'CI', '--scopes', 'read', '--expires', end]);
      expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('--expires') });
    }
  });
});

describe('qr', () => {
  const url = 'http://localhost:8081/aB3dE6g';

  test('draws a code on the terminal that a camera can read', async () => {
    const lines = (await api.run(['qr', url])).stdout.trimEnd().split('\n');
    expect(lines.pop()).toBe(url);
    const code = qrCode(url);
    const isDark = (x: number, y: number) => {
      const char = lines[(y + 2) >> 1]![x + 2]!;
      return y % 2 === 0 ? '▄ '.includes(char) : '▀ '.includes(char);
    };
    for (let y = -2; y < code.size + 2; y++)
      for (let x = -2; x < code.size + 2; x++) expect([x, y, isDark(x, y)]).toEqual([x, y, code.get(x, y)]);
  });

  const picture = (type: string, text: string | Uint8Array) => ({ headers: { 'Content-Type': type }, text });

  test('writes the picture that the API draws, byte by byte, for a slug or its short URL', async () => {
    const out = path.join(folder, 'code.svg');
    api.reply({ body: LINK }, { body: {} });
    expect((await api.run(['qr', 'aB3dE6g', '--out', out])).stderr).toContain('Check WAYPOST_URL.');
    api.reply({ body: LINK }, account, picture('image/svg+xml', '<svg></svg>'));
    const { stdout } = await api.run(['qr', url, '--out', out, '--margin', '0', '--correction', 'H', '--json']);
    expect(stdout).toBe(`${JSON.stringify({ url, out })}\n`);
    expect(api.seen[2]!.url).toBe('/api/v1/links/aB3dE6g/qr?margin=0&correction=H&format=svg');
    expect(fs.readFileSync(out, 'utf8')).toBe('<svg></svg>');

    const png = path.join(folder, 'code.PNG');
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    api.reply({ body: LINK }, account, picture('image/png', bytes));
    await api.run(['qr', 'aB3dE6g', '--out', png]);
    expect(api.seen[2]!.url).toBe('/api/v1/links/aB3dE6g/qr?format=png');
    expect(new Uint8Array(fs.readFileSync(png))).toEqual(bytes);
  });

  test('refuses what it cannot write, and says why', async () => {
    expect((await api.run(['qr', url, '--out', 'code.jpg'])).code).toBe(2);
    const alone = await api.run(['qr', url, '--size', '300']);
    expect(alone).toMatchObject({ code: 2, stderr: expect.stringContaining('require --out') });
    api.reply({ body: LINK }, account);
    const others = await api.run(['qr', 'https://other.example/aB3dE6g', '--out', 'code.svg']);
    expect(others).toMatchObject({ code: 2, stderr: expect.stringContaining(url) });
    api.reply({ body: LINK }, account, refusal(400, 'bad_request', 'color must be the darker of the two.'));
    const pale = await api.run(['qr', url, '--out', path.join(folder, 'code.svg'), '--color', '#eeeeee']);
    expect(pale).toMatchObject({ code: 1, stderr: expect.stringContaining('color') });
    api.reply({ body: LINK }, account, picture('image/png', '-'));
    const nowhere = await api.run(['qr', url, '--out', path.join(folder, 'no/code.png')]);
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringMatching(/^ENOENT: .*\n$/) });
  });
});

describe('bulk in batches', () => {
  const quotaOf = (remaining: number) => ({
    body: { ...account.body, quota: { limit: 300, used: 300 - remaining, resets_at: '2099-09-21T14:13:20.000Z' } },
  });
  const stdin = 'https://a.example/\nhttps://b.example/\n';

  test('continues with --wait when the quota allows more', async () => {
    const results = path.join(folder, 'made.csv');
    api.reply(quotaOf(0), quotaOf(2), { status: 201, body: { links: [CREATED, CREATED], total_created: 2 } });
    const { code, stdout, stderr, waits } = await api.run(['bulk', '-', '--results', results, '--wait'], { stdin });
    expect({ code, waits }).toEqual({ code: 0, waits: [60_000] });
    expect(stderr).toMatch(/^The quota is used up\. More links can be created at 14:13 UTC/);
    expect(stdout).toBe(`2 of 2 links created.\nResult of each row: ${results}\n`);
    expect(fs.readdirSync(folder)).toEqual(['made.csv']);
  });

  test('an error keeps the results so far, and says so', async () => {
    const results = path.join(folder, 'made.csv');
    const fault = refusal(500, 'internal_error', 'Oh.');
    api.reply(
      quotaOf(1),
      { status: 201, body: { links: [CREATED], total_created: 1 } },
      quotaOf(1),
      fault,
      fault,
      fault,
    );
    const { code, stderr } = await api.run(['bulk', '-', '--results', results], { stdin });
    expect(code).toBe(6);
    expect(stderr).toContain('The results so far are stored. Run the same command again to continue.');
    expect(fs.readFileSync(results, 'utf8')).toMatch(/\nline 1,active,.*\r\nline 2,left,/);
    const nowhere = await api.run(['bulk', '-', '--results', path.join(folder, 'no/made.csv')], { stdin });
    expect(nowhere).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be written') });
  });

  test('a row that is not a link is refused, and the table lists all rows', async () => {
    const results = path.join(folder, 'made.csv');
    api.reply(quotaOf(9), refusal(400, 'bad_request', 'No.', { 'links[0]': 'must be an object' }), quotaOf(9), {
      status: 201,
      body: { links: [CREATED], total_created: 1 },
    });
    const list = { stdin: '[null, "https://a.example/"]' };
    expect((await api.run(['bulk', '-', '--results', results], list)).code).toBe(4);
    const table = fs.readFileSync(results, 'utf8');
    expect(table).toMatch(/\nentry 1,refused,,,must be an object,null\r\nentry 2,active,/);

    // The same command creates nothing again. A command with another list replaces the results.
    api.reply();
    expect((await api.run(['bulk', '-', '--results', results], list)).code).toBe(4);
    expect(fs.readFileSync(results, 'utf8')).toBe(table);
    api.reply(quotaOf(9), { status: 201, body: { links: [CREATED], total_created: 1 } });
    const another = { stdin: 'https://b.example/\n' };
    expect((await api.run(['bulk', '-', '--results', results], another)).code).toBe(0);
    expect(fs.readdirSync(folder)).toEqual(['made.csv']);
  });

  test('a repeated slug of a later batch is named by its line in the file', async () => {
    const results = path.join(folder, 'made.csv');
    const created = { status: 201, body: { links: [CREATED], total_created: 1 } };
    const repeated = { 'links[1].custom_slug': 'is the same as links[0].custom_slug' };
    api.reply(quotaOf(1), created, quotaOf(9), refusal(400, 'bad_request', 'No.', repeated), quotaOf(8), created);
    const list = { stdin: 'https://a.example/\nhttps://b.example/, menu\nhttps://c.example/, menu\n' };
    expect((await api.run(['bulk', '-', '--results', results], list)).code).toBe(4);
    expect(fs.readFileSync(results, 'utf8')).toMatch(
      /\nline 3,refused,,,custom_slug is the same as custom_slug of line 2,/,
    );
  });

  test('a dry run of more links than the quota is split into steps', async () => {
    const quotaHeaders = {
      'X-RateLimit-Limit': '3',
      'X-RateLimit-Used': '1',
      'X-RateLimit-Remaining': '2',
      'X-RateLimit-Reset': '9',
    };
    const checked = { link: { ...LINK, slug: null }, short_url: null };
    const answer = (count: number) => ({ body: { links: Array(count).fill(checked), total_created: 0 } });
    api.reply({ ...refusal(400, 'bad_request', 'Too many.'), headers: quotaHeaders }, answer(2), answer(2), answer(1));
    const urls = Array.from({ length: 5 }, (_, i) => `https://${i}.example/`);
    const { code, stdout } = await api.run(['bulk', '-', '--dry-run'], { stdin: urls.join('\n') });
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('would be created: 5.') });
    const links = api.seen.slice(1).flatMap(({ body }) => (body as { links: { destination_url: string }[] }).links);
    expect(links.map((link) => link.destination_url)).toEqual(urls);
    api.reply({ ...refusal(400, 'bad_request', 'Wrong.'), headers: { ...quotaHeaders, 'X-RateLimit-Remaining': '5' } });
    expect((await api.run(['bulk', '-', '--dry-run'], { stdin: urls.join('\n') })).code).toBe(1);
  });

  test('more than 500 links from stdin need --results', async () => {
    const many = await api.run(['bulk', '-'], { stdin: 'https://a.example/\n'.repeat(501) });
    expect(many).toMatchObject({ code: 2, stderr: expect.stringContaining('--results') });
  });
});

describe('admin, through the API', () => {
  const email = 'a@example.org';
  const at = '/api/v1/admin/accounts/a%40example.org';
  const time = '2026-11-21T12:30:05.123Z';
  const session = { id: '9f86d081884c', browser: 'Firefox', system: 'Linux', country: 'DE', started_at: time };
  const none = { devices: [], passkeys: [], identities: [], keys: [], webhooks: [] };
  const credentials = { email, has_password: true, sessions: [session], ...none };
  const person = { id: 'x', email, admin: false, creations_per_hour: null, suspended_at: null, created_at: time };
  const suspended = { ...person, suspended_at: time, suspension_reason: 'A\u202escam.' };
  const number = 'k7Qm2Rx-aB3dE6g';
  const decided = { number, kind: 'report', slug: 'aB3dE6g', category: 'spam', message: 'a\nb', state: 'upheld' };
  const key = { id: 'k', name: 'CI', scopes: ['write'], created_at: time, last_used_at: null, expires_at: null };
  const entry = { at: time, actor: email, action: 'key.deleted', outcome: 'refused', subject: 'k', detail: 'no key' };
  const verdict = {
    at: time,
    source: 'scan',
    outcome: 'flagged',
    threat_type: 'spam',
    reasons: [{ rule: 'r', evidence: 'e' }],
  };
  const since = expect.stringMatching(/^\/api\/v1\/admin\/audit\?since=20\d\d-.*Z&actor=operator&limit=5$/);

  test.each<[line: string, asked: object, answer: object, said: RegExp]>([
    [
      `list-accounts --search a --status suspended --page 1`,
      { method: 'GET', url: '/api/v1/admin/accounts?search=a&status=suspended&page=1' },
      { data: [suspended], total: 11, page: 1, limit: 10, total_pages: 2 },
      /default +2026-11-21 12:30 +a@example\.org\n\nPage 1 of 2, 11 accounts in all\. Next: --page 2\n$/,
    ],
    [
      `create-account --email ${email} --admin`,
      { method: 'POST', url: '/api/v1/admin/accounts', body: { email, admin: true, sign_in_link: true } },
      { ...person, admin: true, sign_in_url: 'http://x/y' },
      /administrator +yes\nsign in +http:\/\/x\/y \(valid once, for one hour\)\n$/,
    ],
    [
      `suspend-account --email ${email} --reason scam`,
      { method: 'PUT', url: `${at}/suspension`, body: { reason: 'scam' } },
      suspended,
      /^a@example\.org is suspended: A\\u\{202E\}scam\.\n/,
    ],
    [`suspend-account --email ${email} --lift`, { method: 'DELETE', url: `${at}/suspension` }, person, /not suspended/],
    [`resume-account --email ${email}`, { method: 'DELETE', url: `${at}/suspension` }, person, /is not suspended/],
    [
      `set-limit --email ${email} --creations-per-hour 7`,
      { method: 'PUT', url: `${at}/limit`, body: { creations_per_hour: 7 } },
      { email, creations_per_hour: 7 },
      /^a@example\.org may create 7 links per hour\.\n$/,
    ],
    [
      `set-limit --email ${email} --creations-per-hour default`,
      { method: 'PUT', url: `${at}/limit`, body: { creations_per_hour: null } },
      { email, creations_per_hour: null },
      /the default number of links/,
    ],
    [
      `list-credentials --email ${email}`,
      { method: 'GET', url: `${at}/credentials` },
      credentials,
      /has a password and these credentials:[\s\S]+session +9f86d081884c .+ Firefox on Linux, DE\n/,
    ],
    [
      `secure-account --email ${email} --remove k,w --password`,
      { method: 'POST', url: `${at}/secure`, body: { remove: ['k', 'w'], password: true } },
      { ...credentials, has_password: false, sessions: [] },
      /has no password and no other credentials\.\n$/,
    ],
    [`list-keys --email ${email}`, { method: 'GET', url: `${at}/keys` }, { data: [key], limit: 20 }, /k +write +never/],
    [
      `create-key --email ${email} --name CI --scopes write --expires 90d`,
      { method: 'POST', url: `${at}/keys`, body: { scopes: ['write'], expires_at: expect.stringMatching(/^20.*Z$/) } },
      { ...key, key: 'wp_new' },
      /wp_new[\s\S]*not shown again/,
    ],
    [
      'delete-key --id k',
      { method: 'DELETE', url: '/api/v1/admin/keys/k' },
      { id: 'k', deleted_at: time, webhooks: [] },
      /is deleted/,
    ],
    [
      'inspect-link --slug aB3dE6g',
      { method: 'GET', url: '/api/v1/admin/links/aB3dE6g' },
      { link: LINK, owner: email, verdicts: [verdict] },
      /owner +a@example\.org\n[\s\S]*flagged +spam +r: e\n$/,
    ],
    [
      'take-down --slug aB3dE6g --threat-type spam --reason why',
      { method: 'POST', url: '/api/v1/admin/links/aB3dE6g/take-down', body: { threat_type: 'spam', reason: 'why' } },
      { ...LINK, status: 'flagged', threat_type: 'spam', take_down_reason: 'why' },
      /status +flagged \(spam\)\n[\s\S]*taken down +why\n$/,
    ],
    [
      'review --slug aB3dE6g --decision clear --reason wrong',
      { method: 'POST', url: '/api/v1/admin/links/aB3dE6g/review', body: { decision: 'clear', reason: 'wrong' } },
      LINK,
      /status +active\n/,
    ],
    [
      'list-cases --state open --about aB3dE6g',
      { method: 'GET', url: '/api/v1/admin/cases?state=open&about=aB3dE6g' },
      { data: [{ ...decided, state: 'open', created_at: time }], next: '9' },
      /k7Qm2Rx-aB3dE6g +report +open .* a\\u\{A\}b\n\nNext: --before 9\n$/,
    ],
    [
      `decide-case --number ${number} --decision upheld --reason why --threat-type scam`,
      {
        url: `/api/v1/admin/cases/${number}/decision`,
        body: { decision: 'upheld', reason: 'why', threat_type: 'scam' },
      },
      { ...decided, reason: 'why' },
      /state +upheld\nreason +why\n$/,
    ],
    [
      'audit --since 7d --actor operator --limit 5',
      { url: since },
      { data: [entry], next: null },
      /\(refused\) +k +no key\n$/,
    ],
    [
      `delete-account --email ${email}`,
      { method: 'DELETE', url: at },
      { email, deleted_at: time },
      /^a@example\.org is deleted/,
    ],
    [
      'feeds',
      { url: '/api/v1/admin/feeds' },
      {
        data: [
          {
            name: 'mine',
            entries: 7,
            updated_at: time,
            age_seconds: 1,
            stale: true,
            last_error: 'away',
            own_addresses: [{ address: 'go.example.org/', since: time }],
            own_links: [],
            removal_url: null,
          },
        ],
        takedown_times: null,
      },
      /mine +7 +2026-11-21 12:30 +yes +1 +away\n$/,
    ],
    [
      'health',
      { url: '/readyz' },
      { status: 'ready', dependencies: { disk: { ok: true } } },
      /disk +ok\noverall +ready\n$/,
    ],
  ])('%s', async (line, request, answer, output) => {
    api.reply({ body: answer });
    const { code, stdout, stderr } = await api.run(['admin', ...line.split(' ')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(api.seen).toMatchObject([request]);
    expect(stdout).toMatch(output);
    api.reply({ body: answer });
    expect(JSON.parse((await api.run(['admin', ...line.split(' '), '--json'])).stdout)).toEqual(answer);
  });

  test.each([
    'revoke aB3dE6g',
    `admin suspend-account --email ${email} --reason scam`,
    `admin delete-account --email ${email}`,
    'admin delete-key --id k',
    'admin take-down --slug aB3dE6g --threat-type spam --reason why',
    `admin decide-case --number ${number} --decision upheld --reason why`,
  ])('a person must confirm: %s', async (line) => {
    const questions: string[] = [];
    const run = (answer: string, ...more: string[]) =>
      api.run([...line.split(' '), ...more], { terminal: answering(answer, questions) });
    api.reply({ body: { ...LINK, ...suspended, ...decided, webhooks: [] } });
    const no = await run('');
    expect(no).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^(Nobody|Nothing) was \w+/) });
    expect(api.seen).toEqual([]);
    expect((await run('y')).code).toBe(0);
    expect(questions).toEqual([expect.stringMatching(/\? \[y\/N\] $/), questions[0]]);
    api.reply({ body: { ...LINK, ...suspended, ...decided, webhooks: [] } });
    expect((await run('', '--yes')).code).toBe(0);
    expect(questions).toHaveLength(2);
  });

  test('wrong usage sends no request to the API', async () => {
    api.reply();
    for (const line of [
      `suspend-account --email ${email} --lift --reason x`,
      `secure-account --email ${email} --all --remove k`,
      `set-limit --email ${email} --creations-per-hour many`,
      'take-down --slug aB3dE6g --threat-type cats --reason x',
      'audit --since soon',
      'audit --since 2026-02-30',
      'list-accounts --page 0',
    ])
      expect([line, (await api.run(['admin', ...line.split(' ')])).code]).toEqual([line, 2]);
    expect(api.seen).toEqual([]);
    expect((await api.run(['admin', '--help'])).stdout).toMatch(/operator commands/);
  });

  describe('where Waypost runs', () => {
    async function operate(line: string, stdin = '') {
      const [out, err]: [string[], string[]] = [[], []];
      const client = new Waypost({ url: api.url, apiKey: '', retries: 0 });
      const questions: string[] = [];
      const terminal = {
        ...answering('', questions),
        out: (text: string) => void out.push(text),
        err: (text: string) => void err.push(text),
        readStdin: async () => Buffer.from(stdin),
        columns: undefined,
        sleep: async () => undefined,
        random: Math.random,
      };
      const operator = { api: client, addCommands: () => undefined };
      const code = await runOperator(line.split(' '), {}, operator, terminal);
      expect(questions).toEqual([]);
      return { code, stdout: out.join(''), stderr: err.join('') };
    }
    const { suspension_reason: _reason, ...listed } = suspended;
    const { outcome: _outcome, ...noted } = entry;
    const created = { id: 'x', email, admin: true, sign_in_url: 'http://x/y' };

    test.each<[line: string, asked: object, answer: object, json: unknown]>([
      [
        'list-accounts --page 2',
        { url: '/api/v1/admin/accounts?page=11&limit=100' },
        { data: [suspended], total: 1_001, page: 11, limit: 100, total_pages: 11 },
        [listed],
      ],
      [
        `create-account --email ${email} --admin --password-stdin`,
        { body: { email, admin: true, sign_in_link: true, password: 'two words' } },
        { ...created, expires_at: time },
        created,
      ],
      [`suspend-account --email ${email}`, { method: 'PUT', body: {} }, suspended, { email, suspended_at: time }],
      [`list-keys --email ${email}`, {}, { data: [{ ...key, hint: 'wp_k' }], limit: 20 }, [key]],
      [
        `create-key --email ${email} --name CI --scopes write`,
        { body: { name: 'CI', scopes: ['write'] } },
        { id: 'k', name: 'CI', scopes: ['write'], hint: 'wp_k', created_at: time, expires_at: null, key: 'wp_new' },
        { id: 'k', name: 'CI', scopes: ['write'], key: 'wp_new', created_at: time },
      ],
      [
        'audit --subject k',
        { url: '/api/v1/admin/audit?subject=k&limit=100' },
        { data: [entry], next: null },
        [{ ...noted, detail: 'refused: no key' }],
      ],
      ['take-down --slug aB3dE6g --threat-type spam --reason x', { method: 'POST' }, LINK, LINK],
      [
        `delete-account --email ${email} --yes`,
        { method: 'DELETE' },
        { email, deleted_at: time },
        { email, deleted_at: time },
      ],
    ])('%s prints what operators are promised, and asks nobody', async (line, request, answer, json) => {
      api.reply({ body: answer });
      const { code, stdout, stderr } = await operate(`${line} --json`, 'two words\n');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(api.seen).toMatchObject([request]);
      expect(JSON.parse(stdout)).toEqual(json);
    });

    test('lists longer than a page of the API are read part by part', async () => {
      const rows = (count: number) => Array.from({ length: count }, () => entry);
      api.reply({ body: { data: rows(100), next: '7' } }, { body: { data: rows(50), next: '3' } });
      expect(JSON.parse((await operate('audit --limit 150 --json')).stdout)).toHaveLength(150);
      expect(api.seen.map(({ url }) => url.split('?')[1])).toEqual(['limit=100', 'limit=50&before=7']);
      const page = (data: object[]) => ({ body: { data, total: 102, page: 1, limit: 100, total_pages: 2 } });
      api.reply(page(Array.from({ length: 100 }, () => person)), page([person, person]));
      expect(JSON.parse((await operate('list-accounts --json')).stdout)).toHaveLength(102);
    });

    test('everything that an account has is removed by its ids', async () => {
      const all = { ...credentials, keys: [{ id: 'k' }], webhooks: [{ id: 'w' }] };
      api.reply({ body: all }, { body: credentials });
      expect((await operate(`secure-account --email ${email} --all --json`)).code).toBe(0);
      expect(api.seen[1]).toMatchObject({ url: `${at}/secure`, body: { remove: ['k', 'w'] } });
    });

    test('an error ends with 1, wrong usage with 2', async () => {
      for (const status of [401, 403, 404, 429, 503]) {
        api.reply(refusal(status, 'x', 'Not now.'));
        expect(await operate(`list-keys --email ${email}`)).toMatchObject({
          code: 1,
          stdout: '',
          stderr: expect.stringContaining('Not now'),
        });
      }
      api.reply();
      expect((await operate(`delete-account --email ${email}`)).code).toBe(1);
      for (const line of ['list-keys', 'nothing', `list-keys --email ${email} --colour red`, 'feeds', ''])
        expect([line, (await operate(line)).code]).toEqual([line, 2]);
      expect(api.seen).toEqual([]);
    });
  });

  test('health exits with 6 while a required dependency is down', async () => {
    api.reply({ status: 503, body: { status: 'not_ready', dependencies: { database: { ok: false } } } });
    const { code, stdout } = await api.run(['admin', 'health']);
    expect({ code, stdout }).toEqual({ code: 6, stdout: 'database  NOT OK\noverall   NOT READY\n' });
  });
});

describe('webhooks', () => {
  const ID = '4f0c8f52-2a3c-4a57-8f6e-1d2b3c4d5e6f';
  const MESSAGE = 'msg_0d4f0b7e-6a51-4d0c-9b1f-2f3a4b5c6d7e';
  const WEBHOOK = {
    id: ID,
    url: 'https://hooks.example.org/',
    events: ['link.flagged'],
    enabled: false,
    disabled_reason: 'gone',
    disabled_at: '2026-11-21T12:30:05.123Z',
    failing_since: '2026-11-21T12:30:05.123Z',
    created_at: '2026-11-21T12:30:05.123Z',
  };
  const DELIVERY = {
    id: MESSAGE,
    type: 'link.flagged',
    state: 'failed',
    created_at: '2026-11-21T12:30:05.123Z',
    attempts: 16,
    last_attempt_at: '2026-11-22T12:30:05.123Z',
    next_attempt_at: null,
    last_status: 500,
    last_error: 'returned status 500',
    last_answer: '\u001b[31mno',
  };
  const at = `/api/v1/webhooks/${ID}`;

  test.each([
    [['list'], { body: { data: [WEBHOOK], limit: 10 } }, 'GET', '/api/v1/webhooks', 'disabled (gone)'],
    [['show', ID], { body: WEBHOOK }, 'GET', at, 'disabled since 2026-11-21 12:30 UTC (gone)'],
    [['delete', ID], { body: { id: ID, deleted_at: '' } }, 'DELETE', at, 'Deleted.'],
    [['test', ID], { status: 201, body: DELIVERY }, 'POST', `${at}/test`, MESSAGE],
    [
      ['deliveries', ID, '--state', 'failed'],
      { body: { data: [DELIVERY], next: MESSAGE } },
      'GET',
      `${at}/deliveries?state=failed`,
      `Next: --before ${MESSAGE}`,
    ],
    [['replay', ID, MESSAGE], { body: DELIVERY }, 'POST', `${at}/deliveries/${MESSAGE}/replay`, 'failed'],
    [['rotate', ID], { body: { ...WEBHOOK, secret: 'whsec_x' } }, 'POST', `${at}/secret`, 'whsec_x'],
  ] as const)('%j', async (args, reply, method, url, words) => {
    api.reply(reply);
    const { code, stdout } = await api.run(['webhooks', ...args]);
    expect([code, api.seen.map((each) => [each.method, each.url])]).toEqual([0, [[method, url]]]);
    expect(stdout).toContain(words);
    expect(stdout).not.toContain('\u001b');
    api.reply(reply);
    expect(JSON.parse((await api.run(['webhooks', ...args, '--json'])).stdout)).toEqual(reply.body);
  });

  test.each([
    ['enable', true],
    ['disable', false],
  ])('%s changes nothing else', async (name, enabled) => {
    api.reply({ body: WEBHOOK }, { body: { ...WEBHOOK, enabled } });
    expect((await api.run(['webhooks', name, ID])).code).toBe(0);
    expect(api.seen[1]).toMatchObject({
      method: 'PUT',
      url: at,
      body: { url: WEBHOOK.url, events: WEBHOOK.events, enabled },
    });
  });

  test('create shows the secret once, and requires events', async () => {
    api.reply({ status: 201, body: { ...WEBHOOK, secret: 'whsec_x' } });
    const command = ['webhooks', 'create', WEBHOOK.url, '--event', 'link.flagged', '--event', 'link.clicked'];
    expect((await api.run(command)).stdout).toContain('whsec_x');
    expect(api.seen[0]!.body).toEqual({ url: WEBHOOK.url, events: ['link.flagged', 'link.clicked'] });
    expect(await api.run(['webhooks', 'create', WEBHOOK.url])).toMatchObject({ code: 2 });
    expect(await api.run(['webhooks', 'test', '../links'])).toMatchObject({ code: 2 });
  });

  test('create and rotate are not retried if they may have taken effect', async () => {
    for (const args of [
      ['create', WEBHOOK.url, '--event', 'link.flagged'],
      ['rotate', ID],
    ]) {
      api.reply({ hangUp: true }, { body: WEBHOOK });
      expect((await api.run(['webhooks', ...args])).code).toBe(6);
      expect(api.seen).toHaveLength(1);
    }
  });
});

describe('open, export, list --all', () => {
  test('open opens the destination only if the link is active', async () => {
    const opened: string[] = [];
    const terminal = { browse: async (url: string) => void opened.push(url) };
    api.reply({ body: LINK });
    expect(await api.run(['open', 'aB3dE6g'], { terminal })).toMatchObject({
      code: 0,
      stdout: `${LINK.destination_url}\n`,
    });
    api.reply({ body: { ...LINK, status: 'flagged' } });
    expect((await api.run(['open', 'aB3dE6g'], { terminal })).code).toBe(1);
    expect(opened).toEqual([LINK.destination_url]);
  });

  const pages = [1, 2].map((number) => ({
    body: {
      data: [{ ...LINK, slug: `slug${number}`, tags: ['a', 'b"c'] }],
      total: 2,
      page: number,
      limit: 1,
      total_pages: 2,
    },
  }));

  test('export writes all pages as CSV or JSON lines', async () => {
    api.reply(...pages);
    const row = (slug: string) =>
      `${slug},https://www.wikipedia.org/,active,,"a,b""c",2026-11-21T12:30:05.123Z,2026-11-21T12:30:05.123Z,,,,\r\n`;
    expect((await api.run(['export'])).stdout).toBe(
      `slug,destination_url,status,threat_type,tags,created_at,updated_at,revoked_at,title,note,ends_at\r\n${row('slug1')}${row('slug2')}`,
    );
    api.reply(...pages);
    const out = path.join(folder, 'links.jsonl');
    const { stdout } = await api.run(['export', '--format', 'jsonl', '--out', out, '--json', '--tag', 'a']);
    expect(JSON.parse(stdout)).toEqual({ links: 2, out });
    expect(
      fs
        .readFileSync(out, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).slug),
    ).toEqual(['slug1', 'slug2']);
    expect(api.seen[1]!.url).toBe('/api/v1/links?tag=a&page=2&limit=100');
  });

  test('an export that fails does not change the earlier file', async () => {
    const out = path.join(folder, 'links.csv');
    fs.writeFileSync(out, 'of yesterday');
    api.reply(pages[0]!, refusal(401, 'unauthorized', 'No.'));
    expect((await api.run(['export', '--out', out])).code).toBe(5);
    expect([fs.readdirSync(folder), fs.readFileSync(out, 'utf8')]).toEqual([['links.csv'], 'of yesterday']);
  });

  test('export --clicks-by-day writes the days of each link as an import reads them', async () => {
    const days = [3, 0, 5].map((clicks, i) => ({ date: `2026-11-0${i + 1}`, clicks }));
    const clicks = { body: { period: '90d', links: [{ slug: 'aB3dE6g', total_clicks: 8, time_series: days }] } };
    api.reply(page, clicks);
    const [header, row] = (await api.run(['export', '--clicks-by-day'])).stdout.split('\r\n');
    expect(header).toMatch(/,revoked_at,title,note,ends_at,clicks_by_day$/);
    expect(row).toMatch(/,2026-11-01=3 2026-11-03=5$/);
    expect(api.seen.at(-1)!.url).toBe('/api/v1/links/clicks?period=90d&slugs=aB3dE6g');
    api.reply(page, clicks);
    const { stdout } = await api.run(['export', '--clicks-by-day', '--format', 'jsonl']);
    expect(JSON.parse(stdout).clicks_by_day).toBe('2026-11-01=3 2026-11-03=5');
  });

  test('list --all shows everything as one page', async () => {
    api.reply(...pages);
    expect(JSON.parse((await api.run(['list', '--all', '--json'])).stdout)).toMatchObject({
      total: 2,
      page: 1,
      limit: 2,
    });
    expect((await api.run(['list', '--all', '--page', '2'])).code).toBe(2);
  });
});

describe('at a terminal', () => {
  test('output has colours, fits the width and says what to do next', async () => {
    api.reply(page);
    const { stdout } = await api.run(['list'], { terminal: { colours: true, columns: 64 } });
    expect(stdout).toContain('\u001b[32mactive\u001b[39m');
    expect(stdout).toContain('https://www.wi…');
    api.reply(refusal(401, 'unauthorized', 'No.'));
    const { stderr } = await api.run(['list'], { terminal: answering('') });
    expect(stderr).toMatch(/^No\.\n.*waypost login\n$/);
  });

  test('a list has a column of titles if a link has one, but not in a pipe', async () => {
    const titled = { ...LINK, title: 'The menu of this spring, with all its wines' };
    for (const [data, terminal, words] of [
      [[LINK], { columns: 120 }, /CREATED \(UTC\) +TAGS/],
      [[LINK, titled], { columns: 120 }, /CREATED \(UTC\) +TITLE +TAGS[\s\S]+The menu of this spring… {2}/],
      [[titled], { columns: undefined }, /^[^\t\n]+(\t[^\t\n]*){4}\n$/],
    ] as const) {
      api.reply({ body: { data, total: 1, page: 1, limit: 10, total_pages: 1 } });
      expect((await api.run(['list'], { terminal })).stdout).toMatch(words);
    }
  });

  test('an error suggests the right spelling', async () => {
    expect((await api.run(['lsit'])).stderr).toContain('Did you mean list?');
    expect((await api.run(['list', '--stauts', 'active'])).stderr).toContain('Did you mean --status?');
  });
});

describe('completion', () => {
  const complete = async (...words: string[]) =>
    (await api.run(['complete', '--', ...words])).stdout.trim().split('\n');

  test('knows commands, options and values', async () => {
    expect(await complete('li')).toEqual(['list']);
    expect(await complete('list', '--st')).toEqual(['--status']);
    expect(await complete('list', '--status', '')).toEqual(['active', 'flagged', 'revoked']);
    expect(await complete('admin', 'r')).toEqual(['resume-account', 'review']);
    expect(await complete('admin', 'list-cases', '--state', 'o')).toEqual(['open']);
    expect(await complete('bulk', '')).toEqual(['']);
  });

  test('bash uses the completion script', async () => {
    const { stdout: script } = await api.run(['completion', 'bash']);
    const bash = `waypost() { printf '%s\\n' "$@"; }\n${script}\nCOMP_WORDS=(waypost list --st); COMP_CWORD=2; _waypost; printf '%s ' "\${COMPREPLY[@]}"`;
    expect(execFileSync('bash', ['-c', bash], { encoding: 'utf8' })).toBe('complete -- list --st ');
  });
});

describe('scan, reviews, api', () => {
  const time = '2026-11-21T12:30:05.123Z';
  const reasons = [{ rule: 'feed:phishing', evidence: 'a.example/' }];
  const verdict = { at: time, source: 'take_down', outcome: 'flagged', threat_type: 'phishing', reasons };
  const scan = { scanned_at: time, generation: '12-3f', outcome: 'flagged', threat_type: 'phishing', reasons };
  const review = {
    number: 'k7Qm2Rx-aB3dE6g',
    kind: 'review',
    slug: LINK.slug,
    category: null,
    message: 'Ours.',
    state: 'open',
    reason: null,
    created_at: time,
  };

  test.each([
    [
      ['scan', LINK.slug],
      { ...scan, history: [verdict] },
      { method: 'GET', url: `/api/v1/links/${LINK.slug}/scan` },
      /flagged \(phishing\)[\s\S]*feed:phishing: a\.example\/[\s\S]*take down/,
    ],
    [
      ['reviews', 'list', '--state', 'open'],
      { data: [review], next: null },
      { method: 'GET', url: '/api/v1/review-requests?state=open' },
      /k7Qm2Rx-aB3dE6g/,
    ],
    [
      ['reviews', 'request', LINK.slug, '--message', 'Ours.'],
      review,
      { method: 'POST', url: `/api/v1/links/${LINK.slug}/review-request`, body: { message: 'Ours.' } },
      /state +open/,
    ],
    [
      ['api', 'get', 'links', '-f', 'tag=a b', '-f', 'tag=c', '-f', 'limit=1'],
      { data: [] },
      { method: 'GET', url: '/api/v1/links?tag=a+b&tag=c&limit=1' },
      /^\{\n {2}"data": \[\]\n\}\n$/,
    ],
    [
      ['api', 'POST', '/api/v1/links', '-f', 'destination_url=https://a.example/?a=1', '-f', 'tags[]=x'],
      CREATED,
      { method: 'POST', url: '/api/v1/links', body: { destination_url: 'https://a.example/?a=1', tags: ['x'] } },
      /"short_url"/,
    ],
    [
      ['api', 'PUT', 'webhooks/ID', '--body', '-'],
      {},
      { method: 'PUT', url: '/api/v1/webhooks/ID', body: { enabled: true } },
      /^\{\}\n$/,
    ],
  ] as const)('%j', async (args, answer, request, output) => {
    api.reply({ body: answer });
    const { code, stdout } = await api.run(args, { stdin: '{"enabled":true}' });
    expect({ code, seen: api.seen }).toMatchObject({ code: 0, seen: [request] });
    expect(stdout).toMatch(output);
  });

  test('api sends no key to another host, and no body that is not JSON', async () => {
    for (const args of [
      ['GET', '@other.example/'],
      ['GET', 'https://other.example/'],
    ]) {
      api.reply({ body: {} });
      await api.run(['api', ...args]);
      expect(api.seen[0]!.url).toMatch(/^\/api\/v1\//);
    }
    api.reply();
    for (const args of [
      ['HEAD', 'links'],
      ['GET', 'links', '-f', 'limit'],
      ['GET', 'links', '--body', '-'],
      ['POST', 'links', '--body', '-'],
    ])
      expect((await api.run(['api', ...args], { stdin: '{' })).code).toBe(2);
    expect(api.seen).toEqual([]);
  });

  test('api does not repeat a POST that may have taken effect', async () => {
    api.reply({ hangUp: true }, { body: {} });
    expect((await api.run(['api', 'POST', 'links', '-f', 'a=b'])).code).toBe(6);
    expect(api.seen).toHaveLength(1);
  });
});

describe('a proxy', () => {
  /** Answers each CONNECT with this status. With 0, it closes the connection. */
  async function failing(status: number) {
    let tries = 0;
    const server = http.createServer().on('connect', (_request, socket) => {
      tries++;
      if (status === 0) socket.destroy();
      else socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: 0\r\n\r\n`);
    });
    const url = new URL(await listening(server));
    url.username = 'ada';
    url.password = 'secret';
    return { url, tries: () => tries, stop: () => server.close() };
  }

  test.each([
    [0, 'failed: the connection was closed.'],
    [407, 'answered 407: it requires a user name and a password.'],
    [502, 'answered 502.'],
  ])('that does not serve (%d) is tried three times, and named without its password', async (status, words) => {
    const { url, tries, stop } = await failing(status);
    const { code, stderr } = await api.run(['list'], { environment: { http_proxy: url.href } });
    stop();
    expect([code, tries()]).toEqual([6, 3]);
    expect(stderr).toContain(`did not respond: the proxy ${url.host} ${words} Tried 3 times.`);
    expect(stderr).not.toContain('secret');
  });

  test('that is not there is named', async () => {
    const { url, stop } = await failing(0);
    stop();
    const { code, stderr } = await api.run(['list'], { environment: { http_proxy: url.host } });
    expect(code).toBe(6);
    expect(stderr).toContain(`the proxy ${url.host} failed: the connection was refused.`);
  });

  test('of another kind is refused before any request', async () => {
    const { code, stderr } = await api.run(['list'], { environment: { http_proxy: 'socks5://ada:secret@a.example' } });
    expect(code).toBe(2);
    expect(stderr).toContain('HTTP_PROXY must be an address such as');
    expect(stderr).not.toContain('secret');
  });

  test('carries all requests of a command through one connection', async () => {
    const { url, tunnels, stop } = await startProxy();
    const pages = [1, 2].map((page) => ({ body: { data: [LINK], total: 200, page, limit: 100, total_pages: 2 } }));
    api.reply(...pages);
    expect((await api.run(['list', '--all'], { environment: { http_proxy: url } })).code).toBe(0);
    expect([api.seen.length, tunnels.length]).toEqual([2, 1]);
    stop();
  });
});

test('HTTP_PROXY and NO_PROXY are obeyed', async () => {
  const { url: HTTP_PROXY, tunnels, stop } = await startProxy();
  const environment = { HTTP_PROXY };
  api.reply(page);
  expect((await api.run(['list'], { environment })).code).toBe(0);
  expect(tunnels).toEqual([new URL(api.url).host]);
  api.reply(page);
  expect((await api.run(['list'], { environment: { ...environment, NO_PROXY: '127.0.0.1' } })).code).toBe(0);
  expect(tunnels).toHaveLength(1);
  stop();
});
