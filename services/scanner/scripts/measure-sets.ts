import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Verdict } from '@waypost/domain';
import type { UrlScanner } from '@waypost/ports';
import { MOST_VISITED } from '../src/data.ts';
import { judgeByRules } from '../src/judge/judge.ts';
import { type RuleSet, rulesWithout } from '../src/judge/rule-set.ts';
import { subjectOf } from '../src/judge/rules/subject.ts';

export interface Measurement extends Readonly<Record<Outcome, number>> {
  readonly name: string;
  readonly urls: number;
  readonly rules: Readonly<Record<string, number>>;
  readonly wrong: readonly { readonly url: string; readonly rules: readonly string[] }[];
}

const BULK = 500;

export async function measureSets(scanner: UrlScanner, folder: string): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const part of ['harmful', 'harmless']) {
    const at = join(folder, part);
    const files = existsSync(at) ? readdirSync(at).filter((file) => file.endsWith('.txt')) : [];
    for (const file of files.sort()) {
      const text = readFileSync(join(at, file), 'utf8').replaceAll('\r', '');
      const urls = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      measurements.push(await measure(scanner, `${part}/${file.slice(0, -'.txt'.length)}`, urls, part === 'harmless'));
    }
  }
  return measurements;
}

/** Judges the home pages of the most visited sites as if they were unknown sites. */
export function measureHomePages(rules: RuleSet = rulesWithout([])): Measurement {
  const verdicts = MOST_VISITED.map((host) => {
    const url = `https://${host}/`;
    return { url, ...judgeByRules(rules, { ...subjectOf(url, new URL(url)), isRanked: false }) };
  });
  return countVerdicts('harmless/most visited, as if unknown', verdicts, true);
}

async function measure(scanner: UrlScanner, name: string, urls: readonly string[], isHarmless: boolean) {
  const verdicts: Verdict[] = [];
  for (let from = 0; from < urls.length; from += BULK) {
    verdicts.push(...(await scanner.scan(urls.slice(from, from + BULK))).verdicts);
  }
  return countVerdicts(name, verdicts, isHarmless);
}

function countVerdicts(name: string, verdicts: readonly Verdict[], isHarmless: boolean): Measurement {
  const outcomes: Record<Outcome, number> = { clean: 0, warned: 0, flagged: 0, refused: 0 };
  const rules: Record<string, number> = {};
  const wrong: { url: string; rules: string[] }[] = [];
  for (const { url, outcome, reasons } of verdicts) {
    outcomes[outcome]++;
    const ids = outcome === 'refused' ? [] : [...new Set(reasons.map(({ rule }) => rule))];
    for (const id of ids) rules[id] = (rules[id] ?? 0) + 1;
    if (isHarmless && outcome === 'flagged') wrong.push({ url, rules: ids });
  }
  return { name, urls: verdicts.length, ...outcomes, rules, wrong };
}
