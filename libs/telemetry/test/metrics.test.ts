import { expect, test } from '@jest/globals';
import { createMetrics } from '../src/index.ts';

const lines = async (metrics: ReturnType<typeof createMetrics>) =>
  (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));

test('numbers and booleans are gauges by their path, in snake_case', async () => {
  const metrics = createMetrics();
  metrics.gauges('part', () => ({ openFiles: 3, ok: true, text: 'x', none: null, answers: { notFound: 2 } }));
  expect(await lines(metrics)).toEqual([
    'waypost_part_open_files 3',
    'waypost_part_ok 1',
    'waypost_part_answers_not_found 2',
  ]);
});

test('each element of a list of named things is a label', async () => {
  const metrics = createMetrics();
  const feeds = [
    { name: 'one', entries: 5, ageSeconds: 60, stale: false, last_error: null },
    { name: 'two "2"\n', entries: 0, ageSeconds: null, stale: true },
  ];
  metrics.gauges('scanner', () => ({ entries: 5, feeds, others: [1, { x: 1 }, null] }));
  expect((await lines(metrics)).sort()).toEqual(
    [
      'waypost_scanner_entries 5',
      'waypost_scanner_feed_age_seconds{feed="one"} 60',
      'waypost_scanner_feed_entries{feed="one"} 5',
      'waypost_scanner_feed_entries{feed="two \\"2\\"\\n"} 0',
      'waypost_scanner_feed_stale{feed="one"} 0',
      'waypost_scanner_feed_stale{feed="two \\"2\\"\\n"} 1',
    ].sort(),
  );
});

test('a group that fails is missing, and so are its earlier values', async () => {
  const metrics = createMetrics();
  let isAway = false;
  metrics.gauges('outbox', async () => {
    if (isAway) throw new Error('away');
    return { rows: 7 };
  });
  metrics.gauges('process', () => ({ up: true }));
  expect(await lines(metrics)).toContain('waypost_outbox_rows 7');
  isAway = true;
  expect(await lines(metrics)).toEqual(['waypost_process_up 1']);
  isAway = false;
  expect(await lines(metrics)).toContain('waypost_outbox_rows 7');
});
