import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import type { Logger } from '@waypost/telemetry';
import { until } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { scheduleBackups } from './scheduled-backups.ts';

const folder = newFolder();
const HOUR_MS = 3_600_000;

/**
 * Starts a process at this time. Resolves when it has looked for backups, or when `backUp` has begun and does not end.
 */
async function startAt(backupDir: string, at: string, backUp?: () => Promise<never>) {
  const created: string[] = [];
  let time = at;
  let seen = false;
  const see = () => {
    seen = true;
  };
  const logger = { info: see, error: see } as unknown as Logger;
  const backups = scheduleBackups(
    { backupDir, backupEvery: HOUR_MS, backupKeep: 2 },
    {
      async backUp(dir) {
        if (backUp !== undefined) {
          setImmediate(see);
          return backUp();
        }
        fs.mkdirSync(dir, { recursive: true });
        fs.writeFileSync(path.join(dir, 'manifest.json'), '{}');
        created.push(path.basename(dir));
        return { links: 0, clicks: 0, accounts: 1, made_at: at };
      },
      now: () => new Date(time),
      logger,
    },
  );
  const check = (later: string) => {
    time = later;
    return backups.health.check(new AbortController().signal);
  };
  backups.start();
  // If no backup is due, the look is over when the newest one is known.
  await until(async () => seen || (await check(at)).newest !== null);
  const health = check(at);
  await backups.stop();
  return { created, health, check };
}

test('a start makes a backup only if the newest existing one is old enough', async () => {
  const dir = path.join(folder, 'due');
  const first = await startAt(dir, '2026-11-22T10:00:00.000Z');
  expect(first.created).toEqual(['waypost-2026-11-22T10-00-00Z']);
  expect(first.health).toEqual({ ok: true, newest: '2026-11-22T10:00:00.000Z' });
  expect((await startAt(dir, '2026-11-22T10:59:59.000Z')).created).toEqual([]);
  expect((await startAt(dir, '2026-11-22T09:00:00.000Z')).created).toEqual([]); // the clock was set back
  expect((await startAt(dir, '2026-11-22T11:00:00.000Z')).created).toEqual(['waypost-2026-11-22T11-00-00Z']);
  await startAt(dir, '2026-11-22T12:00:00.000Z');
  expect(fs.readdirSync(dir).sort()).toEqual(['waypost-2026-11-22T11-00-00Z', 'waypost-2026-11-22T12-00-00Z']);
});

test('a backup made while the clock was years ahead does not delay the next ones', async () => {
  const dir = path.join(folder, 'ahead');
  await startAt(dir, '2036-01-01T00:00:00.000Z');
  expect((await startAt(dir, '2026-11-22T10:00:00.000Z')).created).toEqual(['waypost-2026-11-22T10-00-00Z']);
  expect((await startAt(dir, '2026-11-22T10:59:59.000Z')).created).toEqual([]);
  expect((await startAt(dir, '2026-11-22T11:00:00.000Z')).created).toEqual(['waypost-2026-11-22T11-00-00Z']);
  expect(fs.readdirSync(dir).sort()).toEqual(['waypost-2026-11-22T10-00-00Z', 'waypost-2026-11-22T11-00-00Z']);
});

test('a start removes the incomplete backup of a killed process', async () => {
  const dir = path.join(folder, 'cut-off');
  for (const name of ['waypost-2026-11-22T09-59-00Z.partial', 'waypost-2036-01-01T00-00-00Z.partial', 'notes.partial'])
    fs.mkdirSync(path.join(dir, name), { recursive: true });
  await startAt(dir, '2026-11-22T10:00:00.000Z', () => Promise.reject(new Error('no space left')));
  expect(fs.readdirSync(dir)).toEqual(['notes.partial']);
});

test('health says that the last backup failed, and why', async () => {
  const { health } = await startAt(path.join(folder, 'failing'), '2026-11-22T10:00:00.000Z', () =>
    Promise.reject(new Error('no space left')),
  );
  expect(health).toMatchObject({ ok: false, detail: expect.stringContaining('no space left') });
});

test('health says that a backup is overdue, even while one hangs', async () => {
  const dir = path.join(folder, 'hanging');
  const hangs = () => new Promise<never>(() => undefined);
  const first = await startAt(dir, '2026-11-22T10:00:00.000Z', hangs);
  expect([first.health, first.check('2026-11-22T12:00:00.001Z')]).toEqual([
    { ok: true, newest: null },
    { ok: false, newest: null, detail: expect.stringContaining('overdue') },
  ]);
  await startAt(dir, '2036-01-01T00:00:00.000Z');
  const backups = await startAt(dir, '2026-11-22T10:00:00.000Z');
  expect(backups.check('2026-11-22T12:00:00.000Z')).toMatchObject({ ok: true });
  const { health } = await startAt(dir, '2026-11-22T12:00:00.001Z', hangs);
  expect(health).toMatchObject({ ok: false, newest: '2026-11-22T10:00:00.000Z' });
});

test('health answers at once with the last known state, without reading the folder', async () => {
  const dir = path.join(folder, 'unseen');
  const at = '2026-11-22T10:00:00.000Z';
  const { health, check } = await startAt(dir, at);
  fs.rmSync(dir, { recursive: true });
  expect(check(at)).toEqual({ ok: true, newest: at });
  expect(health).toEqual(check(at));
});
