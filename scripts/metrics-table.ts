/** Writes the table of docs/observability.md from the declarations of the metrics. `--check` only compares them. */
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { POOL_METRICS } from '../libs/postgres/src/metrics.ts';
import { DEPENDENCY_METRICS } from '../libs/process/src/internal-app.ts';
import { type MetricDeclaration, PROCESS_METRICS } from '../libs/telemetry/src/metrics.ts';
import { BUS_METRICS, LAG_METRICS } from '../libs/typed-bus/src/metrics.ts';
import { INGEST_METRICS } from '../services/analytics-ingest/src/metrics.ts';
import { API_METRICS, CASE_METRICS, OUTBOX_METRICS, WEBHOOK_METRICS } from '../services/link-api/src/metrics.ts';
import { REDIRECTOR_METRICS, THREAD_METRICS, VISITOR_METRICS } from '../services/redirector/src/metrics.ts';
import { DEEP_SCAN_METRICS, SCAN_METRICS, SCANNER_METRICS } from '../services/scanner/src/metrics.ts';

const FILE = fileURLToPath(new URL('../docs/observability.md', import.meta.url));
const BEGIN = '<!-- made by scripts/metrics-table.ts -->';
const END = '<!-- end -->';

/** The metrics of each process. The one process has all of them. */
const DECLARED: readonly (readonly [process: string, Readonly<Record<string, MetricDeclaration>>])[] = [
  ['redirector', { ...VISITOR_METRICS, ...THREAD_METRICS, ...REDIRECTOR_METRICS }],
  ['link-api', { ...API_METRICS }],
  ['link-api', OUTBOX_METRICS],
  ['link-api', WEBHOOK_METRICS],
  ['link-api', CASE_METRICS],
  ['scanner', { ...SCAN_METRICS, ...SCANNER_METRICS, ...DEEP_SCAN_METRICS }],
  ['analytics-ingest', INGEST_METRICS],
  ['link-api, scanner, analytics-ingest', { ...BUS_METRICS, ...LAG_METRICS }],
  ['link-api, scanner', POOL_METRICS],
  ['all', { ...DEPENDENCY_METRICS, ...PROCESS_METRICS }],
];

const rows = DECLARED.flatMap(([process, metrics]) =>
  Object.values(metrics).map(({ name, type, labels, help }) => {
    const shown = labels.length === 0 ? '' : `{${labels.join(', ')}}`;
    return `| \`${name}${shown}\` | ${type} | ${process} | ${help} |`;
  }),
);
const table = ['| Name | Type | Process | What it tells |', '|---|---|---|---|', ...rows].join('\n');

const text = fs.readFileSync(FILE, 'utf8');
const [before, rest] = text.split(BEGIN);
const after = rest?.split(END)[1];
if (before === undefined || after === undefined) throw new Error(`${FILE} has no place for the table`);
const generated = `${before}${BEGIN}\n${table}\n${END}${after}`;

if (process.argv[2] !== '--check') {
  fs.writeFileSync(FILE, generated);
} else if (text !== generated) {
  console.error('docs/observability.md is not what is declared: run scripts/node.sh scripts/metrics-table.ts');
  process.exitCode = 1;
}
