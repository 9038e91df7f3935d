/** Counts of verdicts over sets of URLs, for the evaluation and for the test of its floors. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome, Verdict } from '@waypost/domain';
import type { UrlScanner } from '@waypost/ports';
import { MOST_VISITED } from '../src/data.ts';
import { type RuleSet, rulesWithout } from '../src/rules/rules.ts';
import { subjectOf } from '../src/rules/subject.ts';
import { judged } from '../src/use-cases/scan-urls.ts';

export interface Measured extends Readonly<Record<Outcome, number>> {
  /** `harmful/` or `harmless/`, and the name of the file. */
  readonly name: string;
  readonly urls: number;
  /** How often each rule was a reason. */
  readonly rules: Readonly<Record<string, number>>;
  /** Harmless URLs that were flagged. */
  readonly wrong: readonly { readonly url: string; readonly rules: readonly string[] }[];
}

const BULK = 500;

export async function measureSets(scanner: UrlScanner, folder: string): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const part of ['harmful', 'harmless']) {
    const at = join(folder, part);
    const files = existsSync(at) ? readdirSync(at).filter((file) => file.endsWith('.txt')) : [];
    for (const file of files.sort()) {
      const text = readFileSync(join(at, file), 'utf8').replaceAll('\r', '');
      const urls = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
      measured.push(await measure(scanner, `${part}/${file.slice(0, -'.txt'.length)}`, urls, part === 'harmless'));
    }
  }
  return measured;
}

/**
 * The home pages of the most visited sites, as if none were in that list: how the rules treat the sites that come after
 * them, which no list names.
 */
export function measureHomePages(rules: RuleSet = rulesWithout([])): Measured {
  const verdicts = MOST_VISITED.map((host) => {
    const url = `https://${host}/`;
    return { url, ...judged(rules, { ...subjectOf(url, new URL(url)), isRanked: false }) };
  });
  return counted('harmless/most visited, as if unknown', verdicts, true);
}

async function measure(scanner: UrlScanner, name: string, urls: readonly string[], isHarmless: boolean) {
  const verdicts: Verdict[] = [];
  for (let from = 0; from < urls.length; from += BULK) {
    verdicts.push(...(await scanner.scan(urls.slice(from, from + BULK))).verdicts);
  }
  return counted(name, verdicts, isHarmless);
}

function counted(name: string, verdicts: readonly Verdict[], isHarmless: boolean): Measured {
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
