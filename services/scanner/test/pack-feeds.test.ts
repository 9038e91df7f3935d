/** Tests the command that renews the shipped threat data, on small feed files. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { dataPath } from '../src/data.ts';
import { SHIPPED_FEEDS_FILE, shippedFeeds } from '../src/threats/shipped-feeds.ts';
import { newScanner } from './scanner-kit.ts';

const SCRIPT = fileURLToPath(new URL('../scripts/pack-feeds.ts', import.meta.url));

function packed(files: Readonly<Record<string, string>>) {
  const folder = newFolder();
  const to = newFolder();
  mkdirSync(join(folder, 'feeds'));
  for (const [name, text] of Object.entries(files))
    writeFileSync(join(folder, 'feeds', name), name.endsWith('.gz') ? gzipSync(text) : text);
  writeFileSync(join(folder, 'sites.txt'), 'https://www.known-site.net/page\n');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [SCRIPT, join(folder, 'feeds'), join(folder, 'sites.txt'), '--to', to],
    { encoding: 'utf8' },
  );
  return { status, stdout, stderr, to };
}

const FILES = {
  'urlhaus-csv-online-2026-01-02.csv': '',
  'urlhaus-text-recent-2026-03.txt': 'http://malware.example.net/a.exe\n',
  'urlhaus-filter-online-2026-01-02.ubo.txt': '||bad.example.net^\n',
  'phishing-database-domains-2025-01-01.txt': 'old.example.net\n',
  'phishing-database-domains-2026-03-13.txt.gz': [
    'phish.example.net',
    'login.phish.example.net',
    'google.com',
    'pages.dev',
    'weeblysite.com',
    'tinyurl.com',
    'known-site.net',
    '203.0.113.7',
    'tenant.weeblysite.com',
  ].join('\n'),
  'phishing-database-links-2026-03-13.txt.gz':
    'http://phish.example.net/below\nhttp://shared.pages.dev/kit\nhttp://other.example.net/kit\n',
  'discord-phishing-links-2026-01-02.json': '{"domains":["nitro.example.net"]}',
  'scamblocklist-2026-01-02.hosts.txt': '0.0.0.0 scam.example.net\n',
};

test('one command packs the newest file of each kind, and leaves out what no feed may list', async () => {
  const { status, stderr, stdout, to } = packed(FILES);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const file = join(to, 'shipped-feeds.bin');
  const phishing = shippedFeeds(file).find(({ name }) => name === 'phishing-database')!;
  expect(phishing).toMatchObject({ entries: 4, updatedAt: '2026-03-13T00:00:00.000Z', licence: 'MIT' });
  expect(stdout).toMatch(/phishing-database\tphishing-database-domains-2026-03-13\.txt\.gz\tsha256 [0-9a-f]{64}\n/);
  for (const host of ['google.com', 'pages.dev', 'weeblysite.com', 'tinyurl.com', 'known-site.net', '203.0.113.7'])
    expect(stderr).toContain(`left out: ${host}: `);
  const { scanner } = await newScanner({ shippedFeedsFile: file });
  const urls = ['phish.example.net/below', 'tenant.weeblysite.com/', 'other.example.net/kit', 'shared.pages.dev/kit'];
  for (const url of urls) {
    const reasons = [expect.objectContaining({ rule: 'feed:phishing-database' })];
    expect((await scanner.scan([`https://${url}`])).verdicts).toMatchObject([
      { url: `https://${url}`, reasons: expect.arrayContaining(reasons) },
    ]);
  }
  expect((await scanner.scan(['https://old.example.net/'])).verdicts).toMatchObject([{ outcome: 'clean' }]);
});

test('the README of the data has a row for each shipped feed, with its entries', () => {
  const readme = readFileSync(dataPath('README.md'), 'utf8');
  for (const { name, entries, threatType } of shippedFeeds(SHIPPED_FEEDS_FILE))
    expect(readme).toContain(`| \`${name}\` | ${entries.toLocaleString('en')} | ${threatType} |`);
  const { to } = packed(FILES);
  expect(readFileSync(join(to, 'README.md'), 'utf8')).toContain('| `phishing-database` | 4 | phishing |');
});

test('a kind of file that is missing is named, and nothing is written', () => {
  const { 'scamblocklist-2026-01-02.hosts.txt': _, ...rest } = FILES;
  const { status, stderr, to } = packed(rest);
  expect(status).not.toBe(0);
  expect(stderr).toContain('has no file scamblocklist-<date>');
  expect(shippedFeeds(join(to, 'shipped-feeds.bin'))).toEqual([]);
});
