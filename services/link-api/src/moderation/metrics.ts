import { type Metrics, metric } from '@waypost/telemetry';
import type { Cases } from './cases.port.ts';

export const CASE_METRICS = {
  open: metric.gauge('waypost_cases_open', 'Open cases, by kind: report or review.', 'kind'),
  age: metric.gauge('waypost_cases_oldest_age_seconds', 'Age of the oldest open case, by kind, or 0.', 'kind'),
};

export function caseMetrics(metrics: Metrics, { cases }: { readonly cases: Pick<Cases, 'waiting'> }): void {
  metrics.read(CASE_METRICS, async () => {
    const waiting = await cases.waiting();
    const ageOf = (at: Date | null) => (at === null ? 0 : Math.max(0, (Date.now() - at.getTime()) / 1_000));
    return {
      open: waiting.map(({ kind, open }) => ({ labels: { kind }, value: open })),
      age: waiting.map(({ kind, oldestAt }) => ({ labels: { kind }, value: ageOf(oldestAt) })),
    };
  });
}
