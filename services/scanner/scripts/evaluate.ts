/**
 * Reports how the scanner judges sets of harmful and harmless URLs:
 *
 *   npm run evaluate:scanner [-- FOLDER] [--json FILE] [--off RULE,RULE]
 *
 * A set is a text file with one URL per line: `FOLDER/harmful/*.txt` and `FOLDER/harmless/*.txt`; without a folder,
 * those of services/scanner/test/sets. The report names only harmless URLs that were flagged.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createScanner } from '../src/app.ts';
import { parseRuleIds, rulesWithout } from '../src/judge/rule-set.ts';
import { loneScanner } from './lone-scanner.ts';
import { type Measurement, measureHomePages, measureSets } from './measure-sets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, off: { type: 'string' } },
});
const rulesOff = parseRuleIds(values.off?.split(',') ?? []);
const folder = positionals[0] ?? fileURLToPath(new URL('../test/sets', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'waypost-evaluate-'));
const { scanner, status } = await createScanner({ ...loneScanner(dataDir), rulesOff });
const sets = [...(await measureSets(scanner, folder)), measureHomePages(rulesWithout(rulesOff))];
const feeds = status().feeds.map(({ name, entries, updated_at }) => ({ name, entries, updated_at }));
if (values.json !== undefined) {
  mkdirSync(dirname(values.json), { recursive: true });
  writeFileSync(values.json, `${JSON.stringify({ folder, generation: status().generation, feeds, sets }, null, 2)}\n`);
}
process.stdout.write(`${'set'.padEnd(40)}${'URLs'.padStart(8)}${'flagged'.padStart(18)}${'or warned'.padStart(18)}\n`);
for (const set of sets) process.stdout.write(`${row(set)}\n`);
rmSync(dataDir, { recursive: true });

function row({ name, urls, flagged, warned, wrong }: Measurement): string {
  const share = (count: number) => `${count} (${((100 * count) / urls).toFixed(2)} %)`.padStart(18);
  const line = `${name.padEnd(40)}${String(urls).padStart(8)}${share(flagged)}${share(flagged + warned)}`;
  return [line, ...wrong.map(({ url, rules }) => `    ${url}  ${rules.join(', ')}`)].join('\n');
}
