import fs from 'node:fs';
import { expect, test } from '@jest/globals';
import { rows } from '@waypost/postgres';
import { emptyDatabase } from '@waypost/test-support/database';
import { RIGHTS } from './grants.ts';

test('link-api has rights on each of its tables', () => {
  const files = fs.globSync('*.sql', { cwd: import.meta.dirname });
  const sql = files.map((file) => fs.readFileSync(`${import.meta.dirname}/${file}`, 'utf8')).join('\n');
  const tables = [...sql.matchAll(/^CREATE TABLE (\w+)/gm)].map(([, table]) => table);
  expect(tables).toContain('links');
  const rights = JSON.stringify(RIGHTS.waypost_api);
  expect(tables.filter((table) => !new RegExp(`\\b${table}\\b`).test(rights))).toEqual([]);
});

test('deleting an account deletes all rows that refer to it, or account-deletions.sql.ts does', async () => {
  const referring = await rows<{ table: string }>(
    await emptyDatabase(),
    `SELECT conrelid::regclass::text AS table FROM pg_constraint
     WHERE confrelid = 'accounts'::regclass AND confdeltype <> 'c' ORDER BY 1`,
    [],
  );
  expect(referring.map(({ table }) => table)).toEqual(['cases', 'webhooks']);
});
