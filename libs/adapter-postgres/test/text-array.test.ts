import { expect, test } from '@jest/globals';
import { textArray } from '../src/text-array.ts';
import { emptyDatabase } from './empty-database.ts';

test('PostgreSQL reads the texts as they are', async () => {
  const db = await emptyDatabase();
  const texts = ['', 'NULL', null, undefined, '{a,"b"}\\', 'ü😀\n\x01', 'x'.repeat(100_000)];
  const [row] = await db.query<{ texts: string[] }[]>('SELECT $1::text[] AS texts', [textArray(texts)]);
  expect(row?.texts).toEqual(texts.map((text) => text ?? null));
  expect(await db.query('SELECT $1::text[] AS texts', [textArray([])])).toEqual([{ texts: [] }]);
});
