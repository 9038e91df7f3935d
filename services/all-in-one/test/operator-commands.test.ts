/** `waypost admin …`: the real command line, while the service runs and while it is stopped. */
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { freshEmail as email } from './people.ts';
import { newWaypost, product } from './product.ts';
import { ended, environmentOf, startProgram, WAYPOST } from './programs.ts';
import { anyLink, comesTo, DESTINATION, figuresOf, freshHost, freshSlug, newLink, visit } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const folder = newFolder();
const { waypost } = product({});

const run = (
  args: readonly string[],
  {
    input = '',
    environment = {},
    program = WAYPOST,
  }: { input?: string; environment?: NodeJS.ProcessEnv; program?: string } = {},
) => ended(startProgram(program, args, folder, { ...environmentOf(waypost), ...environment }), input);

/** With --json: prints exactly one JSON value on stdout. */
async function admin<T = Json>(...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await run(['admin', ...args, '--json']);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout);
}

async function fails(code: 1 | 2, args: readonly string[], words: RegExp, options = {}): Promise<void> {
  const ran = await run(args, options);
  expect([ran.code, ran.stdout]).toEqual([code, '']);
  expect(ran.stderr).toMatch(words);
  expect(ran.stderr).not.toMatch(/^\s+at /m);
}

const file = (text: string) => {
  const name = path.join(folder, freshSlug('feed'));
  fs.writeFileSync(name, text);
  return name;
};
const feedOptions = (name: string, type: string) => ['--name', name, '--format', 'urls', '--threat-type', type];
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);

describe('while the service runs', () => {
  test('create-account, sign-in-link and create-key print what they created, and the key works at once', async () => {
    const who = email();
    const account = await admin('create-account', '--email', who);
    expect(account).toEqual({
      id: expect.any(String),
      email: who,
      admin: false,
      sign_in_url: expect.stringMatching(/^http:\/\/localhost:\d+\//),
    });
    const link = await admin('sign-in-link', '--email', who);
    expect(link).toEqual({ email: who, sign_in_url: expect.stringMatching(/^http/), expires_at: ISO });
    expect(link.sign_in_url).not.toBe(account.sign_in_url);
    expect(Math.abs(Date.parse(link.expires_at) - Date.now() - 3_600_000)).toBeLessThan(60_000);
    const key = await admin('create-key', '--email', who, '--name', 'CI', '--scopes', 'read,write');
    expect(key).toEqual({
      id: expect.any(String),
      name: 'CI',
      scopes: ['read', 'write'],
      key: expect.any(String),
      created_at: ISO,
    });
    expect((await apiClient(waypost.api, key.key)('GET', '/api/v1/links')).status).toBe(200);
    expect(await admin('delete-key', '--id', key.id)).toEqual({ id: key.id, deleted_at: ISO });
    expect((await apiClient(waypost.api, key.key)('GET', '/api/v1/links')).status).toBe(401);
  });

  test('create-account creates an administrator, and takes a password from stdin only', async () => {
    expect(await admin('create-account', '--email', email(), '--admin')).toMatchObject({ admin: true });
    const { code, stdout } = await run(['admin', 'create-account', '--email', email(), '--password-stdin', '--json'], {
      input: 'correct horse battery staple\n',
    });
    expect([code, JSON.parse(stdout).admin]).toEqual([0, false]);
    expect(stdout).not.toContain('correct horse');
    await fails(2, ['admin', 'create-account', '--email', email(), '--password', 'x'], /\S/);
  });

  test('a sign-in link shows a button, and an earlier one stops working', async () => {
    const who = email();
    const { sign_in_url: first } = await admin('create-account', '--email', who);
    expect((await fetch(first)).status).toBe(200);
    const { sign_in_url: second } = await admin('sign-in-link', '--email', who);
    expect((await fetch(first)).status).toBeGreaterThanOrEqual(400);
    const page = await fetch(second);
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/<button/i);
    // Opening it does not use it up; pressing the button does.
    expect((await fetch(second)).status).toBe(200);
    expect((await fetch(second, { method: 'POST', redirect: 'manual' })).status).toBeLessThan(400);
    for (const method of ['POST', 'GET']) {
      expect((await fetch(second, { method, redirect: 'manual' })).status).toBeGreaterThanOrEqual(400);
    }
  });

  test('set-limit decides the next creation', async () => {
    const { key, email: who } = await waypost.newKey();
    expect(await admin('set-limit', '--email', who, '--creations-per-hour', '1')).toEqual({
      email: who,
      creations_per_hour: 1,
    });
    const api = apiClient(waypost.api, key);
    const body = { destination_url: DESTINATION };
    expect((await api('POST', '/api/v1/links', body)).headers.get('x-ratelimit-limit')).toBe('1');
    expect((await api('POST', '/api/v1/links', body)).status).toBe(429);
  });

  test('import-feed, feeds and review act on the running service', async () => {
    const api = apiClient(waypost.api, (await waypost.newKey()).key);
    const url = `https://${freshHost()}/x`;
    const name = freshSlug('feed');
    const imported = await admin('import-feed', file(`${url}\n`), ...feedOptions(name, 'scam'));
    expect(imported).toEqual({ name, entries: 1, rejected: 0, generation: expect.stringMatching(/\S/) });
    const link = await newLink(api, { destination_url: url });
    expect(link).toMatchObject({ status: 'flagged', threat_type: 'scam' });
    const feeds = await admin<Json[]>('feeds');
    expect(feeds).toContainEqual({ name, entries: 1, updated_at: ISO, last_error: null });
    expect(await admin('review', '--slug', link.slug, '--decision', 'keep', '--reason', 'it is one')).toEqual(link);
    const cleared = await admin('review', '--slug', link.slug, '--decision', 'clear', '--reason', 'it is none');
    expect(cleared).toEqual(anyLink({ ...link, status: 'active', threat_type: null, updated_at: cleared.updated_at }));
    expect((await visit(waypost.redirect, `/${link.slug}`)).status).toBe(302);
    await fails(1, ['admin', 'review', '--slug', link.slug, '--decision', 'clear', '--reason', 'again'], /\S/);
  });

  test('a bad feed file ends with 1 and names its first bad lines', async () => {
    const name = freshSlug('feed');
    const options = [...feedOptions(name, 'malware'), '--json'];
    await fails(1, ['admin', 'import-feed', file('<html>\nnot found\n'), ...options], /<html>|line 1/);
    await fails(1, ['admin', 'import-feed', path.join(folder, 'missing'), ...options], /missing/);
    expect((await admin<Json[]>('feeds')).map((feed) => feed.name)).not.toContain(name);
  });

  test('doctor names each check, and says what to do', async () => {
    const well = await admin('doctor');
    expect(well).toEqual({ ok: true, checks: expect.any(Array) });
    for (const check of well.checks) {
      expect(check).toEqual({ name: expect.any(String), ok: true, detail: expect.stringMatching(/./) });
    }
    const names = well.checks.map(({ name }: Json) => name);
    expect(names).toEqual(expect.arrayContaining(['database', 'scanner', 'disk', 'clock', 'BASE_URL', 'time']));
    expect((await run(['admin', 'doctor'])).stdout).toMatch(/^ok +database: .+$[\s\S]+^Everything works\.$/m);
  });

  test('without --json prints text for people', async () => {
    const who = email();
    const { code, stdout } = await run(['admin', 'create-account', '--email', who]);
    expect(code).toBe(0);
    expect(stdout).toContain(who);
    expect(() => JSON.parse(stdout)).toThrow();
  });

  test('the waypost of the images takes the same arguments', async () => {
    const { operator } = JSON.parse(fs.readFileSync(path.join(waypost.dataDir, 'run.json'), 'utf8'));
    const inContainer = (service: string, args: string[], input = '') => {
      const program = fileURLToPath(import.meta.resolve(`@waypost/${service}/waypost`));
      return run(['admin', ...args], { program, input, environment: { OPERATOR_SOCKET: operator } });
    };
    const who = email();
    const account = await inContainer('link-api', ['create-account', '--email', who, '--admin', '--json']);
    expect([account.code, JSON.parse(account.stdout)]).toMatchObject([0, { email: who, admin: true }]);
    const created = await inContainer('link-api', ['create-key', '--email', who, '--name', 'x', '--scopes', 'read']);
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/^Copy your new key now/)]);
    const feed = ['import-feed', '-', ...feedOptions(freshSlug('feed'), 'scam'), '--json'];
    const imported = await inContainer('scanner', feed, `https://${freshHost()}/x\n`);
    expect([imported.code, JSON.parse(imported.stdout)]).toMatchObject([0, { entries: 1 }]);
    expect(await inContainer('link-api', ['feeds'])).toMatchObject({ code: 2, stdout: '' });
    expect(await inContainer('scanner', [])).toMatchObject({ code: 2, stderr: expect.stringContaining('import-feed') });
  }, 60_000);

  test('eight at once all succeed', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => admin('create-account', '--email', email())));
    expect(new Set(made.map(({ id }) => id)).size).toBe(8);
  });
});

test('an error ends with 1, with a message on stderr and nothing on stdout', async () => {
  const who = email();
  await waypost.admin('create-account', { email: who });
  const [nobody, slug, id] = [email(), freshSlug(), crypto.randomUUID()];
  const wrong = [
    ['create-account', '--email', who],
    ['create-account', '--email', 'nobody'],
    ['create-key', '--email', nobody, '--name', 'x', '--scopes', 'read'],
    ['create-key', '--email', who, '--name', 'x', '--scopes', 'admin,read'],
    ['delete-key', '--id', id],
    ['review', '--slug', slug, '--decision', 'clear', '--reason', 'x'],
    ['set-limit', '--email', nobody, '--creations-per-hour', '5'],
    ['sign-in-link', '--email', nobody],
  ];
  await Promise.all(wrong.map((args) => fails(1, ['admin', ...args, '--json'], /\S/)));
  await fails(1, ['admin', 'feeds'], /DATA_DIR/, { environment: { DATA_DIR: '' } });
}, 60_000);

test('wrong usage ends with 2, with the right usage on stderr', async () => {
  const wrong = [
    [],
    ['delete-everything'],
    ['__proto__'],
    ['create-account'],
    ['create-account', '--email', 'a@example.org', '--colour', 'red'],
    ['create-key', '--email'],
    ['feeds', 'extra'],
    ['import-feed', '--name', 'x', '--format', 'urls', '--threat-type', 'malware'],
  ];
  await Promise.all(wrong.map((args) => fails(2, ['admin', ...args], /waypost admin/)));
}, 60_000);

test('with an address, admin goes over the API, as that of the published command line', async () => {
  const { key } = await waypost.newKey('admin', { admin: true });
  const { stdout } = await run(['admin', 'list-accounts', '--limit', '1', '--url', waypost.api, '--json'], {
    environment: { WAYPOST_API_KEY: key },
  });
  expect(JSON.parse(stdout)).toMatchObject({ limit: 1, data: [{ admin: true }] });
});

test('help names the commands, and the options of each', async () => {
  const all = await run(['admin', '--help']);
  expect([all.code, all.stderr]).toEqual([0, '']);
  const names =
    'create-account sign-in-link list-accounts suspend-account create-key list-keys delete-key set-limit import-feed feeds review take-down audit rotate-visitor-secret prepare';
  for (const name of names.split(' ')) expect(all.stdout).toContain(`  waypost admin ${name}`);
  const one = await run(['admin', 'create-key', '--help']);
  expect([one.code, one.stderr]).toEqual([0, '']);
  expect(one.stdout).toMatch(
    /^Usage: waypost admin create-key --email E --name N --scopes read,write \[--expires 90d\] \[--json\]\n/,
  );
});

test('an option that a command does not have is an error, also over the socket', async () => {
  await expect(waypost.admin('create-account', { email: email(), colour: 'red' })).rejects.toThrow('--colour');
  await expect(waypost.admin('feeds', { name: 'x' })).rejects.toThrow('--name');
});

test('rotate-visitor-secret takes effect at once: a visitor of both sides counts once, after a leak twice', async () => {
  const api = apiClient(waypost.api, (await waypost.newKey()).key);
  const { slug } = await newLink(api);
  const secretsFile = path.join(waypost.dataDir, 'secrets.json');
  const secrets = () => JSON.parse(fs.readFileSync(secretsFile, 'utf8'));
  const click = async () => expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);
  await click();
  const first = secrets().visitor;

  const rotation = await admin('rotate-visitor-secret');
  expect(rotation).toEqual({ rotated_at: ISO, previous_until: ISO });
  expect(secrets()).toMatchObject({ previous_visitor: first, rotated_at: rotation.rotated_at });
  await click();
  await fails(1, ['admin', 'rotate-visitor-secret'], /is needed until .*--leaked/);

  expect(await waypost.admin('rotate-visitor-secret', { leaked: true })).toMatchObject({ previous_until: null });
  expect(Object.keys(secrets())).toEqual(['visitor']);
  for (const _time of [1, 2]) await click();
  // One before and after the first rotation, and one since the leak.
  const { unique_visitors } = await comesTo(() => figuresOf(api, slug), { total_clicks: 4 }, 30_000);
  expect(unique_visitors).toBe(2);
  expect(waypost.output()).not.toContain(first);
  expect(waypost.output()).not.toContain(secrets().visitor);
}, 60_000);

test('foreign text moves no cursor and reverses no line on the terminal', async () => {
  const api = apiClient(waypost.api, (await waypost.newKey()).key);
  const hostile = 'a\u202eb\u009b31mc';
  const { body } = await api('POST', '/api/v1/links', { destination_url: DESTINATION, tags: ['a\u202eb'] });
  const key = ['create-key', '--email', (await waypost.newKey()).email, '--name', 'a\u202eb', '--scopes', 'read'];
  const runs = [
    await run(['admin', ...key, '--json']),
    await run(['admin', 'review', '--slug', hostile, '--decision', 'keep', '--reason', 'x']),
    await run(['admin', 'review', '--slug', body.link.slug, '--decision', hostile, '--reason', 'x', '--json']),
    await run(['admin', hostile]),
  ];
  for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/[\u202e\u009b]/);
  expect(JSON.parse(runs[0]!.stdout).name).toBe('a\u202eb');
});

test('the same commands work while the service is stopped, and the restarted service has their effects', async () => {
  const api = apiClient(waypost.api, (await waypost.newKey()).key);
  const url = `https://${freshHost()}/x`;
  const { slug } = await newLink(api, { destination_url: url });
  const { id: other } = await waypost.newKey();
  await waypost.stop();

  const who = email();
  expect(await admin('create-account', '--email', who)).toMatchObject({ email: who, admin: false });
  const key = await admin('create-key', '--email', who, '--name', 'offline', '--scopes', 'read,write');
  expect(await admin('set-limit', '--email', who, '--creations-per-hour', '2')).toMatchObject({
    creations_per_hour: 2,
  });
  expect(await admin('delete-key', '--id', other)).toMatchObject({ id: other });
  const name = freshSlug('feed');
  const imported = await admin('import-feed', file(`${url}\n`), ...feedOptions(name, 'malware'));
  expect(imported).toMatchObject({ name, entries: 1 });
  expect((await admin<Json[]>('feeds')).map((feed) => feed.name)).toContain(name);
  expect(await admin('rotate-visitor-secret')).toEqual({ rotated_at: ISO, previous_until: ISO });
  await fails(1, ['admin', 'create-account', '--email', who, '--json'], /\S/);

  await waypost.restart();
  const created = await apiClient(waypost.api, key.key)('POST', '/api/v1/links', { destination_url: DESTINATION });
  expect([created.status, created.headers.get('x-ratelimit-limit')]).toEqual([201, '2']);
  await comesTo(() => api('GET', `/api/v1/links/${slug}`), { body: { status: 'flagged' } });
}, 120_000);

test('after a kill, commands send nothing to a foreign listener: they work on the folder', async () => {
  const own = await newWaypost();
  const runFile = path.join(own.dataDir, 'run.json');
  const socket = JSON.parse(fs.readFileSync(runFile, 'utf8')).operator;
  expect(fs.statSync(socket).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(path.join(own.dataDir, 'secrets.json'), 'utf8')).not.toContain('operator');
  await own.kill();
  const received: string[] = [];
  const stranger = net
    .createServer((connection) => void connection.on('data', (chunk) => received.push(String(chunk))))
    .listen(Number(new URL(own.internal).port), '127.0.0.1');
  const environment = { DATA_DIR: own.dataDir };
  const { code, stdout } = await run(['admin', 'create-account', '--email', email(), '--json'], { environment });
  expect([code, JSON.parse(stdout).admin]).toEqual([0, false]);
  fs.writeFileSync(runFile, JSON.stringify({ pid: 1, internal: own.internal, operator: runFile }));
  expect((await run(['admin', 'feeds', '--json'], { environment })).code).toBe(0);
  expect(received).toEqual([]);
  stranger.close();
}, 60_000);

test('the commands also work in a folder whose path is too long for a socket', async () => {
  const long = path.join(folder, 'long-'.repeat(20), 'data');
  const own = await newWaypost({ DATA_DIR: long });
  const { operator } = JSON.parse(fs.readFileSync(path.join(long, 'run.json'), 'utf8'));
  expect(fs.statSync(path.dirname(operator)).mode & 0o777).toBe(0o700);
  const ran = await run(['admin', 'feeds', '--json'], { environment: { DATA_DIR: long } });
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  await own.stop();
  expect(fs.existsSync(path.dirname(operator))).toBe(false);
}, 60_000);
