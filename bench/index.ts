/**
 * Benchmarks, each in a separate process.
 *
 *   npm run bench -- NAME [options]                          one of them
 *   npm run bench -- [--quick] [--only EXPRESSION] [--to DIR]    all of them, with a report in DIR (default bench-report)
 *   npm run bench -- --list
 *
 * The report is a page of Markdown and the same as JSON, beside what each benchmark printed. `--quick` takes each so briefly that
 * its figures say nothing: it tells whether they run. Exits with 1 if a goal was missed, or, with `--quick`, if a
 * benchmark did not come to its end.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Figure } from './lib/goals.ts';

interface Bench {
  readonly what: string;
  /** For `--quick`; undefined: left out of it. */
  readonly quick?: readonly string[];
  /** Programs besides Node. */
  readonly needs?: readonly string[];
}

const BENCHES: Readonly<Record<string, Bench>> = {
  redirect: {
    what: 'redirects with capture beside a bare node:http server: the redirector alone',
    quick: ['--rounds', '1', '--seconds', '1'],
    needs: ['wrk'],
  },
  create: {
    what: 'creations over 8 connections, and bulks of 300, beside plain INSERTs',
    quick: ['--rounds', '1', '--seconds', '1', '--bulks', '8'],
    needs: ['wrk'],
  },
  lists: {
    what: 'pages of the links of accounts with 10,000 and 100,000, beside a look-up by key',
    quick: ['--rounds', '5'],
  },
  analytics: {
    what: 'ingest and analytics over a million clicks',
    quick: ['--clicks', '20000', '--hot', '5000', '--idle', '1'],
  },
  ingest: {
    what: 'a backlog of clicks on Kafka into ClickHouse, beside a consumer that only reads it',
    quick: ['--clicks', '20000'],
    needs: ['java', 'mvn'],
  },
  scan: {
    what: 'verdicts, bulks of 500, the event loop while a generation is swapped',
    quick: ['20000'],
  },
  hostile: {
    what: 'the costliest requests, kind by kind, beside a steady 500 redirects a second',
  },
  overload: {
    what: 'many times more requests than can be answered, and 5,000 connections: health, visitors, others, recovery',
    quick: ['--seconds', '2', '--only', 'creations'],
    needs: ['wrk'],
  },
};

const REPORT = 'report';

interface Outcome {
  readonly name: string;
  readonly what: string;
  readonly seconds: number;
  /** Undefined: it did not come to its end; with `skipped`, it was not begun. */
  readonly figures?: readonly Figure[];
  readonly skipped?: string;
}

const [first = ''] = process.argv.slice(2);
if (first.startsWith('-') || first === '') process.exitCode = await whole();
else if (Object.hasOwn(BENCHES, first)) {
  const { status } = spawnSync(process.execPath, [...nodeOptions(first), ...process.argv.slice(3)], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} else {
  list(console.error);
  process.exitCode = 2;
}

function list(print: (line: string) => void): void {
  for (const [name, { what }] of Object.entries(BENCHES)) print(`npm run bench -- ${name}: ${what}`);
}

function nodeOptions(name: string): string[] {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  return ['--disable-warning=ExperimentalWarning', file];
}

async function whole(): Promise<number> {
  const { values } = parseArgs({
    options: {
      list: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      to: { type: 'string', default: 'bench-report' },
    },
  });
  if (values.list) {
    list(console.log);
    return 0;
  }
  const { quick } = values;
  const dir = path.resolve(values.to);
  fs.mkdirSync(dir, { recursive: true });
  const only = new RegExp(values.only);
  const outcomes: Outcome[] = [];
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (!only.test(name) || (quick && bench.quick === undefined)) continue;
    outcomes.push(await one(name, bench, { quick, dir }));
    report(dir, outcomes, quick);
  }
  console.log(`\n${path.join(dir, `${REPORT}.md`)}`);
  const crashed = outcomes.filter(({ figures, skipped }) => figures === undefined && skipped === undefined);
  const missed = outcomes.flatMap(({ figures = [] }) => figures.filter(({ met }) => met === false));
  for (const { name } of crashed) console.log(`${name} did not come to its end`);
  console.log(quick ? 'goals do not count: quick' : `${missed.length} goals missed`);
  return crashed.length > 0 || (!quick && missed.length > 0) ? 1 : 0;
}

async function one(
  name: string,
  bench: Bench,
  { quick, dir }: { readonly quick: boolean; readonly dir: string },
): Promise<Outcome> {
  const { what } = bench;
  const missing = (bench.needs ?? []).filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    const skipped = `it needs ${missing.join(', ')}`;
    console.log(`\n== ${name}: left out, ${skipped}`);
    return { name, what, seconds: 0, skipped };
  }
  console.log(`\n== ${name}: ${what}`);
  const figuresFile = path.join(dir, `${name}.json`);
  fs.rmSync(figuresFile, { force: true });
  const log = fs.createWriteStream(path.join(dir, `${name}.txt`));
  const began = performance.now();
  const child = spawn(process.execPath, [...nodeOptions(name), ...((quick && bench.quick) || [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, BENCH_FIGURES: figuresFile },
  });
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (chunk) => {
      process[stream].write(chunk);
      log.write(chunk);
    });
  await once(child, 'close');
  log.end();
  const seconds = Math.round((performance.now() - began) / 1_000);
  if (!fs.existsSync(figuresFile)) return { name, what, seconds };
  const figures: Figure[] = JSON.parse(fs.readFileSync(figuresFile, 'utf8'));
  return { name, what, seconds, figures };
}

function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((folder) => fs.existsSync(path.join(folder, program)));
}

function report(dir: string, outcomes: readonly Outcome[], quick: boolean): void {
  const machine = {
    processor: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryGiB: Math.round(os.totalmem() / 2 ** 30),
    node: process.version,
    commit: spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).stdout?.trim() || 'unknown',
    at: new Date().toISOString(),
  };
  fs.writeFileSync(
    path.join(dir, `${REPORT}.json`),
    `${JSON.stringify({ machine, quick, benches: outcomes }, null, 2)}\n`,
  );
  const sections = outcomes.map(({ name, what, seconds, figures, skipped }) => {
    const head = `## ${name}\n\n${what[0]!.toUpperCase()}${what.slice(1)}.`;
    if (skipped !== undefined) return `${head} Left out: ${skipped}.`;
    if (figures === undefined) return `${head} **Did not come to its end**: see \`${name}.txt\`.`;
    const rows = figures.map(
      ({ what, value, unit, goal = '', met }) =>
        `| ${what.replaceAll('|', '\\|')} | ${value}${unit === '' ? '' : ` ${unit}`} | ${goal} | ${met === undefined ? '' : met ? 'met' : '**missed**'} |`,
    );
    return `${head} ${seconds} s.\n\n| Figure | Value | Goal | |\n|---|---|---|---|\n${rows.join('\n')}`;
  });
  const { processor, cores, memoryGiB, node, commit, at } = machine;
  const warning = quick ? ' Taken with `--quick`: the figures say nothing.' : '';
  fs.writeFileSync(
    path.join(dir, `${REPORT}.md`),
    `# Benchmarks\n\n${at}, commit ${commit}, ${cores} cores (${processor}), ${memoryGiB} GiB, Node ${node}.${warning}\n\n${sections.join('\n\n')}\n`,
  );
}
