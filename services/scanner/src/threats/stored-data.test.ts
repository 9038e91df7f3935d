/** Files on disk may be cut, garbled or gone. The scanner does not use such files, and continues. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import fc from 'fast-check';
import { newScanner } from '../../test/scanner-kit.ts';
import { readCheckedFile, writeCheckedFile } from '../checked-file.ts';
import { buildInWorker } from './build-in-worker.ts';

describe('a checked file', () => {
  const path = join(newFolder(), 'file.bin');
  const content = { header: { text: 'grüße' }, keys: new BigUint64Array([1n, 2n, 2n ** 64n - 1n]) };
  let whole: Buffer;
  beforeAll(async () => {
    await writeCheckedFile(path, content);
    whole = readFileSync(path);
  });

  test('returns what was written', () => {
    expect(readCheckedFile(path)).toEqual(content);
  });

  test('is refused when cut anywhere', () => {
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length));
      expect(readCheckedFile(path)).toBeUndefined();
    }
  });

  test('is refused if any byte has changed or bytes were added', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const garbled = Buffer.from(whole);
        garbled[at % whole.length]! ^= change;
        writeFileSync(path, garbled);
        expect(readCheckedFile(path)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
    writeFileSync(path, Buffer.concat([whole, Buffer.alloc(8)]));
    expect(readCheckedFile(path)).toBeUndefined();
  });

  test('leaves no file behind if writing fails', async () => {
    const folder = newFolder();
    await expect(writeCheckedFile(join(folder, 'none', 'x.bin'), content)).rejects.toThrow('ENOENT');
    expect(readdirSync(folder)).toEqual([]);
  });
});

async function withTwoFeeds() {
  const kit = await newScanner();
  await kit.list('one', ['http://one.example.net/']);
  await kit.list('two', ['http://two.example.net/']);
  return kit;
}

/** Returns the files of the feeds, in the order of their imports. */
const feedFiles = (dataDir: string) =>
  readdirSync(dataDir)
    .filter((file) => file.startsWith('feed-'))
    .sort();

describe('after a restart', () => {
  test.each(['state.bin', 'feed'])('the other feeds still decide if %s is damaged', async (what) => {
    const { dataDir } = await withTwoFeeds();
    const name = what === 'feed' ? feedFiles(dataDir).at(-1)! : what;
    const path = join(dataDir, name);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at += 37) {
      const copy = newFolder();
      for (const file of readdirSync(dataDir)) copyFileSync(join(dataDir, file), join(copy, file));
      const garbled = Buffer.from(bytes);
      garbled[at]! ^= 0x55;
      writeFileSync(join(copy, name), garbled);
      const again = await newScanner({ dataDir: copy });
      expect(await again.outcome('http://one.example.net/')).toBe('flagged');
      // Only the last import can be lost, and then the generation changes.
      expect(await again.outcome('http://two.example.net/')).toBe('clean');
      expect(again.status().rescansOwed).toBeGreaterThan(0);
    }
  });

  test('the scanner names a damaged feed, which can be imported again', async () => {
    const { dataDir } = await withTwoFeeds();
    truncateSync(join(dataDir, feedFiles(dataDir).at(-1)!), 50);
    const again = await newScanner({ dataDir });
    expect(again.listFeeds().map(({ name }) => name)).toEqual(['base', 'one']);
    await again.list('two', ['http://two.example.net/']);
    expect(await again.outcome('http://two.example.net/')).toBe('flagged');
  });

  test('the scanner starts with nothing if all files are missing or damaged', async () => {
    const { dataDir } = await withTwoFeeds();
    for (const file of readdirSync(dataDir)) writeFileSync(join(dataDir, file), 'garbage');
    const again = await newScanner({ dataDir });
    expect(await again.outcome('http://one.example.net/')).toBe('clean');
    for (const file of readdirSync(dataDir)) rmSync(join(dataDir, file));
    expect((await newScanner({ dataDir })).status().ok).toBe(true);
  });

  test('a change that the disk refuses changes nothing', async () => {
    const { dataDir, list, status } = await withTwoFeeds();
    const generation = status().generation;
    const inTheWay = join(dataDir, `state.bin.${process.pid}.tmp`);
    mkdirSync(inTheWay);
    await expect(list('three', ['http://three.example.net/'])).rejects.toThrow();
    rmdirSync(inTheWay);
    const again = await newScanner({ dataDir });
    expect(again.status().generation).toBe(generation);
    expect(await again.outcome('http://two.example.net/')).toBe('flagged');
  });

  test('other files in the folder stay', async () => {
    const dataDir = newFolder();
    writeFileSync(join(dataDir, 'notes.txt'), 'mine');
    const kit = await newScanner({ dataDir });
    await kit.list('one', ['http://one.example.net/']);
    await kit.list('one', ['http://two.example.net/']);
    expect(existsSync(join(dataDir, 'notes.txt'))).toBe(true);
  });

  test('the scanner deletes its files that no state names', async () => {
    const kit = await newScanner();
    for (let i = 0; i < 5; i++) await kit.list('one', [`http://h${i}.example.net/`]);
    expect(feedFiles(kit.dataDir).length).toBeLessThanOrEqual(3);
  });
});

test('with damaged shipped data, the imported feeds still decide', async () => {
  const shippedFeedsFile = join(newFolder(), 'shipped.bin');
  writeFileSync(shippedFeedsFile, 'garbage');
  const kit = await newScanner({ shippedFeedsFile });
  expect(kit.status().ok).toBe(false);
  await kit.list('one', ['http://one.example.net/']);
  expect(await kit.outcome('http://one.example.net/')).toBe('flagged');
});

describe('a generation', () => {
  test('is the same when built in a worker', async () => {
    const { dataDir, status, outcome, list } = await newScanner({ build: buildInWorker });
    const generation = await list('one', ['http://one.example.net/']);
    expect(await outcome('http://one.example.net/')).toBe('flagged');
    await expect(list('bad', ['google.com'])).rejects.toMatchObject({
      details: { 'line 1': expect.stringContaining('"google.com"') },
    });
    expect(status().generation).toBe(generation);
    expect((await newScanner({ dataDir })).status().generation).toBe(generation);
  });

  test('that takes too long is abandoned: the earlier one stays, and a later import works', async () => {
    let longestMs = 60_000;
    const kit = await newScanner({ build: (task) => buildInWorker(task, longestMs) });
    const generation = await kit.list('one', ['http://one.example.net/']);
    longestMs = 1;
    await expect(kit.list('slow', ['http://slow.example.net/'])).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('took longer than 0.001 s to read'),
    });
    expect(kit.status().generation).toBe(generation);
    longestMs = 60_000;
    await kit.list('slow', ['http://slow.example.net/']);
    expect(await kit.outcome('http://slow.example.net/')).toBe('flagged');
  });
});
