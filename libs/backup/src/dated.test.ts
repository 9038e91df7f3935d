import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { datedBackups, writeDatedBackup } from './dated.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-dated-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));

let parent: string;
beforeEach(() => {
  parent = fs.mkdtempSync(path.join(folder, 'backups-'));
});
const day = (date: number) => new Date(Date.UTC(2026, 10, date, 3, 4, 5, 678));
const nameOf = (date: number, second = 5) => `waypost-2026-11-${String(date).padStart(2, '0')}T03-04-0${second}Z`;
const make = async (dir: string) => {
  fs.mkdirSync(dir);
  fs.writeFileSync(path.join(dir, 'manifest.json'), '{}');
  return { accounts: 1 };
};
const inParent = () => fs.readdirSync(parent).sort();

test('the newest backups are kept, and other files are not touched', async () => {
  fs.mkdirSync(path.join(parent, 'waypost-notes'));
  fs.writeFileSync(path.join(parent, 'letter.txt'), '');
  for (const date of [3, 2, 4]) await writeDatedBackup(parent, day(date), 2, make);
  expect(inParent()).toEqual(['letter.txt', nameOf(3), nameOf(4), 'waypost-notes']);
  expect(await datedBackups(parent)).toEqual([
    { dir: path.join(parent, nameOf(4)), at: new Date('2026-11-04T03:04:05Z') },
    { dir: path.join(parent, nameOf(3)), at: new Date('2026-11-03T03:04:05Z') },
  ]);
});

test('a backup of an empty installation deletes no other', async () => {
  await writeDatedBackup(parent, day(1), 1, make);
  await writeDatedBackup(parent, day(2), 1, async (dir) => ({ ...(await make(dir)), accounts: 0 }));
  expect(inParent()).toEqual([nameOf(1), nameOf(2)]);
});

test('a backup with a time in the future does not displace later backups', async () => {
  await writeDatedBackup(parent, new Date('2036-01-01T00:00:00Z'), 2, make);
  await writeDatedBackup(parent, day(1), 2, make);
  expect(inParent()).toEqual([nameOf(1), 'waypost-2036-01-01T00-00-00Z']);
  await writeDatedBackup(parent, day(2), 2, make);
  expect(inParent()).toEqual([nameOf(1), nameOf(2)]);
  await writeDatedBackup(parent, new Date('2036-01-01T00:00:00Z'), 2, make);
  await writeDatedBackup(parent, day(3), 1, make);
  expect(inParent()).toEqual([nameOf(3)]);
});

test('backups of one second all succeed, and the last one is the newest', async () => {
  await writeDatedBackup(parent, day(1), 2, make);
  await writeDatedBackup(parent, day(1), 2, make);
  expect(inParent()).toEqual([nameOf(1), nameOf(1, 6)]);
  await writeDatedBackup(parent, day(1), 1, make);
  expect(inParent()).toEqual([nameOf(1, 7)]);
});

test('a backup that fails deletes nothing', async () => {
  await writeDatedBackup(parent, day(1), 1, make);
  await expect(writeDatedBackup(parent, day(2), 1, () => Promise.reject(new Error('disk full')))).rejects.toThrow(
    'full',
  );
  expect(inParent()).toEqual([nameOf(1)]);
});

test('an interrupted backup does not count as a backup and is deleted after a day', async () => {
  for (const name of [`${nameOf(1)}.partial`, nameOf(2), `${nameOf(4)}.partial`]) fs.mkdirSync(path.join(parent, name));
  expect(await datedBackups(parent)).toEqual([]);
  expect(await writeDatedBackup(parent, day(4), 7, make)).toEqual({
    accounts: 1,
    dir: path.join(parent, nameOf(4, 6)),
  });
  expect(inParent()).toEqual([`${nameOf(4)}.partial`, nameOf(4, 6)]);
});

test('an interrupted backup is deleted if the new one needs its space', async () => {
  for (const date of [1, 4]) fs.mkdirSync(path.join(parent, `${nameOf(date)}.partial`));
  fs.mkdirSync(path.join(parent, 'notes.partial'));
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  await expect(writeDatedBackup(parent, day(4), 7, () => Promise.reject(full))).rejects.toBe(full);
  expect(inParent()).toEqual(['notes.partial', `${nameOf(4)}.partial`]);
});

test('a missing folder has no backups', async () => {
  expect(await datedBackups(path.join(parent, 'missing'))).toEqual([]);
});
