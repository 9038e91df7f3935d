import { expect, test } from '@jest/globals';
import { atNoon, HOUR_MS, openStores } from '../../test/stores.ts';
import { hashSecret } from '../platform/hash-secret.ts';
import { postgresSignInAttempts } from './sessions.sql.ts';

const { db } = await openStores();
const attempts = postgresSignInAttempts(db);
const MINUTE_MS = 60_000;

test('attempts count for fifteen minutes, also on a replica whose clock is ten minutes behind', async () => {
  const subject = hashSecret('somebody');
  const counts = [];
  for (const minute of [0, 14, -10, 15])
    counts.push((await attempts.count(subject, atNoon(minute * MINUTE_MS))).attempts);
  expect(counts).toEqual([1, 2, 3, 1]);
});

test('a window that began while the clock was a year ahead ends when it is set back', async () => {
  const subject = hashSecret('somebody else');
  await attempts.count(subject, atNoon(365 * 24 * HOUR_MS));
  expect(await attempts.count(subject, atNoon(0))).toEqual({ attempts: 1, windowEnds: atNoon(15 * MINUTE_MS) });
});
