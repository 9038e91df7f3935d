import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { freshEmail as email } from '../people.ts';
import { product } from '../product.ts';
import { ended, environmentOf, startProgram, WAYPOST } from '../programs.ts';
import { comesTo, DESTINATION, figuresOf, freshHost, freshSlug, newLink, newSlug, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const folder = newFolder();
/** This path is too long for a unix socket, so the socket must be elsewhere. */
const { waypost, api } = product({ DATA_DIR: path.join(folder, 'long-'.repeat(20), 'data') });
const runFile = () => path.join(waypost.dataDir, 'run.json');
const socketOf = (): string => JSON.parse(fs.readFileSync(runFile(), 'utf8')).operator;

const run = (
  args: readonly string[],
  {
    input = '',
    environment = {},
    program = WAYPOST,
  }: { input?: string; environment?: NodeJS.ProcessEnv; program?: string } = {},
) => ended(startProgram(program, args, folder, { ...environmentOf(waypost), ...environment }), input);

/** Runs a command with --json. It must print exactly one JSON value on stdout. */
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
const click = async (slug: string) => expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);

// Other files test each command over its socket: authentication, quota, administration, feeds-and-rescan.
test('commands print their result as JSON, and act on the running service', async () => {
  expect(fs.statSync(socketOf()).mode & 0o777).toBe(0o600);
  expect(fs.statSync(path.dirname(socketOf())).mode & 0o777).toBe(0o700);
  const who = email();
  const created = await run(['admin', 'create-account', '--email', who, '--password-stdin', '--json'], {
    input: 'correct horse battery staple\n',
  });
  expect(JSON.parse(created.stdout)).toMatchObject({ email: who, sign_in_url: expect.stringMatching(/^http/) });
  expect(created.stdout).not.toContain('correct horse');
  // The character in this name would reverse a line on a terminal.
  const newKey = await run([
    'admin',
    'create-key',
    '--email',
    who,
    '--name',
    'a\u202eb',
    '--scopes',
    'write',
    '--json',
  ]);
  expect(newKey.stdout).not.toContain('\u202e');
  const key = JSON.parse(newKey.stdout);
  expect(key.name).toBe('a\u202eb');

  const url = `https://${freshHost()}/x`;
  const name = freshSlug('feed');
  const imported = await admin('import-feed', file(`${url}\n`), ...feedOptions(name, 'scam'));
  expect(imported).toEqual({ name, entries: 1, rejected: 0, generation: expect.stringMatching(/\S/) });
  expect((await newLink(apiClient(waypost.api, key.key), { destination_url: url })).threat_type).toBe('scam');
});

test('doctor names each check, and advises what to do', async () => {
  const well = await admin('doctor');
  expect(well).toEqual({ ok: true, checks: expect.any(Array) });
  for (const check of well.checks) {
    expect(check).toEqual({ name: expect.any(String), ok: true, detail: expect.stringMatching(/./) });
  }
  const names = well.checks.map(({ name }: Json) => name);
  expect(names).toEqual(
    expect.arrayContaining(['database', 'scanner', 'disk', 'feeds', 'own_addresses', 'BASE_URL', 'time']),
  );
  expect((await run(['admin', 'doctor'])).stdout).toMatch(/^ok +database: .+$[\s\S]+^Everything works\.$/m);
});

test('the waypost of the images takes the same arguments, each for the commands of its service', async () => {
  const inContainer = (service: string, args: string[], input = '') => {
    const program = fileURLToPath(import.meta.resolve(`@waypost/${service}/waypost`));
    return run(['admin', ...args], { program, input, environment: { OPERATOR_SOCKET: socketOf() } });
  };
  const { email: who } = await waypost.newKey();
  const created = await inContainer('link-api', ['create-key', '--email', who, '--name', 'x', '--scopes', 'read']);
  expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/wp_[\w-]{49}/)]);
  const feed = ['import-feed', '-', ...feedOptions(freshSlug('feed'), 'scam'), '--json'];
  const imported = await inContainer('scanner', feed, `https://${freshHost()}/x\n`);
  expect([imported.code, JSON.parse(imported.stdout)]).toMatchObject([0, { entries: 1 }]);
  expect(await inContainer('link-api', ['feeds'])).toMatchObject({ code: 2, stdout: '' });
}, 60_000);

// libs/process/test/operator.test.ts has more tests of usage and errors.
test('an error ends with 1, wrong usage with 2, with a message on stderr and an empty stdout', async () => {
  await fails(1, ['admin', 'sign-in-link', '--email', email(), '--json'], /no account/);
  await fails(1, ['admin', 'feeds'], /DATA_DIR/, { environment: { DATA_DIR: '' } });
  for (const args of [[], ['__proto__'], ['create-account', '--email', email(), '--password', 'x']])
    await fails(2, ['admin', ...args], /Usage: waypost admin|unknown/);
}, 60_000);

test('with an address, admin uses the API, as the published command line does', async () => {
  const { key } = await waypost.newKey('admin', { admin: true });
  const { stdout } = await run(['admin', 'list-accounts', '--limit', '1', '--url', waypost.api, '--json'], {
    environment: { WAYPOST_API_KEY: key },
  });
  expect(JSON.parse(stdout)).toMatchObject({ limit: 1, data: [{ admin: true }] });
});

test('help names the commands', async () => {
  const all = await run(['admin', '--help']);
  expect([all.code, all.stderr]).toEqual([0, '']);
  const names =
    'create-account sign-in-link list-accounts suspend-account list-credentials secure-account create-key list-keys delete-key set-limit import-feed feeds review take-down audit rotate-visitor-secret prepare';
  for (const name of names.split(' ')) expect(all.stdout).toContain(`\n  ${name} `);
});

test('rotate-visitor-secret works at once: a visitor before and after it counts once, after a leak twice', async () => {
  const slug = await newSlug(api);
  const secretsFile = path.join(waypost.dataDir, 'secrets.json');
  const secrets = () => JSON.parse(fs.readFileSync(secretsFile, 'utf8'));
  await click(slug);
  const first = secrets().visitor;

  const rotation = await admin('rotate-visitor-secret');
  expect(rotation).toEqual({ rotated_at: ISO, previous_until: ISO });
  expect(secrets()).toMatchObject({ previous_visitor: first, rotated_at: rotation.rotated_at });
  await click(slug);
  await fails(1, ['admin', 'rotate-visitor-secret'], /is needed until .*--leaked/);

  expect(await waypost.admin('rotate-visitor-secret', { leaked: true })).toMatchObject({ previous_until: null });
  expect(Object.keys(secrets())).toEqual(['visitor']);
  expect((await waypost.admin<Json[]>('audit', { limit: '2' })).map(({ action, detail }) => [action, detail])).toEqual([
    ['visitor_secret.rotated', 'The previous secret was discarded.'],
    ['visitor_secret.rotated', ''],
  ]);
  for (const _time of [1, 2]) await click(slug);
  // The clicks before and after the first rotation count as one visitor, those after the leak as another.
  const { unique_visitors } = await comesTo(() => figuresOf(api, slug), { total_clicks: 4 }, 30_000);
  expect(unique_visitors).toBe(2);
  expect(waypost.output()).not.toContain(first);
  expect(waypost.output()).not.toContain(secrets().visitor);
}, 60_000);

test('the same commands work while the service is stopped, and the restarted service has their effects', async () => {
  const url = `https://${freshHost()}/x`;
  const [slug, clicked] = [await newSlug(api, { destination_url: url }), await newSlug(api)];
  const { key, email: who } = await waypost.newKey();
  await click(clicked);
  const socket = socketOf();
  await waypost.stop();
  expect(fs.existsSync(path.dirname(socket))).toBe(false);

  expect(await admin('doctor')).toMatchObject({ ok: true });
  // This command sends several messages to the Waypost that it starts.
  const [one, two] = [freshSlug(), freshSlug()];
  const list = file(`slug,destination_url\n${[one, two].map((each) => `${each},${DESTINATION}\n`).join('')}`);
  expect(await admin('import', '--from', 'csv', list, '--email', who)).toMatchObject({ read: 2, created: 2 });
  await admin('import-feed', file(`${url}\n`), ...feedOptions(freshSlug('feed'), 'malware'));
  expect(await admin('rotate-visitor-secret')).toEqual({ rotated_at: ISO, previous_until: ISO });

  await waypost.restart();
  for (const each of [clicked, one, two]) await click(each);
  expect((await apiClient(waypost.api, key)('GET', '/api/v1/links')).body.total).toBe(2);
  await comesTo(() => api('GET', `/api/v1/links/${slug}`), { body: { status: 'flagged' } });
  // A start with a rotated secret must not count a visitor twice.
  await comesTo(() => figuresOf(api, clicked), { total_clicks: 2, unique_visitors: 1 }, 30_000);
}, 120_000);

test('after a kill, commands send nothing to a foreign listener: they work on the folder', async () => {
  expect(fs.readFileSync(path.join(waypost.dataDir, 'secrets.json'), 'utf8')).not.toContain('operator');
  await waypost.kill();
  const received: string[] = [];
  const stranger = net
    .createServer((connection) => void connection.on('data', (chunk) => received.push(String(chunk))))
    .listen(Number(new URL(waypost.internal).port), '127.0.0.1');
  expect(await admin('create-account', '--email', email())).toMatchObject({ admin: false });
  fs.writeFileSync(runFile(), JSON.stringify({ pid: 1, internal: waypost.internal, operator: runFile() }));
  expect((await run(['admin', 'feeds', '--json'])).code).toBe(0);
  expect(received).toEqual([]);
  stranger.close();
}, 60_000);
