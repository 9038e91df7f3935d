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

function open(folder: string, more: Partial<ClickLogOptions> = {}): ClickLog & LogView {
  const options = { folder, maxBytes: 2 ** 30, logger: SILENT, state: sharedState(), ...more };
  const log = openClickLog(options);
  afterwards(() => log.close());
  return { ...clickLogView(options), ...log };
}

function id(n: number): string {
  return `01234567-89ab-7000-8000-${String(n).padStart(12, '0')}`;
}

/** The reader finds the id at a fixed place in each version of a click. Everything else may have any content. */
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

  test('a log cut off at any byte keeps its whole frames, and new clicks follow them', async () => {
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

  test('one garbled byte damages only its own frame, and nothing throws', async () => {
    const { bytes, ends } = await threeTicks();
    for (let at = ends[0]!; at < bytes.length; at += 1) {
      const folder = newFolder();
      const garbledBytes = Buffer.from(bytes);
      garbledBytes[at]! ^= 0x41;
      fs.writeFileSync(segmentPath(folder, 1), garbledBytes);
      const log = open(folder);
      capture(log, 7);
      const { ids, garbled } = await readAll(folder, log);
      // A damaged last frame is removed as incomplete. A damaged frame before it is skipped and reported.
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

  test('the numbers of new segments continue after the cursor', () => {
    const folder = newFolder();
    capture(open(folder, { afterSegment: 41 }), 1);
    expect(fs.existsSync(segmentPath(folder, 42))).toBe(true);
  });

  test('ten thousand clicks in one turn of the event loop are each stored once, in several segments', async () => {
    const folder = newFolder();
    const log = open(folder, { segmentBytes: 300_000 });
    const numbers = Array.from({ length: 10_000 }, (_, i) => i);
    for (const n of numbers) log.add(line(n, 'x'.repeat(n % 700)));
    log.commit();
    expect(log.segments().length).toBeGreaterThan(3);
    expect((await readAll(folder, log)).ids).toEqual(numbers);
    expect(log.state()).toMatchObject({ captured: 10_000, heldClicks: 0, uncaptured: 0 });
  });
});

describe('a failing disk', () => {
  const enospc = Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });

  /** Writes `room` bytes, even as part of a write. It then fails until `room` is larger. */
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

  test('removes an incomplete frame from a full disk, and writes the waiting clicks when there is space', async () => {
    const folder = newFolder();
    const room = { bytes: 150 };
    const log = open(folder, { disk: limitedDisk(room) });
    capture(log, 1); // there is room for this click
    const whole = fs.statSync(segmentPath(folder, 1)).size;
    capture(log, 2); // there is room for part of this one
    capture(log, 3);
    expect(fs.statSync(segmentPath(folder, 1)).size).toBe(whole);
    expect(log.state()).toMatchObject({ captured: 1, heldClicks: 2, uncaptured: 0, problem: 'ENOSPC' });

    room.bytes = 1_000_000;
    capture(log, 4);
    await new Promise((resolve) => setTimeout(resolve, 400));
    capture(log, 5);
    expect(log.state()).toMatchObject({ captured: 5, heldClicks: 0, uncaptured: 0, problem: undefined });
    expect((await readAll(folder, log)).ids).toEqual([1, 2, 3, 4, 5]);
  });

  test('counts clicks for which memory has no room as uncaptured', () => {
    const log = open(newFolder(), { disk: limitedDisk({ bytes: 0 }) });
    for (let n = 0; n < 15_000; n += 1) {
      log.add(line(n, 'x'.repeat(1_000)));
      log.commit();
    }
    const { captured, heldClicks, uncaptured } = log.state();
    expect(captured).toBe(0);
    expect(heldClicks).toBeGreaterThan(5_000);
    expect(heldClicks + uncaptured).toBe(15_000);
  });

  test('continues in the next file if an incomplete frame cannot be removed', async () => {
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

  test('a full log drops and counts new clicks until a shipped segment is removed', async () => {
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

  test('a segment that is still listed during its removal frees its space only once', async () => {
    const folder = newFolder();
    const log = open(folder, { segmentBytes: 1_000 });
    for (let n = 0; n < 30; n += 1) capture(log, n);
    const before = log.state().diskBytes;
    const [first] = log.segments();
    log.remove(first!.number);
    // Clicks are added before the file is deleted, so the segment may be listed once more.
    for (let n = 30; n < 60; n += 1) capture(log, n);
    const added = log.state().diskBytes - before;
    log.segments();
    log.remove(first!.number);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(log.segments().map(({ number }) => number)).not.toContain(first!.number);
    expect(log.state().diskBytes).toBe(before + added - first!.size);
  });

  test('reports a failed sync until one succeeds, and writes later clicks to another file', async () => {
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
