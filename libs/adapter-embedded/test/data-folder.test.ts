import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { spawnNode } from '@waypost/test-support';
import { newFolder } from '@waypost/test-support/afterwards';
import { loadSecrets, lockFolder, parkInFolder, rotateVisitorSecret } from '../src/data-folder.ts';

/** Resolves to a process that has tried to get the lock and has reported the result. */
async function contender(dir: string) {
  const child = spawnNode(new URL('./hold-folder.mjs', import.meta.url), [dir]);
  const [output] = await once(child.stdout, 'data');
  return {
    answer: String(output).trim(),
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

  test('is released as soon as its process is killed', async () => {
    const dir = newFolder();
    const holder = await contender(dir);
    expect(holder.answer).toBe('locked');
    await holder.kill();
    const lock = lockFolder(dir);
    expect(lock).toBeDefined();
    lock?.release();
  });
});

describe('secrets.json', () => {
  test('is created once and completely, and only its owner can read it', () => {
    const dir = newFolder();
    fs.writeFileSync(path.join(dir, 'secrets.json.new'), '{"visi', { mode: 0o600 }); // from an interrupted start
    const secrets = loadSecrets(dir);
    expect(secrets.visitor.current).toHaveLength(32);
    const file = path.join(dir, 'secrets.json');
    expect(fs.statSync(file).mode & 0o777).toBe(0o600);
    const written = fs.readFileSync(file, 'utf8');
    expect(loadSecrets(dir)).toEqual(secrets);
    expect(fs.readFileSync(file, 'utf8')).toBe(written);
    expect(fs.readdirSync(dir)).toEqual(['secrets.json']);
  });

  test.each([
    [{ visitor: 'ab' }, '"visitor" is not 64 hex digits'],
    [{ previous_visitor: 'ab', rotated_at: '2026-11-22T12:00:00.000Z' }, '"previous_visitor" is not 64 hex digits'],
    [{ previous_visitor: 'a1'.repeat(32), rotated_at: 'once' }, '"rotated_at" is not a time'],
  ])('with %j is reported, not replaced: with new secrets every visitor would count as new', (more, words) => {
    const dir = newFolder();
    const file = path.join(dir, 'secrets.json');
    const written = JSON.stringify({ visitor: 'a1'.repeat(32), ...more });
    fs.writeFileSync(file, written);
    expect(() => loadSecrets(dir)).toThrow(`${file} is damaged: ${words}`);
    expect(fs.readFileSync(file, 'utf8')).toBe(written);
  });

  test.each(['', '{"visitor": "a1a1', '[]', 'null'])('with %j alone is reported by its name', (written) => {
    const dir = newFolder();
    const file = path.join(dir, 'secrets.json');
    fs.writeFileSync(file, written);
    expect(() => loadSecrets(dir)).toThrow(`${file} is damaged: "visitor" is not 64 hex digits. Restore it`);
  });
});

describe('a rotation of the visitor secret', () => {
  const noon = new Date('2026-11-22T12:00:00.000Z');
  const daysLater = (days: number) => new Date(noon.getTime() + days * 86_400_000);

  test('keeps the previous secret as long as clicks from before the rotation are stored', () => {
    const dir = newFolder();
    const { current: first } = loadSecrets(dir, noon).visitor;
    expect(rotateVisitorSecret(dir, noon, { leaked: false })).toMatchObject({
      rotatedAt: noon,
      previousUntil: daysLater(100),
    });
    const rotated = loadSecrets(dir, daysLater(99)).visitor;
    expect(rotated.previous).toEqual(first);
    expect(rotated.current).not.toEqual(first);
    expect(fs.statSync(path.join(dir, 'secrets.json')).mode & 0o777).toBe(0o600);
    expect(loadSecrets(dir, daysLater(100)).visitor).toEqual({ current: rotated.current });
    expect(fs.readFileSync(path.join(dir, 'secrets.json'), 'utf8')).not.toContain(Buffer.from(first).toString('hex'));
  });

  test('is refused while an even earlier secret is needed, and accepted afterwards', () => {
    const dir = newFolder();
    rotateVisitorSecret(dir, noon, { leaked: false });
    const { current } = loadSecrets(dir, noon).visitor;
    expect(() => rotateVisitorSecret(dir, daysLater(99), { leaked: false })).toThrow(
      'needed until 2027-03-02T12:00:00.000Z',
    );
    expect(loadSecrets(dir, noon).visitor.current).toEqual(current);
    rotateVisitorSecret(dir, daysLater(100), { leaked: false });
    expect(loadSecrets(dir, daysLater(100)).visitor.previous).toEqual(current);
  });

  test('keeps no earlier secret after a leak', () => {
    const dir = newFolder();
    rotateVisitorSecret(dir, noon, { leaked: false });
    const { current } = loadSecrets(dir, noon).visitor;
    expect(rotateVisitorSecret(dir, daysLater(1), { leaked: true })).toMatchObject({ previousUntil: undefined });
    const { visitor } = loadSecrets(dir, daysLater(1));
    expect(visitor).toEqual({ current: expect.anything() });
    expect(visitor.current).not.toEqual(current);
  });
});

test('parked messages are lines in a file per topic, which only its owner can read', async () => {
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
