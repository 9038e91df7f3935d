import { expect, test } from '@jest/globals';
import { createMetrics, type Metrics, metric } from '../src/index.ts';

const lines = async (metrics: Metrics) =>
  (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

const QUEUE = {
  rows: metric.gauge('waypost_queue_rows', 'Rows that wait.'),
  ok: metric.gauge('waypost_queue_ok', 'Whether it moves.'),
  passed: metric.counter('waypost_queue_passed_total', 'Rows that passed.', 'kind'),
};

const UP = { up: metric.gauge('waypost_up', 'Whether it is up.') };

test('shows the help, type, labels and values of declared metrics', async () => {
  const metrics = createMetrics();
  metrics.counter(metric.counter('waypost_visits_total', 'Visits.', 'kind')).inc({ kind: 'two "2"\n' }, 2);
  metrics.histogram(metric.histogram('waypost_visit_duration_seconds', 'How long.', [0.1, 1])).observe(0.5);
  metrics.read(QUEUE, () => ({ rows: 7, ok: true, passed: [{ labels: { kind: 'a' }, value: 3 }] }));
  expect(await metrics.text()).toContain('# HELP waypost_visits_total Visits.\n# TYPE waypost_visits_total counter\n');
  expect(await lines(metrics)).toEqual([
    'waypost_visits_total{kind="two \\"2\\"\\n"} 2',
    'waypost_visit_duration_seconds_bucket{le="0.1"} 0',
    'waypost_visit_duration_seconds_bucket{le="1"} 1',
    'waypost_visit_duration_seconds_bucket{le="+Inf"} 1',
    'waypost_visit_duration_seconds_sum 0.5',
    'waypost_visit_duration_seconds_count 1',
    'waypost_queue_rows 7',
    'waypost_queue_ok 1',
    'waypost_queue_passed_total{kind="a"} 3',
  ]);
});

test('adds up the buckets of a histogram whose values are stored elsewhere', async () => {
  const metrics = createMetrics();
  const durations = metric.histogram('waypost_work_duration_seconds', 'How long.', [0.1, 1]);
  metrics.read({ durations }, () => ({ durations: { counts: [2, 0, 1], sum: 3.1 } }));
  expect(await lines(metrics)).toEqual([
    'waypost_work_duration_seconds_bucket{le="0.1"} 2',
    'waypost_work_duration_seconds_bucket{le="1"} 2',
    'waypost_work_duration_seconds_bucket{le="+Inf"} 3',
    'waypost_work_duration_seconds_sum 3.1',
    'waypost_work_duration_seconds_count 3',
  ]);
});

test('omits values that cannot be read, also if they could be read earlier', async () => {
  const metrics = createMetrics();
  let isAway = false;
  let reads = 0;
  metrics.read(QUEUE, async () => {
    reads += 1;
    if (isAway) throw new Error('away');
    return { rows: 7, ok: undefined, passed: [] };
  });
  metrics.read(UP, () => ({ up: true }));
  expect(await lines(metrics)).toEqual(['waypost_queue_rows 7', 'waypost_up 1']);
  expect(reads).toBe(1);
  isAway = true;
  expect(await lines(metrics)).toEqual(['waypost_up 1']);
  isAway = false;
  expect(await lines(metrics)).toContain('waypost_queue_rows 7');
});

test('shows metrics of the process and its version', async () => {
  const metrics = createMetrics();
  metrics.collectProcess();
  const text = await metrics.text();
  expect(text).toMatch(/^waypost_build_info\{version="\d+\.\d+\.\d+"\} 1$/m);
  for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds'])
    expect(text).toMatch(new RegExp(`^${name} [\\d.e-]+$`, 'm'));
});
