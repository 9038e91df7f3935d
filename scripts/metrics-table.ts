/** Writes the list of docs/observability.md from the declarations of the metrics. `--check` only compares them. */
import { POOL_METRICS } from '../libs/postgres/src/metrics.ts';
import { DEPENDENCY_METRICS } from '../libs/process/src/internal-app.ts';
import { type MetricDeclaration, PROCESS_METRICS } from '../libs/telemetry/src/metrics.ts';
import { BUS_METRICS, LAG_METRICS } from '../libs/typed-bus/src/metrics.ts';
import { INGEST_METRICS } from '../services/analytics-ingest/src/metrics.ts';
import { LINK_METRICS, OUTBOX_METRICS } from '../services/link-api/src/links/metrics.ts';
import { CASE_METRICS } from '../services/link-api/src/moderation/metrics.ts';
import { API_METRICS } from '../services/link-api/src/platform/metrics.ts';
import { WEBHOOK_METRICS } from '../services/link-api/src/webhooks/metrics.ts';
import { REDIRECTOR_METRICS, THREAD_METRICS, VISITOR_METRICS } from '../services/redirector/src/metrics.ts';
import { SCAN_METRICS, SCANNER_METRICS } from '../services/scanner/src/metrics.ts';
import { writeGenerated } from './generated.ts';

/** The metrics of each process. The one process has all of them. */
const DECLARED: readonly (readonly [process: string, Readonly<Record<string, MetricDeclaration>>])[] = [
  ['redirector', { ...VISITOR_METRICS, ...THREAD_METRICS, ...REDIRECTOR_METRICS }],
  ['link-api', { ...API_METRICS, ...LINK_METRICS, ...OUTBOX_METRICS, ...WEBHOOK_METRICS, ...CASE_METRICS }],
  ['scanner', { ...SCAN_METRICS, ...SCANNER_METRICS }],
  ['analytics-ingest', INGEST_METRICS],
  ['link-api, scanner, analytics-ingest', { ...BUS_METRICS, ...LAG_METRICS }],
  ['link-api, scanner', POOL_METRICS],
  ['all', { ...DEPENDENCY_METRICS, ...PROCESS_METRICS }],
];

const groups = DECLARED.map(([process, metrics]) => {
  const entries = Object.values(metrics).map(({ name, labels, help }) => {
    const shown = labels.length === 0 ? '' : `{${labels.join(', ')}}`;
    return `- \`${name}${shown}\`: ${help}\n`;
  });
  return `\n**${process}**\n\n${entries.join('')}`;
});
writeGenerated('scripts/metrics-table.ts', 'docs/observability.md', [`${groups.join('')}\n`]);
