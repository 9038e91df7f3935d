/**
 * Packs feed files into data/shipped-feeds.bin, the scanner's first threat data, and writes the table in its README:
 *
 *   npm run pack:feeds -- FOLDER [SITES...] [--to FOLDER]
 *
 * FOLDER holds the files of SOURCES, each as published, with its date in its name; the newest of each kind is taken.
 * Bare IP addresses are left out, since they change hands within weeks. SITES are files of harmless URLs, one per line:
 * a whole-host entry for one of their hosts is left out and named. `--to` is where the two files go.
 */
import { hash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { addressIn, type ThreatType } from '@waypost/domain';
import { writeCheckedFile } from '../src/checked-file.ts';
import { dataPath } from '../src/data.ts';
import { expressionKey } from '../src/judge/urls/expression-key.ts';
import { packKeys } from '../src/packed-keys.ts';
import { entryExpression, type FeedEntry } from '../src/threats/feeds/entry.ts';
import { type FeedFormat, PARSERS } from '../src/threats/feeds/formats.ts';
import { judgeEntry } from '../src/threats/feeds/guards.ts';
import { SHIPPED_FEEDS_FILE, type ShippedHeader } from '../src/threats/shipped-feeds.ts';

interface Source {
  readonly name: string;
  readonly threatType: ThreatType;
  readonly source: string;
  readonly licence: string;
  /** Whose work it is, if the licence asks to say so. */
  readonly notice?: string;
  /** By the start of a file's name, up to its date. */
  readonly files: Readonly<Record<string, FeedFormat>>;
}

const SOURCES: readonly Source[] = [
  {
    name: 'urlhaus',
    threatType: 'malware',
    source: 'https://urlhaus.abuse.ch/ (CSV of online URLs, text of recent URLs; CC0 at that time)',
    licence: 'CC0-1.0',
    files: { 'urlhaus-csv-online': 'urlhaus-csv', 'urlhaus-text-recent': 'urls' },
  },
  {
    name: 'urlhaus-filter',
    threatType: 'malware',
    source: 'https://gitlab.com/malware-filter/urlhaus-filter (online, uBlock Origin format)',
    licence: 'CC0-1.0, MIT',
    files: { 'urlhaus-filter-online': 'adblock' },
  },
  {
    name: 'phishing-database',
    threatType: 'phishing',
    source: 'https://github.com/Phishing-Database/Phishing.Database (active domains, active links)',
    licence: 'MIT',
    notice: '(c) 2018-2025 Mitchell Krog, Nissar Chababy, contributors',
    files: { 'phishing-database-domains': 'hosts', 'phishing-database-links': 'urls' },
  },
  {
    name: 'discord-phishing-links',
    threatType: 'phishing',
    source: 'https://github.com/nikolaischunk/discord-phishing-links (domain list)',
    licence: 'MIT',
    notice: '(c) 2021 nikolaischunk',
    files: { 'discord-phishing-links': 'json' },
  },
  {
    name: 'scamblocklist',
    threatType: 'scam',
    source: 'https://github.com/durablenapkin/scamblocklist',
    licence: 'MIT',
    notice: '(c) DurableNapkin',
    files: { scamblocklist: 'hosts' },
  },
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { to: { type: 'string' } } });
const [folder, ...siteFiles] = positionals;
if (folder === undefined) {
  process.stderr.write('usage: npm run pack:feeds -- FOLDER [SITES...] [--to FOLDER]\n');
  process.exit(2);
}
const [packed, readme] = [basename(SHIPPED_FEEDS_FILE), 'README.md'].map((file) =>
  values.to === undefined ? dataPath(file) : join(values.to, file),
);

const sites = new Set(siteFiles.flatMap(hostsIn));
const feeds = SOURCES.map((source) => feedOf(source));
const header: ShippedHeader = {
  kind: 'shipped',
  feeds: feeds.map(({ source: { files: _, notice: __, ...rest }, updatedAt, keys }) => ({
    ...rest,
    updatedAt,
    entries: keys.length,
  })),
};
await writeCheckedFile(packed!, { header, keys: BigUint64Array.from(feeds.flatMap(({ keys }) => [...keys])) });
writeFileSync(readme!, withTable(readFileSync(dataPath('README.md'), 'utf8'), feeds.map(rowOf)));

type Feed = ReturnType<typeof feedOf>;

function feedOf(source: Source) {
  const files = Object.entries(source.files).map(([start, format]) => ({ format, ...newestFile(start) }));
  const entries = files.flatMap(({ file, format }) => [...entriesOf(source.name, file, format)]);
  const hosts = new Set(entries.filter(({ path }) => path === undefined).map(({ host }) => host));
  // What is below a listed host adds nothing: a scan looks up the host, too.
  const needed = entries.filter(({ host, path }) => !isBelow(hosts, path === undefined ? parentOf(host) : host));
  const keys = packKeys(needed.map((entry) => expressionKey(entryExpression(entry))));
  process.stdout.write(`${source.name}\t${keys.length} entries\n`);
  const date = files
    .map((file) => file.date)
    .sort()
    .at(-1)!;
  return { source, files, keys, updatedAt: new Date(date).toISOString() };
}

function newestFile(start: string): { readonly file: string; readonly date: string } {
  const dated = readdirSync(folder!).flatMap((file) => {
    const date = file.startsWith(`${start}-`)
      ? /^\d{4}-\d{2}(?:-\d{2})?/.exec(file.slice(start.length + 1))?.[0]
      : undefined;
    return date === undefined ? [] : [{ file, date }];
  });
  const newest = dated.sort((a, b) => (a.date < b.date ? -1 : 1)).at(-1);
  if (newest === undefined) throw new Error(`${folder} has no file ${start}-<date>`);
  return newest;
}

function* entriesOf(name: string, file: string, format: FeedFormat): Generator<FeedEntry> {
  const bytes = readFileSync(join(folder!, file));
  process.stdout.write(`${name}\t${file}\tsha256 ${hash('sha256', bytes)}\n`);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  for (const { number, entries, problem } of PARSERS[format](text)) {
    if (problem !== undefined) process.stderr.write(`${file}: line ${number} left out: ${problem}\n`);
    for (const entry of entries) {
      const unfit = unfitness(entry);
      if (unfit === undefined) yield entry;
      else process.stderr.write(`${file}: line ${number} left out: ${entry.host}: ${unfit}\n`);
    }
  }
}

function unfitness(entry: FeedEntry): string | undefined {
  const judgement = judgeEntry(entry, []);
  if (judgement.kind !== 'good') return judgement.problem;
  if (entry.path !== undefined) return undefined;
  if (sites.has(entry.host.replace(/^www\./, ''))) return 'the host of a known site';
  return addressIn(entry.host) === undefined ? undefined : 'a bare IP address';
}

function isBelow(hosts: ReadonlySet<string>, host: string): boolean {
  for (let at = 0; at >= 0; at = host.indexOf('.', at) + 1 || -1) if (hosts.has(host.slice(at))) return true;
  return false;
}

function parentOf(host: string): string {
  return host.slice(host.indexOf('.') + 1);
}

function hostsIn(file: string): string[] {
  const urls = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => URL.parse(line.trim()));
  return urls.flatMap((url) => url?.hostname.replace(/^www\./, '') ?? []);
}

function rowOf({ source, files, keys }: Feed): string {
  const { name, threatType, licence, notice } = source;
  const names = files.map(({ file }) => `\`${file}\``).join(', ');
  const cells = [
    `\`${name}\``,
    keys.length.toLocaleString('en'),
    threatType,
    names,
    source.source.replace('https://', ''),
    [licence, ...(notice === undefined ? [] : [notice])].join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Puts the rows into the first table of the text. */
function withTable(text: string, rows: readonly string[]): string {
  return text.replace(/(\n\|[^\n]*\n\|[-|]+\|\n)(?:\|[^\n]*\n)+/, (_, head: string) => `${head}${rows.join('\n')}\n`);
}
