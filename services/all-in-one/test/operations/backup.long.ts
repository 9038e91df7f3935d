import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { openBackup } from '@waypost/backup';
import { until } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { type ApiClient, product } from '../product.ts';
import { ended, environmentOf, startProgram, WAYPOST } from '../programs.ts';
import {
  BROWSER,
  comesTo,
  DESTINATION,
  figuresOf,
  freshHost,
  freshSlug,
  importFeed,
  listedUrl,
  newLink,
  times,
  visit,
} from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const folder = newFolder();
const backup = path.join(folder, 'backup');
const scheduled = path.join(folder, 'scheduled');

const settings = { TRUSTED_PROXIES: '127.0.0.1', BACKUP_DIR: scheduled, BACKUP_EVERY: '1h' };
const { waypost, api: other, newClient } = product(settings);

const admin = (args: readonly string[], dataDir = waypost.dataDir) =>
  ended(startProgram(WAYPOST, ['admin', ...args, '--json'], folder, { ...environmentOf(waypost), DATA_DIR: dataDir }));

async function done(...args: Parameters<typeof admin>): Promise<Json> {
  const ran = await admin(...args);
  expect({ ...ran, stdout: '' }).toEqual({ code: 0, stdout: '', stderr: '' });
  return JSON.parse(ran.stdout);
}

const click = (slug: string, visitor: number, agent = BROWSER) =>
  visit(waypost.redirect, `/${slug}`, {
    headers: { 'X-Forwarded-For': `8.8.8.${visitor}`, 'User-Agent': agent, Referer: 'https://news.example.org/' },
  });

const quota = async (client: ApiClient) => {
  const { headers } = await client('POST', '/api/v1/links', {});
  return [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-used')];
};

const seen = async (api: ApiClient, slugs: readonly string[]) => ({
  links: await Promise.all(slugs.map(async (slug) => (await api('GET', `/api/v1/links/${slug}`)).body)),
  figures: await Promise.all(slugs.map((slug) => figuresOf(api, slug))),
  visits: await Promise.all(
    slugs.map(async (slug) => {
      const { status, headers } = await visit(waypost.redirect, `/${slug}`, { method: 'HEAD' });
      return [status, headers.location];
    }),
  ),
  quota: await quota(api),
  feeds: await waypost.admin('feeds'),
});

test('a backup runs on schedule, the doctor reports it, and a command keeps only the newest', async () => {
  const whole = () => fs.readdirSync(scheduled).filter((name) => /^waypost-[\dT-]+Z$/.test(name));
  await comesTo(() => (fs.existsSync(scheduled) ? whole().length : 0), 1, 20_000);
  const { checks } = await waypost.admin<{ checks: Json[] }>('doctor');
  expect(checks).toContainEqual(expect.objectContaining({ name: 'backup', ok: true }));
  const administrator = await newClient('admin', { admin: true });
  const { data } = (await administrator('GET', '/api/v1/admin/health')).body;
  expect(data).toContainEqual({ name: 'database', ok: true, detail: null, last_done_at: null });
  const [name] = whole();
  const at = name!.replace(/^waypost-(.*)T(..)-(..)-(..)Z$/, '$1T$2:$3:$4');
  expect(data).toContainEqual({ name: 'backup', ok: true, detail: null, last_done_at: expect.stringContaining(at) });
  const { dir } = await done(['backup', scheduled, '--keep', '1']);
  expect([path.dirname(dir), whole()]).toEqual([scheduled, [path.basename(dir)]]);
  expect(JSON.parse(fs.readFileSync(path.join(dir, 'manifest.json'), 'utf8'))).toMatchObject({ format: 1 });
  await expect(waypost.admin('backup', { dir: scheduled, keep: '0' })).rejects.toThrow('--keep must be');
});

test('a backup has no click of a deleted account', async () => {
  const { key, email } = await waypost.newKey();
  const own = apiClient(waypost.api, key);
  const { slug } = await newLink(own);
  await click(slug, 1);
  await comesTo(() => figuresOf(own, slug), { total_clicks: 1 }, 20_000);
  await waypost.admin('delete-account', { email, yes: true });
  const clicksIn = async () =>
    (await waypost.admin<{ clicks: number }>('backup', { dir: path.join(folder, freshSlug()) })).clicks;
  await comesTo(clicksIn, 0, 20_000);
});

test('a backup that is made under load restores every link, key, quota and figure', async () => {
  const { key, email } = await waypost.newKey('read,write', { limit: 5_000 });
  const { key: readKey } = await waypost.newKey('read');
  const api = apiClient(waypost.api, key);
  const slugs = times(5, () => freshSlug('kept'));
  const destination = `https://${freshHost()}/`;
  for (const slug of slugs) await newLink(api, { destination_url: destination, custom_slug: slug });
  const listed = await listedUrl(waypost);
  const flagged = await newLink(api, { destination_url: listed });
  expect(flagged.status).toBe('flagged');
  await api('POST', `/api/v1/links/${slugs[0]}/revoke`);
  const once = { 'Idempotency-Key': 'k1' };
  const first = await api('POST', '/api/v1/links', { destination_url: DESTINATION }, once);
  for (const slug of slugs.slice(1))
    for (const visitor of [1, 2, 2, 3]) await click(slug, visitor, visitor === 3 ? 'Googlebot/2.1' : BROWSER);
  const figures = () => figuresOf(api, slugs[4]!);
  await comesTo(figures, { total_clicks: 4 }, 20_000);
  const all = [...slugs, flagged.slug, first.body.link.slug];
  const before = await seen(api, all);
  expect(before.figures[4]).toMatchObject({ total_clicks: 4 });

  const created: string[] = [];
  let going = true;
  const load = Promise.all(
    times(4, async (worker) => {
      while (going) {
        const { slug } = await newLink(other);
        created.push(slug);
        await click(slug, worker + 10);
      }
    }),
  );
  let atLeast = 0;
  let summary: Json;
  try {
    await until(() => created.length > 100, 20_000);
    atLeast = created.length;
    summary = await done(['backup', backup]);
  } finally {
    going = false;
    await load;
  }
  expect(summary).toEqual({
    links: expect.any(Number),
    clicks: expect.any(Number),
    accounts: 4,
    made_at: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  // One link of the deleted account is in the backup, too.
  const ofOthers = summary.links - all.length - 1;
  expect(ofOthers).toBeGreaterThanOrEqual(atLeast);
  expect(ofOthers).toBeLessThanOrEqual(created.length);
  for (const name of ['', 'manifest.json', 'postgres', 'postgres/links.tsv.gz', 'folder/secrets.json.gz'])
    expect(fs.statSync(path.join(backup, name)).mode & 0o077).toBe(0);

  await waypost.stop();
  fs.rmSync(waypost.dataDir, { recursive: true });
  expect(await done(['restore', backup])).toMatchObject(summary);
  await waypost.restart();

  expect(await seen(api, all)).toEqual(before);
  expect((await apiClient(waypost.api, readKey)('GET', '/api/v1/links')).status).toBe(200);
  expect((await api('POST', '/api/v1/links', { destination_url: DESTINATION }, once)).body).toEqual(first.body);
  // A visitor from before the backup must not count as a new one.
  await click(slugs[4]!, 1);
  const later = await comesTo(figures, { total_clicks: 5 }, 20_000);
  expect(later.unique_visitors).toBe(before.figures[4].unique_visitors);
  // A link that was created during the backup may be missing, but if it is there, so are its clicks and its scan.
  const statuses: number[] = [];
  for (const slug of created) statuses.push((await other('GET', `/api/v1/links/${slug}`)).status);
  expect(statuses.slice(0, atLeast)).toEqual(times(atLeast, () => 200));
  expect(statuses.filter((status) => status === 200)).toHaveLength(ofOthers);
  // New rows must not reuse the numbers of restored rows, and restored links must be scanned again.
  await newLink(api);
  await importFeed(waypost, `${destination}\n`, { name: 'late' });
  const status = async () => (await api('GET', `/api/v1/links/${slugs[1]}`)).body.status;
  await comesTo(status, 'flagged', 20_000);
  expect((await waypost.admin<Json>('sign-in-link', { email })).email).toBe(email);
}, 180_000);

test('the backup of a killed Waypost has the clicks that were not shipped', async () => {
  const api = await newClient();
  const { slug } = await newLink(api);
  for (const visitor of [1, 2, 3]) expect((await click(slug, visitor)).status).toBe(302);
  await waypost.kill();
  const killed = path.join(folder, 'killed-backup');
  const summary = await done(['backup', killed]);
  fs.rmSync(waypost.dataDir, { recursive: true });
  expect(await done(['restore', killed])).toMatchObject(summary);
  await waypost.restart();
  const { unique_visitors } = await comesTo(() => figuresOf(api, slug), { total_clicks: 3 }, 20_000);
  expect(unique_visitors).toBe(3);
});

test('a backup needs a new or empty folder, and a restore an empty one', async () => {
  const taken = fs.mkdtempSync(path.join(folder, 'taken-'));
  fs.writeFileSync(path.join(taken, 'mine'), 'text');
  await expect(waypost.admin('backup', { dir: taken })).rejects.toThrow(/taken-\w+ is not empty/);
  for (const dataDir of [waypost.dataDir, taken]) {
    const { code, stderr } = await admin(['restore', backup], dataDir);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/is not empty\. Restore into an empty folder/)]);
  }
  expect(fs.readdirSync(taken)).toEqual(['mine']);
});

test('a backup of engines that only files name does not use the data folder', async () => {
  const secret = (name: string, text: string) => {
    const file = path.join(folder, name);
    fs.writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const dataDir = path.join(folder, 'none');
  const environment = {
    DATA_DIR: dataDir,
    DATABASE_URL_FILE: secret('database-url', 'postgres://owner:secret@127.0.0.1:1/waypost'),
    CLICKHOUSE_URL_FILE: secret('clickhouse-url', 'http://owner:secret@127.0.0.1:1/waypost'),
  };
  const saved = path.join(folder, 'of-engines');
  const { code, stderr } = await ended(startProgram(WAYPOST, ['admin', 'backup', saved], folder, environment));
  expect([code, stderr]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  expect([dataDir, saved].map((dir) => fs.existsSync(dir))).toEqual([false, false]);
});

test.each<[string, (dir: string) => void, RegExp]>([
  ['with one flipped byte', (dir) => flip(path.join(dir, 'postgres/links.tsv.gz')), /links\.tsv\.gz is damaged/],
  ['with a cut file', (dir) => fs.truncateSync(path.join(dir, 'clickhouse/clicks.tsv.gz'), 30), /clicks\.tsv\.gz is/],
  ['without a file', (dir) => fs.rmSync(path.join(dir, 'postgres/accounts.tsv.gz')), /accounts\.tsv\.gz is missing/],
  ['without its manifest', (dir) => fs.rmSync(path.join(dir, 'manifest.json')), /manifest\.json is missing/],
  ['with a flipped byte in its manifest', (dir) => flip(path.join(dir, 'manifest.json')), /manifest\.json is damaged/],
  ['of a newer schema', (dir) => rewrite(dir, addMigration), /newer version of Waypost: .* Later1900000000000/],
  ['of another format', (dir) => rewrite(dir, (manifest) => ({ ...manifest, format: 2 })), /another version.*format 2/],
  ['that leads elsewhere', (dir) => rewrite(dir, leadOut), /manifest\.json is damaged/],
])('a backup %s is refused before anything is restored', async (_, damage, words) => {
  const { schemas } = JSON.parse(fs.readFileSync(path.join(backup, 'manifest.json'), 'utf8'));
  const migrations = { clickhouse: schemas.clickhouse.migrations, postgres: schemas.postgres.migrations };
  await expect(openBackup(damagedBackup(damage), migrations)).rejects.toThrow(words);
});

test('a backup with rows that the database refuses restores nothing', async () => {
  const dataDir = path.join(folder, freshSlug('data'));
  fs.mkdirSync(dataDir);
  const { code, stdout, stderr } = await admin(['restore', damagedBackup(fail)], dataDir);
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/duplicate key|invalid input/);
  expect(fs.readdirSync(dataDir)).toEqual([]);
});

function damagedBackup(damage: (dir: string) => void): string {
  const damaged = path.join(folder, freshSlug('damaged'));
  fs.cpSync(backup, damaged, { recursive: true });
  damage(damaged);
  return damaged;
}

function flip(file: string): void {
  const bytes = fs.readFileSync(file);
  const middle = bytes.length >> 1;
  bytes[middle] = bytes[middle]! ^ 1;
  fs.writeFileSync(file, bytes);
}

/** Changes a manifest and corrects its checksum, so that only its content is wrong. */
function rewrite(dir: string, change: (manifest: Json) => Json): void {
  const file = path.join(dir, 'manifest.json');
  const { sha256: _, ...manifest } = JSON.parse(fs.readFileSync(file, 'utf8'));
  const changed = change(manifest);
  const sha256 = createHash('sha256').update(JSON.stringify(changed)).digest('hex');
  fs.writeFileSync(file, JSON.stringify({ ...changed, sha256 }));
}

function addMigration(manifest: Json): Json {
  manifest.schemas.postgres.migrations.push('Later1900000000000');
  return manifest;
}

function leadOut(manifest: Json): Json {
  manifest.files[0].name = 'folder/../../outside';
  return manifest;
}

/** Reverses the order of columns in the manifest. Every checksum is right, so only the database can refuse the rows. */
function fail(dir: string): void {
  rewrite(dir, (manifest) => {
    const file = (name: string) => manifest.files.find((one: Json) => one.name === name);
    file('postgres/links.tsv').columns = file('postgres/links.tsv').columns.toReversed();
    return manifest;
  });
}

test('a restore that was killed leaves a folder that does not start, and can run again', async () => {
  const dataDir = path.join(folder, 'killed');
  fs.mkdirSync(dataDir);
  fs.writeFileSync(path.join(dataDir, 'restore-unfinished'), '');
  fs.mkdirSync(path.join(dataDir, 'postgres'));
  const { code, stderr } = await admin(['feeds'], dataDir);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/restore into .* was interrupted. Run it again/)]);
  expect((await done(['restore', backup], dataDir)).accounts).toBe(4);
});

test('a folder of a later version is refused by commands and by a start, and is not changed', async () => {
  const dataDir = path.join(folder, 'later');
  fs.mkdirSync(dataDir);
  const schemas = { postgres: 'Later1900000000000', clickhouse: '99' };
  fs.writeFileSync(path.join(dataDir, 'version.json'), JSON.stringify({ format: 1, waypost: '9.0.0', schemas }));
  const { code, stderr } = await admin(['feeds'], dataDir);
  const words = /was written by Waypost 9\.0\.0\..* older and cannot read it/;
  expect([code, stderr]).toEqual([1, expect.stringMatching(words)]);
  expect(fs.readdirSync(dataDir).sort()).toEqual(['lock', 'version.json']);
});
