import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test } from '@jest/globals';
import { loadSecrets, lockFolder, parkInFolder } from '../src/data-folder.ts';

const HOLDER = fileURLToPath(new URL('./hold-folder.mjs', import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) fs.rmSync(folder, { recursive: true, force: true });
});

function newFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-folder-'));
  folders.push(folder);
  return folder;
}

/** Another process, once it has reported whether it got the lock. */
async function contender(dir: string) {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', HOLDER, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  const [said] = await once(child.stdout, 'data');
  return {
    answer: String(said).trim(),
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('the lock of a folder', () => {
  test('belongs to this process until it releases it', async () => {
    const dir = path.join(newFolder(), 'made', 'on-the-way');
    const lock = lockFolder(dir);
    expect(lock).toBeDefined();
    const second = await contender(dir);
    expect(second.answer).toBe('in use');
    await second.kill();
    expect(lockFolder(dir)).toBeUndefined();
    lock?.release();
    const third = await contender(dir);
    expect(third.answer).toBe('locked');
    expect(lockFolder(dir)).toBeUndefined();
    await third.kill();
  });

  test('is free as soon as its process is killed', async () => {
    const dir = newFolder();
    const holder = await contender(dir);
    expect(holder.answer).toBe('locked');
    await holder.kill();
    const lock = lockFolder(dir);
    expect(lock).toBeDefined();
    lock?.release();
  });

  test('of one folder is independent of another folder’s', () => {
    const locks = [lockFolder(newFolder()), lockFolder(newFolder())];
    expect(locks).not.toContain(undefined);
    for (const lock of locks) lock?.release();
  });
});

describe('secrets.json', () => {
  test('is created once, readable only by its owner', () => {
    const dir = newFolder();
    const secrets = loadSecrets(dir);
    expect(secrets.visitor).toHaveLength(32);
    const file = path.join(dir, 'secrets.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const written = fs.readFileSync(file, 'utf8');
    expect(loadSecrets(dir)).toEqual(secrets);
    expect(fs.readFileSync(file, 'utf8')).toBe(written);
    expect(fs.readdirSync(dir)).toEqual(['secrets.json']);
  });

  test('differs between folders', () => {
    const [one, two] = [loadSecrets(newFolder()), loadSecrets(newFolder())];
    expect(one.visitor.equals(two.visitor)).toBe(false);
  });

  test('is created completely or not at all: leftovers of an interrupted start do not count', () => {
    const dir = newFolder();
    fs.writeFileSync(path.join(dir, 'secrets.json.new'), '{"visi');
    expect(loadSecrets(dir).visitor).toHaveLength(32);
  });

  test('of an earlier version, with a secret that is no longer used, is accepted', () => {
    const dir = newFolder();
    const file = path.join(dir, 'secrets.json');
    const written = JSON.stringify({ visitor: 'a1'.repeat(32), operator: 'b2'.repeat(32) });
    fs.writeFileSync(file, written);
    expect(loadSecrets(dir)).toEqual({ visitor: Buffer.from('a1'.repeat(32), 'hex') });
    expect(fs.readFileSync(file, 'utf8')).toBe(written);
  });

  test('that is damaged is reported, not replaced: with new secrets every visitor would count as new', () => {
    const dir = newFolder();
    const file = path.join(dir, 'secrets.json');
    fs.writeFileSync(file, JSON.stringify({ visitor: 'ab', operator: 'c'.repeat(64) }));
    expect(() => loadSecrets(dir)).toThrow(`${file}: "visitor" is not 64 hex digits`);
    expect(fs.readFileSync(file, 'utf8')).toContain('"ab"');
  });
});

test('parked messages are lines in the file of their topic, readable only by its owner', async () => {
  const dir = newFolder();
  const park = parkInFolder(dir);
  await Promise.all(
    Array.from({ length: 20 }, (_, i) =>
      park('clicks', 'ingest', { key: `k${i}`, value: 'a\n"ü' }, new Error('unreadable')),
    ),
  );
  await park('links', 'scanner', { key: 'other', value: '' }, new Error('x'));
  const file = path.join(dir, 'parked-clicks.jsonl');
  const lines = fs.readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).key).toSorted()).toEqual(
    Array.from({ length: 20 }, (_, i) => `k${i}`).toSorted(),
  );
  expect(JSON.parse(lines[0]!)).toMatchObject({
    topic: 'clicks',
    group: 'ingest',
    value: 'a\n"ü',
    error: 'unreadable',
  });
  expect(Date.parse(JSON.parse(lines[0]!).at)).not.toBeNaN();
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
});
