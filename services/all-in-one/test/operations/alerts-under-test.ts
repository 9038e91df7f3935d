/** Tests alert rules. Scrapes of real processes become the history of a Prometheus, which promtool evaluates. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { promtool } from '@waypost/engines/promtool';
import type { Metrics } from '@waypost/telemetry';
import { newFolder } from '@waypost/test-support/afterwards';
import { parse, stringify } from 'yaml';

const RULES = path.resolve(import.meta.dirname, '../../../../deploy/chart/monitoring/alerts.yml');
/** Minutes before the fault begins, and minutes after the rule's `for` until the check. */
const BEFORE = 10;
const AFTER = 8;

export interface Scrape {
  /** Milliseconds. */
  readonly at: number;
  readonly values: ReadonlyMap<string, number>;
}

interface Rule {
  readonly alert: string;
  readonly for?: string;
}

const { groups } = parse(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
export const ALERTS = rules.map(({ alert }) => alert);

/** A scrape of a process that does not answer. */
export const UNREACHABLE: Scrape = { at: 0, values: new Map([[seriesOf('up'), 0]]) };

/** Reads the samples of /metrics, or of `metrics` directly. */
export async function scrape(internal: string | Metrics): Promise<Scrape> {
  const at = performance.now();
  const text =
    typeof internal === 'string'
      ? await fetch(`${internal}/metrics`).then(
          (response) => response.text(),
          () => undefined,
        )
      : await internal.text();
  if (text === undefined) return UNREACHABLE;
  const values = new Map([[seriesOf('up'), 1]]);
  for (const line of text.split('\n')) {
    const [, name, labels, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name !== undefined) values.set(seriesOf(name, labels), Number(value));
  }
  return { at, values };
}

export const figureOf = ({ values }: Scrape, name: string): number => values.get(seriesOf(name)) ?? Number.NaN;

function seriesOf(name: string, labels?: string): string {
  return `${name}{${labels === undefined ? '' : `${labels},`}instance="here",job="waypost"}`;
}

/**
 * Resolves to whether this alert fires before the second scrape, and whether it fires at the end. The history is ten
 * minutes of the first scrape, then one minute of each other scrape. After that, counters grow at the rate of the last
 * two scrapes, and other values stay.
 */
export async function firing(
  scrapes: readonly Scrape[],
  alert: string,
): Promise<{ atFirst: boolean; atLast: boolean }> {
  const end = BEFORE + minutesOf(rules.find((rule) => rule.alert === alert)!.for ?? '0m') + AFTER;
  const [first, last] = await alertsAt(seriesUntil(scrapes, end), [BEFORE - 1, end]);
  return { atFirst: first!.includes(alert), atLast: last!.includes(alert) };
}

/** Resolves to the alerts of a process whose values stay as in this scrape. */
export async function firingInPeace(peace: Scrape): Promise<string[]> {
  const minutes = [60, 420];
  return (await alertsAt(seriesUntil([peace], 420), minutes)).flat();
}

function seriesUntil(scrapes: readonly Scrape[], end: number) {
  const names = new Set(scrapes.flatMap(({ values }) => [...values.keys()]));
  const [last, lastButOne] = [scrapes.at(-1)!, scrapes.at(-2)];
  return [...names].map((series) => {
    const ofScrapes = scrapes.map(({ values }) => values.get(series));
    const [final, previous] = [ofScrapes.at(-1), ofScrapes.at(-2)];
    const isCounter = /^\w+_(total|bucket|sum|count)\{/.test(series);
    const perMinute =
      isCounter && final !== undefined && scrapes.length > 2
        ? (Math.max(0, final - (previous ?? 0)) / (last.at - lastButOne!.at)) * 60_000
        : 0;
    const values = [
      ...Array.from({ length: BEFORE }, () => ofScrapes[0]),
      ...ofScrapes.slice(1),
      ...Array.from({ length: end }, (_, i) => final && final + perMinute * (i + 1)),
    ];
    return { series, values: values.map((value) => value ?? '_').join(' ') };
  });
}

/**
 * Resolves to the names of the alerts that fire after each of these minutes. promtool prints results only if they
 * differ from the expected ones, so the test expects an alert that no rule has.
 */
async function alertsAt(input_series: readonly object[], minutes: readonly number[]): Promise<string[][]> {
  const file = path.join(newFolder(), 'test.yml');
  const expr = 'count by (alertname) (ALERTS{alertstate="firing"})';
  const exp_samples = [{ labels: '{alertname="none"}', value: 1 }];
  const promql_expr_test = minutes.map((minute) => ({ expr, eval_time: `${minute}m`, exp_samples }));
  const tests = [{ interval: '1m', input_series, promql_expr_test }];
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }, { lineWidth: 0 }));
  const report = await promisify(execFile)(promtool(), ['test', 'rules', file]).then(
    () => '',
    (error: { readonly stderr: string }) => error.stderr,
  );
  const got = [...report.matchAll(/got:(.*)/g)].map(([, samples]) => samples!);
  if (got.length !== minutes.length) throw new Error(report.slice(0, 4_000));
  return got.map((samples) => [...samples.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name!));
}

function minutesOf(duration: string): number {
  const [, count, unit] = /^(\d+)([mh])$/.exec(duration)!;
  return Number(count) * (unit === 'h' ? 60 : 1);
}
