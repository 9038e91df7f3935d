import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { newWaypost } from '../product.ts';
import { ended, startProgram, WAYPOST } from '../programs.ts';
import { comesTo, DESTINATION, figuresOf, newLink, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

process.env.WAYPOST_TEST_TARGET = 'stack';

const folder = newFolder();

async function admin(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Json> {
  const { HOME } = process.env;
  const command = startProgram(WAYPOST, ['admin', ...args, '--json'], folder, { HOME, FEEDS: 'none', ...environment });
  const { code, stdout, stderr } = await ended(command);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Returns the checksum of each table, except the cache's generation and the audit log, which change by themselves. */
const tablesOf = (backup: string): Record<string, string> =>
  Object.fromEntries(
    JSON.parse(fs.readFileSync(path.join(backup, 'manifest.json'), 'utf8'))
      .files.filter(({ name }: Json) => /^(postgres|clickhouse)\/(?!cache_generation|audit_log)/.test(name))
      .map(({ name, sha256 }: Json) => [name, sha256]),
  );

test('a backup of separate processes restores into one process, and back into new separate ones', async () => {
  const first = await newWaypost();
  const { key } = await first.newKey();
  const api = apiClient(first.api, key);
  const { slug } = await newLink(api);
  for (let i = 0; i < 3; i++) await visit(first.redirect, `/${slug}`);
  const figures = () => figuresOf(api, slug);
  const before = await comesTo(figures, { total_clicks: 3 });

  const separate = path.join(folder, 'separate');
  const summary = await admin(['backup', separate], { WAYPOST_STACK: first.dataDir });
  expect(summary).toMatchObject({ links: 1, clicks: 3, accounts: 1 });
  await expect(admin(['restore', separate], { WAYPOST_STACK: first.dataDir })).rejects.toThrow(/store is not empty/);
  expect(await figures()).toEqual(before);

  const one = { DATA_DIR: path.join(folder, 'one') };
  expect(await admin(['restore', separate], one)).toMatchObject({
    ...summary,
    back: { keys: 1, redirecting_links: 1 },
  });
  const again = path.join(folder, 'again');
  expect(await admin(['backup', again], one)).toMatchObject({ links: 1, clicks: 3, accounts: 1 });
  expect(tablesOf(again)).toEqual(tablesOf(separate));
  const { slug: since } = await newLink(api);
  const list = path.join(folder, 'revoked.csv');
  expect(await admin(['export-revoked', list], { WAYPOST_STACK: first.dataDir })).toEqual({ file: list, lines: 2 });
  await first.stop();

  const second = await newWaypost();
  expect(await admin(['restore', again, '--revoke', list], { WAYPOST_STACK: second.dataDir })).toMatchObject({
    links: 1,
    clicks: 3,
    revoked: { slugs_reserved: 1 },
  });
  const restored = apiClient(second.api, key);
  expect(await figuresOf(restored, slug)).toEqual(before);
  expect((await visit(second.redirect, `/${slug}`)).headers.location).toBe(DESTINATION);
  await newLink(restored);
  expect((await visit(second.redirect, `/${since}`)).status).toBe(410);
}, 300_000);
