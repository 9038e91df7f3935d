import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { SILENT } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { batchReader, type Garbled } from './batch-reader.ts';
import { type ClickLog, type ClickLogOptions, openClickLog } from './click-log.ts';
import { clickLogView, type LogView } from './log-view.ts';
import type { Disk } from './segment-writer.ts';
import { segmentPath } from './segments.ts';
import { sharedState } from './shared-state.ts';

/** The log and the shipper's view of it. */
function open(folder: string, more: Partial<ClickLogOptions> = {}): ClickLog & LogView {
  const options = { folder, maxBytes: 2 ** 30, logger: SILENT, state: sharedState(), ...more };
  const log = openClickLog(options);
  afterwards(() => log.close());
  return { ...clickLogView(options), ...log };
}

function id(n: number): string {
  return `01234567-89ab-7000-8000-${String(n).padStart(12, '0')}`;
}

/** The reader takes the id from a fixed place in each version of a click; the rest may be anything. */
function line(n: number, more = ''): string {
  return `{"v":${1 + (n % 2)},"type":"click.recorded","id":"${id(n)}","more":"${more}"}`;
}

function capture(log: ClickLog, ...numbers: number[]): void {
  for (const n of numbers) log.add(line(n));
  log.commit();
}

async function readAll(folder: string, log: LogView): Promise<{ ids: number[]; garbled: Garbled[] }> {
  const garbled: Garbled[] = [];
  const reader = batchReader(folder, log.segments, (bytes) => garbled.push(bytes));
  const ids: number[] = [];
  let next = { segment: 0, offset: 0 };
  for (;;) {
    const batch = await reader.read({ messages: [], clicks: 0, next, full: false }, 1_000);
    if (batch.messages.length === 0) break;
    const read = batch.messages.flatMap(({ value }) => value.split('\n')).map((line) => JSON.parse(line).id);
    expect(read.length).toBe(batch.clicks);
    expect(read.length).toBeLessThanOrEqual(1_000);
    ids.push(...read.map((one: string) => Number(one.slice(-12))));
    next = batch.next;
  }
  await reader.close();
  return { ids, garbled };
}

/** The bytes of a log of three ticks that ended without a close. */
async function threeTicks(): Promise<{ bytes: Buffer; ends: number[] }> {
  const folder = newFolder();
  const log = open(folder);
  const ends: number[] = [];
  for (const numbers of [[1, 2], [3], [4, 5, 6]]) {
    capture(log, ...numbers);
    ends.push(fs.statSync(segmentPath(folder, 1)).size);
  }
  return { bytes: fs.readFileSync(segmentPath(folder, 1)), ends };
}

describe('recovery', () => {
  test('committed clicks are in the file at once, in order', async () => {
    const folder = newFolder();
    const log = open(folder);
    capture(log, 1, 2);
    capture(log, 3);
    expect((await readAll(folder, log)).ids).toEqual([1, 2, 3]);
  });

  test('cut off at every byte of the last two frames: whole frames stay, the rest is cut, new clicks follow', async () => {
    const { bytes, ends } = await threeTicks();
    const idsWithin = (length: number) =>
      length >= ends[2]! ? [1, 2, 3, 4, 5, 6] : length >= ends[1]! ? [1, 2, 3] : [1, 2];
    for (let length = ends[0]!; length <= bytes.length; length += 1) {
      const folder = newFolder();
      fs.writeFileSync(segmentPath(folder, 1), bytes.subarray(0, length));
      const log = open(folder);
      capture(log, 7);
      const { ids, garbled } = await readAll(folder, log);
      expect([length, ids, garbled]).toEqual([length, [...idsWithin(length), 7], []]);
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('garbled at any byte of the last two frames: never throws and loses no other frame', async () => {
    const { bytes, ends } = await threeTicks();
    for (let at = ends[0]!; at < bytes.length; at += 1) {
      const folder = newFolder();
      const garbledBytes = Buffer.from(bytes);
      garbledBytes[at]! ^= 0x41;
      fs.writeFileSync(segmentPath(folder, 1), garbledBytes);
      const log = open(folder);
      capture(log, 7);
      const { ids, garbled } = await readAll(folder, log);
      // The last frame counts as a torn tail and is cut; one in the middle is skipped and reported.
      const inMiddle = at < ends[1]!;
      expect([at, ids]).toEqual([at, inMiddle ? [1, 2, 4, 5, 6, 7] : [1, 2, 3, 7]]);
      expect(garbled).toEqual(inMiddle ? [{ segment: 1, offset: ends[0], bytes: ends[1]! - ends[0]! }] : []);
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('ignores files that are not segments', async () => {
    for (const content of [Buffer.alloc(0), Buffer.alloc(5_000), Buffer.from('hello\n'.repeat(1_000))]) {
      const folder = newFolder();
      fs.writeFileSync(segmentPath(folder, 1), content);
      const log = open(folder);
      capture(log, 1);
      expect((await readAll(folder, log)).ids).toEqual([1]);
    }
  });

  test('numbers continue after the cursor, so that no new segment looks like a shipped one', () => {
    const folder = newFolder();
    capture(open(folder, { afterSegment: 41 }), 1);
    expect(fs.existsSync(segmentPath(folder, 42))).toBe(true);
  });

  test('ten thousand clicks in one tick, over several segments, are each stored once', async () => {
    const folder = newFolder();
    const log = open(folder, { segmentBytes: 300_000 });
    const numbers = Array.from({ length: 10_000 }, (_, i) => i);
    for (const n of numbers) log.add(line(n, 'x'.repeat(n % 700)));
    log.commit();
    expect(log.segments().length).toBeGreaterThan(3);
    expect((await readAll(folder, log)).ids).toEqual(numbers);
    expect(log.state()).toMatchObject({ captured: 10_000, held: 0, uncaptured: 0 });
  });
});

describe('a failing disk', () => {
  const enospc = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

  /** Takes `room` bytes, also part of a write, then none until `room` grows. */
  function limitedDisk(room: { bytes: number }): Disk {
    return {
      ...fs,
      writeSync: ((handle: number, bytes: Buffer, offset: number, length: number, position: number) => {
        if (room.bytes <= 0) throw enospc;
        const taken = fs.writeSync(handle, bytes, offset, Math.min(length, room.bytes), position);
        room.bytes -= taken;
        return taken;
      }) as Disk['writeSync'],
    };
  }

  test('a partial write is continued', async () => {
    const folder = newFolder();
    const piecewise: Disk = {
      ...fs,
      writeSync: ((handle: number, bytes: Buffer, offset: number, length: number, position: number) =>
        fs.writeSync(handle, bytes, offset, Math.min(length, 7), position)) as Disk['writeSync'],
    };
    const log = open(folder, { disk: piecewise });
    capture(log, 1, 2, 3);
    capture(log, 4);
    expect((await readAll(folder, log)).ids).toEqual([1, 2, 3, 4]);
  });

  test('full in the middle of a frame: cuts the torn part, holds clicks and writes them in order when space returns', async () => {
    const folder = newFolder();
    const room = { bytes: 150 };
    const log = open(folder, { disk: limitedDisk(room) });
    capture(log, 1); // fits
    const whole = fs.statSync(segmentPath(folder, 1)).size;
    capture(log, 2); // torn
    capture(log, 3);
    expect(fs.statSync(segmentPath(folder, 1)).size).toBe(whole);
    expect(log.state()).toMatchObject({ captured: 1, held: 2, uncaptured: 0, problem: 'ENOSPC' });

    room.bytes = 1_000_000;
    capture(log, 4);
    await new Promise((resolve) => setTimeout(resolve, 400));
    capture(log, 5);
    expect(log.state()).toMatchObject({ captured: 5, held: 0, uncaptured: 0, problem: undefined });
    expect((await readAll(folder, log)).ids).toEqual([1, 2, 3, 4, 5]);
  });

  test('counts what memory cannot hold as uncaptured, and memory stays bounded', () => {
    const log = open(newFolder(), { disk: limitedDisk({ bytes: 0 }) });
    for (let n = 0; n < 15_000; n += 1) {
      log.add(line(n, 'x'.repeat(1_000)));
      log.commit();
    }
    const { captured, held, uncaptured } = log.state();
    expect(captured).toBe(0);
    expect(held).toBeGreaterThan(5_000);
    expect(held + uncaptured).toBe(15_000);
  });

  test('leaves a file that cannot be cut, and continues in the next', async () => {
    const folder = newFolder();
    const room = { bytes: 150 };
    const stubborn: Disk = {
      ...limitedDisk(room),
      ftruncateSync: () => {
        throw Object.assign(new Error('EIO'), { code: 'EIO' });
      },
    };
    const log = open(folder, { disk: stubborn });
    capture(log, 1);
    capture(log, 2);
    room.bytes = 1_000_000;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(fs.readdirSync(folder)).toContain(path.basename(segmentPath(folder, 2)));
    expect((await readAll(folder, log)).ids).toEqual([1, 2]);
  });

  test('at the cap, drops and counts the newest clicks; removing shipped segments makes room', async () => {
    const folder = newFolder();
    const log = open(folder, { maxBytes: 4_000, segmentBytes: 1_000 });
    for (let n = 0; n < 100; n += 1) capture(log, n);
    const { captured, uncaptured, diskBytes, problem } = log.state();
    expect(captured + uncaptured).toBe(100);
    expect(uncaptured).toBeGreaterThan(50);
    expect(diskBytes).toBeLessThanOrEqual(4_000);
    expect(problem).toContain('full');
    expect((await readAll(folder, log)).ids).toEqual(Array.from({ length: captured }, (_, n) => n));

    log.remove(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    capture(log, 100);
    expect(log.state()).toMatchObject({ captured: captured + 1, problem: undefined });
  });

  test('a segment that is still listed during its removal makes room once', async () => {
    const folder = newFolder();
    const log = open(folder, { segmentBytes: 1_000 });
    for (let n = 0; n < 30; n += 1) capture(log, n);
    const before = log.state().diskBytes;
    const [first] = log.segments();
    log.remove(first!.number);
    // The log continues before the file is gone, so the segments to ship are listed again.
    for (let n = 30; n < 60; n += 1) capture(log, n);
    const added = log.state().diskBytes - before;
    log.segments();
    log.remove(first!.number);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(log.segments().map(({ number }) => number)).not.toContain(first!.number);
    expect(log.state().diskBytes).toBe(before + added - first!.size);
  });

  test('reports a failing sync until one works, and writes the clicks to another file', async () => {
    const folder = newFolder();
    let fails = true;
    const disk: Disk = {
      ...fs,
      fdatasync: ((handle: number, done: (error: Error | null) => void) =>
        fails
          ? done(Object.assign(new Error('EIO'), { code: 'EIO' }))
          : fs.fdatasync(handle, done)) as Disk['fdatasync'],
    };
    const log = open(folder, { disk });
    capture(log, 1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(log.state().problem).toBe('EIO');
    fails = false;
    capture(log, 2);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(log.state().problem).toBeUndefined();
    expect(log.segments().map(({ number }) => number)).toEqual([1, 2]);
  });
});
