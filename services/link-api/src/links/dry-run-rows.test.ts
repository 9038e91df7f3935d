import { expect, test } from '@jest/globals';
import { dryRunRows } from './dry-run-rows.ts';

test('an account may check the longest list of the dashboard at once, then 3,000 links a minute', () => {
  let at = new Date('2026-01-01T12:00:00Z');
  const pass = (seconds: number) => {
    at = new Date(at.getTime() + seconds * 1_000);
  };
  const spend = dryRunRows(() => at);
  for (let batch = 0; batch < 100; batch++) spend('a', 100);
  const refusal = expect.objectContaining({ code: 'too_many_attempts', retryAfterSeconds: 10 });
  expect(() => spend('a', 500)).toThrow(refusal);
  spend('b', 500);
  pass(9);
  expect(() => spend('a', 500)).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
  pass(1);
  spend('a', 500);
  pass(-3_600);
  expect(() => spend('a', 1)).toThrow();
  pass(3_600 + 200);
  spend('a', 10_000);
});
