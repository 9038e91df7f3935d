/**
 * Reports what the scanner finds, and what it wrongly flags, as JSON:
 *
 *   node services/scanner/scripts/evaluate.ts FOLDER
 *
 * FOLDER has `tuning/` (dev.tsv, *-dev.txt, hard-negatives-dev.jsonl, jpcert-*.csv) and `lists/tranco-*.csv`. The rows
 * stay there: the report has only counts and the URLs of harmless sites that were flagged.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NO_ALLOWED_HOSTS, type Outcome } from '@waypost/domain';
import { createScanner, registrableDomain } from '../src/index.ts';

const folder = process.argv[2];
if (folder === undefined) {
  process.stderr.write('usage: evaluate.ts FOLDER\n');
  process.exit(2);
}

const dev = lines('tuning/dev.tsv')
  .slice(1)
  .map((line) => line.split('\t'));
const threats: Record<string, string[]> = {
  phishing: dev.filter(([threat]) => threat === 'phishing').map((row) => row[3]!),
  malware: dev.filter(([threat]) => threat === 'malware').map((row) => row[3]!),
  jpcert: lines(`tuning/${found('tuning', 'jpcert-')}`)
    .slice(1)
    .map((line) => line.split(',')[1]!),
};
const harmless: Record<string, string[]> = {
  deep: lines('tuning/deep-urls-dev.txt'),
  sensitive: lines('tuning/citizenlab-urls-dev.txt'),
  top20k: lines(`lists/${found('lists', 'tranco-')}`).map((line) => `https://${line.split(',')[1]!.trim()}/`),
  hard: lines('tuning/hard-negatives-dev.jsonl').map((line) => JSON.parse(line).url),
};

const dataDir = mkdtempSync(join(tmpdir(), 'waypost-evaluate-'));
const { scanner, status } = await createScanner({
  dataDir,
  policy: { registrableDomain, ownHosts: [], allowed: NO_ALLOWED_HOSTS },
  links: { file: async () => {}, drop: async () => {}, matching: async () => [], all: async () => [] },
  bus: { publishEncoded: async () => {}, subscribe: async () => ({ parked: () => 0, stop: async () => {} }) },
  feeds: 'none',
  logger: { error() {}, warn() {}, info() {}, debug() {} } as never,
  now: () => new Date(),
});
const report = {
  generation: status().generation,
  feeds: status().feeds.map(({ name, entries, updated_at }) => ({ name, entries, updated_at })),
  threats: await Promise.all(Object.entries(threats).map(([name, urls]) => measured(name, urls, false))),
  harmless: await Promise.all(Object.entries(harmless).map(([name, urls]) => measured(name, urls, true))),
};
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
rmSync(dataDir, { recursive: true });

async function measured(name: string, urls: readonly string[], isHarmless: boolean) {
  const outcomes: Record<Outcome, number> = { clean: 0, warned: 0, flagged: 0, refused: 0 };
  const rules: Record<string, number> = {};
  const wrong: string[] = [];
  for (let from = 0; from < urls.length; from += 500) {
    const { verdicts } = await scanner.scan(urls.slice(from, from + 500));
    for (const { url, outcome, reasons } of verdicts) {
      outcomes[outcome]++;
      for (const { rule } of outcome === 'refused' ? [] : reasons) rules[rule] = (rules[rule] ?? 0) + 1;
      if (isHarmless && outcome === 'flagged') wrong.push(url);
    }
  }
  const flaggedPercent = Math.round((10_000 * outcomes.flagged) / urls.length) / 100;
  return { name, urls: urls.length, flaggedPercent, ...outcomes, rules, ...(isHarmless ? { wrong } : {}) };
}

function lines(file: string): string[] {
  return readFileSync(join(folder!, file), 'utf8').trim().split('\n');
}

function found(where: string, start: string): string {
  return readdirSync(join(folder!, where)).find((file) => file.startsWith(start))!;
}
