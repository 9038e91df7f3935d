/**
 * Packs feed files into data/shipped-feeds.bin, the scanner's first threat data.
 *
 *   node services/scanner/scripts/pack-feeds.ts FOLDER [SITES...]
 *
 * FOLDER holds the files named below (services/scanner/data/README.md has their sources). Bare IP addresses are left
 * out, since they change hands within weeks. SITES are files of harmless URLs, one per line: a whole-host entry for one
 * of their hosts is left out and named.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressIn, type ThreatType } from '@waypost/domain';
import { writeCheckedFile } from '../src/checked-file.ts';
import { expressionKey } from '../src/judge/urls/expression-key.ts';
import { entryExpression, type FeedEntry } from '../src/threats/feeds/entry.ts';
import { type FeedFormat, PARSERS } from '../src/threats/feeds/formats.ts';
import { judgeEntry } from '../src/threats/feeds/guards.ts';
import { SHIPPED_FEEDS_FILE, type ShippedHeader } from '../src/threats/feeds/shipped-feeds.ts';
import { type PackedKeys, packKeys } from '../src/threats/threat-index.ts';

interface Source {
  readonly name: string;
  readonly threatType: ThreatType;
  readonly updatedAt: string;
  readonly source: string;
  readonly licence: string;
  readonly files: readonly { readonly file: string; readonly format: FeedFormat }[];
}

const SOURCES: readonly Source[] = [
  {
    name: 'urlhaus',
    threatType: 'malware',
    updatedAt: '2026-04-13T00:00:00.000Z',
    source: 'https://urlhaus.abuse.ch/ (CSV of online URLs 2025-04-21, text of recent URLs 2026-04-13)',
    licence: 'CC0-1.0',
    files: [
      { file: 'urlhaus-csv-online-2025-04-21.csv', format: 'urlhaus-csv' },
      { file: 'urlhaus-text-recent-2026-04.txt', format: 'urls' },
    ],
  },
  {
    name: 'urlhaus-filter',
    threatType: 'malware',
    updatedAt: '2025-07-19T12:11:28.000Z',
    source: 'https://gitlab.com/malware-filter/urlhaus-filter (online, uBlock Origin format)',
    licence: 'CC0-1.0, MIT',
    files: [{ file: 'urlhaus-filter-online-2025-07-19.ubo.txt', format: 'adblock' }],
  },
  {
    name: 'phishing-database',
    threatType: 'phishing',
    updatedAt: '2020-08-03T00:00:00.000Z',
    source: 'https://github.com/Phishing-Database/Phishing.Database (links ACTIVE, a sample)',
    licence: 'MIT',
    files: [{ file: 'phishing-database-links-ACTIVE-2020-08-03.sample.txt', format: 'urls' }],
  },
  {
    name: 'discord-phishing-links',
    threatType: 'phishing',
    updatedAt: '2024-03-24T00:00:00.000Z',
    source: 'https://github.com/nikolaischunk/discord-phishing-links (domain list)',
    licence: 'MIT',
    files: [{ file: 'discord-phishing-links-2024-03-24.json', format: 'json' }],
  },
  {
    name: 'scamblocklist',
    threatType: 'scam',
    updatedAt: '2026-08-22T00:00:00.000Z',
    source: 'https://github.com/durablenapkin/scamblocklist',
    licence: 'MIT',
    files: [{ file: 'scamblocklist-2026-08-22.hosts.txt', format: 'hosts' }],
  },
];

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: pack-feeds.ts FOLDER\n');
  process.exit(2);
}

const sites = new Set(process.argv.slice(3).flatMap(hostsIn));
const feeds = SOURCES.map((source) => ({ source, keys: keysOf(source) }));
const header: ShippedHeader = {
  kind: 'shipped',
  feeds: feeds.map(({ source: { files: _, ...rest }, keys }) => ({ ...rest, entries: keys.length })),
};
await writeCheckedFile(SHIPPED_FEEDS_FILE, {
  header,
  keys: BigUint64Array.from(feeds.flatMap(({ keys }) => [...keys])),
});
for (const { name, entries } of header.feeds) process.stdout.write(`${name}\t${entries}\n`);

function keysOf({ name, files }: Source): PackedKeys {
  const keys: bigint[] = [];
  for (const { file, format } of files) {
    for (const line of PARSERS[format](readFileSync(join(folder!, file), 'utf8'))) {
      if (line.problem !== undefined) process.stderr.write(`${name}: line ${line.number} left out: ${line.problem}\n`);
      for (const entry of line.entries) {
        const problem = unfit(entry);
        if (problem !== undefined) process.stderr.write(`${name}: line ${line.number} left out: ${problem}\n`);
        else keys.push(expressionKey(entryExpression(entry)));
      }
    }
  }
  return packKeys(keys);
}

function unfit(entry: FeedEntry): string | undefined {
  const judgement = judgeEntry(entry, []);
  if (judgement.kind !== 'good') return judgement.problem;
  if (entry.path !== undefined) return undefined;
  if (sites.has(entry.host.replace(/^www\./, ''))) return `quarantined: ${entry.host} is the host of a known site`;
  return addressIn(entry.host) === undefined ? undefined : 'a bare IP address';
}

function hostsIn(file: string): string[] {
  const urls = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => URL.parse(line.trim()));
  return urls.flatMap((url) => url?.hostname.replace(/^www\./, '') ?? []);
}
