import fs from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { expectFolderVersion, writeFolderVersion } from './folder-version.ts';

const NOW = { postgres: ['A1', 'B2'], clickhouse: ['1', '2'] };

let dir: string;
beforeEach(() => {
  dir = newFolder();
});
const file = () => path.join(dir, 'version.json');

test('a folder of this version, an earlier one or without a version is opened', () => {
  expectFolderVersion(dir, NOW);
  writeFolderVersion(dir, NOW);
  expectFolderVersion(dir, NOW);
  expectFolderVersion(dir, { postgres: [...NOW.postgres, 'C3'], clickhouse: [...NOW.clickhouse, '3'] });
  expect(fs.statSync(file()).mode & 0o077).toBe(0);
});

test.each([
  ['PostgreSQL', { postgres: ['A1'], clickhouse: ['1', '2'] }],
  ['ClickHouse', { postgres: ['A1', 'B2'], clickhouse: ['1'] }],
])('an earlier program refuses a later schema of %s and changes nothing', (_, earlier) => {
  writeFolderVersion(dir, NOW);
  const before = fs.readFileSync(file(), 'utf8');
  expect(() => expectFolderVersion(dir, earlier)).toThrow(/was written by Waypost .* is older and cannot read it/);
  expect(fs.readdirSync(dir)).toEqual(['version.json']);
  expect(fs.readFileSync(file(), 'utf8')).toBe(before);
});

test('a later format of the folder is refused, whatever else is in the file', () => {
  const later = { format: 2, waypost: '9.0.0', schemas: { postgres: 'A1', clickhouse: '1', other: 'x' }, more: true };
  fs.writeFileSync(file(), JSON.stringify(later));
  expect(() => expectFolderVersion(dir, NOW)).toThrow('was written by Waypost 9.0.0');
});

test.each(['', '{', '[]', '{"format":1}'])('a damaged file is reported: %j', (text) => {
  fs.writeFileSync(file(), text);
  expect(() => expectFolderVersion(dir, NOW)).toThrow('is damaged');
});
