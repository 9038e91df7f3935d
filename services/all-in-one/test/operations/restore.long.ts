/** What a restore of yesterday's backup does with what happened since. */
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { openBackup } from '@waypost/backup';
import { decryptWith } from '@waypost/backup/age';
import { newFolder } from '@waypost/test-support/afterwards';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { product } from '../product.ts';
import { ended, environmentOf, startProgram, WAYPOST } from '../programs.ts';
import { DESTINATION, freshSlug, newLink, newSlug, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const folder = newFolder();
const at = (name: string) => path.join(folder, name);
const since = freshSlug('since');

/** It has an account and a key of its own. */
const { waypost } = product({});
const client = (key: string) => apiClient(waypost.api, key);
/** Key K, link r, slug s and account B of the story. */
let k: { key: string; id: string };
let b: { key: string; email: string };
let owner: { key: string; email: string };
let revoked: string;
let untouched: string;

const admin = (...args: string[]) =>
  ended(startProgram(WAYPOST, ['admin', ...args], folder, { ...environmentOf(waypost), DATA_DIR: waypost.dataDir }));

async function done(...args: string[]): Promise<Json> {
  const { code, stdout, stderr } = await admin(...args, '--json');
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

/** Restores into an empty folder, as after the loss of the disk. */
async function restored(...options: string[]): Promise<Json> {
  await waypost.stop();
  fs.rmSync(waypost.dataDir, { recursive: true });
  const summary = await done('restore', ...options);
  await waypost.restart();
  return summary;
}

const statusOf = async (key: string) => (await client(key)('GET', '/api/v1/links')).status;
const visitOf = async (slug: string) => (await visit(waypost.redirect, `/${slug}`, { method: 'HEAD' })).status;
const claim = async (key: string, slug: string) =>
  (await client(key)('POST', '/api/v1/links', { destination_url: DESTINATION, custom_slug: slug })).status;

beforeAll(async () => {
  [owner, b, k] = [await waypost.newKey(), await waypost.newKey(), await waypost.newKey()];
  [revoked, untouched] = [await newSlug(client(owner.key)), await newSlug(client(owner.key))];
  const identity = await generateX25519Identity();
  fs.writeFileSync(at('key.txt'), `# created: today\n${identity}\n`, { mode: 0o600 });
  await waypost.admin('backup', { dir: at('encrypted'), 'encrypt-to': await identityToRecipient(identity) });
  await waypost.admin('backup', { dir: at('plain') });

  await waypost.admin('delete-key', { id: k.id });
  await client(owner.key)('POST', `/api/v1/links/${revoked}/revoke`);
  await newLink(client(owner.key), { custom_slug: since });
  await waypost.admin('suspend-account', { email: b.email, reason: 'spam' });
  expect(await done('export-revoked', at('revoked.csv'))).toMatchObject({ lines: 5 });
  expect(fs.statSync(at('revoked.csv')).mode & 0o077).toBe(0);
}, 120_000);

test('a folder that is in use is not replaced, and the message names the command that saves what it knows', async () => {
  const { code, stderr } = await admin('restore', at('plain'));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is not empty.*export-revoked FILE.*--revoke FILE/)]);
});

test('a restore without options says what is back: keys, links, accounts', async () => {
  expect(await restored(at('plain'))).toMatchObject({
    links: 2,
    accounts: 4,
    back: { redirecting_links: 2, keys: 4, suspended_accounts: 0 },
    revoked: { keys: 0, links_revoked: 0, slugs_reserved: 0, accounts_suspended: 0 },
  });
  expect([await statusOf(k.key), await visitOf(revoked), await statusOf(b.key)]).toEqual([200, 302, 200]);
  expect(await claim(b.key, since)).toBe(201);
}, 120_000);

test('with the list of the installation before, nothing that was revoked works again, and no slug is free', async () => {
  expect(await restored(at('encrypted'), '--identity', at('key.txt'), '--revoke', at('revoked.csv'))).toMatchObject({
    links: 2,
    back: { redirecting_links: 1, keys: 3, suspended_accounts: 1 },
    revoked: { keys: 1, links_revoked: 1, slugs_reserved: 1, accounts_suspended: 1 },
    accounts_to_delete: [],
  });
  expect([await statusOf(k.key), await statusOf(b.key), await statusOf(owner.key)]).toEqual([401, 403, 200]);
  expect([await visitOf(revoked), await visitOf(since), await visitOf(untouched)]).toEqual([410, 410, 302]);
  expect(await claim(owner.key, since)).toBe(409);
  const { body } = await client(owner.key)('GET', `/api/v1/links/${revoked}`);
  expect(body).toMatchObject({ status: 'revoked', revoked_at: expect.any(String) });
}, 120_000);

test('with --delete-keys, no key of the backup works, and its words say so', async () => {
  await waypost.stop();
  fs.rmSync(waypost.dataDir, { recursive: true });
  fs.writeFileSync(at('mine.txt'), `${revoked}\n`);
  const { code, stdout } = await admin(
    'restore',
    at('plain'),
    '--delete-keys',
    '--webhooks-off',
    '--revoke',
    'mine.txt',
  );
  expect(code).toBe(0);
  expect(stdout).toContain('1 link that redirects\n  0 API keys, 0 passkeys, 0 passwords');
  expect(stdout).toContain(
    'Applied from the list and options: 1 link revoked, 0 flagged, 0 slugs reserved, 4 API keys deleted',
  );
  await waypost.restart();
  expect([await statusOf(owner.key), await statusOf(k.key), await visitOf(revoked)]).toEqual([401, 401, 410]);
}, 120_000);

test('an encrypted backup hides everything, and needs its key', async () => {
  const files = fs
    .readdirSync(at('encrypted'), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile());
  for (const { parentPath, name } of files) {
    expect(name).toMatch(/\.age$/);
    expect(fs.readFileSync(path.join(parentPath, name), 'utf8')).toMatch(/^age-encryption\.org\/v1\n/);
  }
  fs.writeFileSync(at('other.txt'), await generateX25519Identity());
  const empty = { ...environmentOf(waypost), DATA_DIR: at('empty') };
  const args = ['admin', 'restore', 'encrypted', '--identity', 'other.txt'];
  const { code, stderr } = await ended(startProgram(WAYPOST, args, folder, empty));
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/cannot be decrypted. The file is damaged, or encrypted to another key./),
  ]);
  await expect(decryptWith(at('revoked.csv'))).rejects.toThrow(/has a line that is not a secret key of age/);
  await expect(opened('encrypted')).rejects.toThrow(/is encrypted. Give the file/);
  await expect(opened('plain', 'key.txt')).rejects.toThrow(/is not encrypted. If you know that it is your backup/);
  await expect(waypost.admin('backup', { dir: at('wrong'), 'encrypt-to': 'age1wrong' })).rejects.toThrow(
    '"age1wrong" is not a public key of age',
  );
}, 120_000);

test.each([
  ['a flipped byte', (file: string) => flip(file)],
  ['a missing end', (file: string) => fs.truncateSync(file, fs.statSync(file).size - 1)],
])('an encrypted backup with %s is refused', async (_, damage) => {
  for (const name of ['manifest.json.age', 'postgres/links.tsv.gz.age']) {
    const damaged = at(freshSlug('damaged'));
    fs.cpSync(at('encrypted'), damaged, { recursive: true });
    damage(path.join(damaged, name));
    await expect(opened(damaged, 'key.txt')).rejects.toThrow(/is damaged|cannot be decrypted. The file is damaged/);
  }
});

/** Checks a backup as a restore does. Paths are from the folder of this file's tests. */
const opened = async (dir: string, identity?: string) =>
  openBackup(
    path.resolve(folder, dir),
    { clickhouse: [], postgres: [] },
    identity === undefined ? undefined : await decryptWith(at(identity)),
  );

function flip(file: string): void {
  const bytes = fs.readFileSync(file);
  bytes[bytes.length - 1]! ^= 1;
  fs.writeFileSync(file, bytes);
}
