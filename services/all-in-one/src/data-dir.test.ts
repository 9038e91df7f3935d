import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { expectOwnFolder } from './data-dir.ts';

function folderWith(files: readonly string[]): string {
  const dir = newFolder();
  for (const file of files) fs.writeFileSync(path.join(dir, file), '');
  return dir;
}

test.each([[[]], [['lost+found', '.gitkeep']], [['lock', 'a.txt']], [['secrets.json', 'postgres']]])(
  'a data folder may hold %j',
  (files) => {
    expect(() => expectOwnFolder(folderWith(files))).not.toThrow();
    expect(() => expectOwnFolder(path.join(folderWith(files), 'absent'))).not.toThrow();
  },
);

test('a data folder with other files is refused, and they are named', () => {
  const dir = folderWith(['a.txt', 'b.txt', 'c.txt', 'd.txt']);
  expect(() => expectOwnFolder(dir)).toThrow(
    `DATA_DIR is ${dir}, which contains other files (a.txt, b.txt, c.txt, …). Choose a folder that only Waypost uses.`,
  );
});
