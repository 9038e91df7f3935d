import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { prepareDataDir } from './data-dir.ts';

const root = newFolder();
const inRoot = (...names: string[]) => path.join(root, ...names);
const folder = (name: string, ...files: string[]) => {
  fs.mkdirSync(inRoot(name), { recursive: true });
  for (const file of files) fs.writeFileSync(inRoot(name, file), '');
  return inRoot(name);
};

test('a data folder is made if it is missing, and may be empty or one of Waypost', () => {
  prepareDataDir(inRoot('made', 'on-the-way'));
  expect(fs.statSync(inRoot('made', 'on-the-way')).mode & 0o777).toBe(0o700);
  for (const files of [[], ['lost+found'], ['lock', 'a.txt'], ['secrets.json', 'postgres']])
    expect(() => prepareDataDir(folder(`of-${files.length}-${files[0]}`, ...files))).not.toThrow();
});

test.each<[what: string, dir: () => string, words: string]>([
  ['a file', () => path.join(folder('one', 'file'), 'file'), 'which is a file and no folder'],
  ['below a file', () => path.join(folder('one', 'file'), 'file', 'data'), 'which is below a file'],
  [
    'with other files',
    () => folder('home', 'a.txt', 'b.txt', 'c.txt', 'd.txt'),
    'which holds other files (a.txt, b.txt, c.txt, …): Waypost needs a folder of its own',
  ],
])('one that is %s is refused in one sentence that names it', (_, dirOf, words) => {
  const dir = dirOf();
  expect(() => prepareDataDir(dir)).toThrow(`DATA_DIR is ${dir}, ${words}.`);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;

asRoot('one of another user is refused with the owner', () => {
  fs.chmodSync(root, 0o755);
  const dir = folder('private');
  fs.chmodSync(dir, 0o700);
  process.seteuid!(65_534);
  try {
    expect(() => prepareDataDir(dir)).toThrow(/^DATA_DIR is .*, which user \d+ may not use: it belongs to user 0\.$/);
    expect(() => prepareDataDir(path.join(dir, 'below'))).toThrow(/^DATA_DIR is .*, which user \d+ may not use\.$/);
  } finally {
    process.seteuid!(0);
  }
});
