/** `npm run bench -- NAME [options]`: runs one benchmark in a separate process. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BENCHES: Readonly<Record<string, string>> = {
  redirect: 'redirects with capture beside a bare node:http server: the redirector alone',
  'redirect-product': 'the same with everything else of the product beside it',
  create: 'creations over 8 connections, and bulks of 300, beside plain INSERTs',
  analytics: 'ingest and analytics over a million clicks',
  ingest: 'a backlog of clicks on Kafka into ClickHouse, beside a consumer that only reads it',
  dashboard: 'the dashboard with 10,000 links in an account and a million clicks on one, at the server and in Chromium',
  scan: 'verdicts, bulks of 500, the event loop while a generation is swapped',
  rescan: 'an import against a million stored links: what it lists is flagged, and nothing else',
  stack: 'the separate processes: redirectors with Redis behind them, creation, idle CPU',
  hostile: 'the costliest requests, kind by kind, beside a steady 500 redirects a second',
  idle: 'start time, memory and CPU of an idle product',
};

const [name = '', ...options] = process.argv.slice(2);
if (!Object.hasOwn(BENCHES, name)) {
  console.error(
    Object.entries(BENCHES)
      .map(([bench, what]) => `npm run bench -- ${bench}: ${what}`)
      .join('\n'),
  );
  process.exit(2);
}
const file = name === 'scan' ? '../services/scanner/bench/scan.ts' : `./${name}.ts`;
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', fileURLToPath(new URL(file, import.meta.url)), ...options],
  {
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
