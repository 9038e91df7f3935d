import fs from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { clickIdOf } from '@waypost/domain';
import type { BusMessage } from '@waypost/ports';
import { SILENT } from '@waypost/test-support';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { eventually } from '../../../test/support.ts';
import { type ClickLog, openClickLog } from './click-log.ts';
import { cursorPath, readCursor } from './cursor.ts';
import { clickLogView } from './log-view.ts';
import { sharedState } from './shared-state.ts';
import { Shipper, type ShipperOptions } from './shipper.ts';

/** `send` acts as the bus. If it throws, the bus has failed. */
function start(
  folder: string,
  send: (messages: readonly BusMessage[], topic: string) => unknown,
  more: Partial<ShipperOptions> = {},
  maxBytes = 2 ** 30,
) {
  const cursor = readCursor(folder);
  const logger = SILENT;
  const state = sharedState();
  const log = openClickLog({ folder, maxBytes, logger, state, afterSegment: cursor.segment, segmentBytes: 100_000 });
  const backoffMs = { first: 5, most: 20 };
  const bus: ShipperOptions['bus'] = {
    publishEncoded: async ({ name }, messages) => void (await send(messages as readonly BusMessage[], name)),
  };
  const view = clickLogView({ folder, maxBytes, logger, state });
  const shipper = new Shipper({ log: view, folder, cursor, bus, logger, gatherMs: 100, backoffMs, ...more });
  const stop = async () => {
    await shipper.stop(500);
    await log.close();
  };
  afterwards(stop);
  return { log, shipper, stop };
}

function capture(log: ClickLog, from: number, count: number): void {
  for (let n = from; n < from + count; n += 1) {
    log.add(`{"v":2,"type":"click.recorded","id":"01234567-89ab-7000-8000-${String(n).padStart(12, '0')}"}`);
    if (n % 7 === 0) log.commit();
  }
  log.commit();
}

const numbers = (messages: readonly BusMessage[]) =>
  messages.flatMap(({ value }) => value.split('\n').map((line) => Number(clickIdOf(line).slice(-12))));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

describe('the shipper', () => {
  test('sends every click once, in order, in batches of bounded size, with one send in flight', async () => {
    const folder = newFolder();
    const batches: number[][] = [];
    let inFlight = 0;
    let paced = 0;
    const send = async (messages: readonly BusMessage[], topic: string) => {
      inFlight += 1;
      expect([topic, inFlight]).toEqual(['clicks', 1]);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inFlight -= 1;
      batches.push(numbers(messages));
    };
    const pace = async () => {
      paced += 1;
    };
    const { log, shipper } = start(folder, send, { batchSize: 1_000, pace });
    capture(log, 0, 6_000);
    await eventually(() => expect(batches.flat().length).toBe(6_000));
    expect(batches.flat()).toEqual(upTo(6_000));
    expect(Math.max(...batches.map(({ length }) => length))).toBeLessThanOrEqual(1_000);
    await eventually(() => expect(shipper.state()).toMatchObject({ shipped: 6_000, spoolBytes: 0 }));
    expect(paced).toBe(batches.length);
    // Segments that were sent completely are deleted.
    await eventually(() =>
      expect(fs.readdirSync(folder).filter((name) => name.endsWith('.log')).length).toBeLessThan(2),
    );
  });

  test('pauses for visitors only while the log has room', async () => {
    let goOn = () => {};
    const paces: number[] = [];
    const pace = () => {
      paces.push(shipper.state().spoolBytes);
      return new Promise<void>((resolve) => (goOn = resolve));
    };
    const room = 100_000;
    const { log, shipper } = start(newFolder(), () => undefined, { pace, batchSize: 1_000 }, 8 * room);
    capture(log, 0, 6_000);
    expect(shipper.state().spoolBytes).toBeGreaterThan(2 * room);
    // Although `pace` never resolves, the shipper sends until the log has room.
    await eventually(() => expect(paces.length).toBe(1));
    expect(paces[0]).toBeLessThan(room);
    expect(paces[0]).toBeGreaterThan(0);
    while (shipper.state().spoolBytes > 0) {
      goOn();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(shipper.state().shipped).toBe(6_000);
  });

  test('puts the clicks of many turns into few messages, each with the id of its first click as key', async () => {
    const sent: BusMessage[] = [];
    const { log, shipper } = start(newFolder(), (messages) => sent.push(...messages));
    capture(log, 0, 4_000);
    const long = `"more":"${'x'.repeat(6_000)}"}`;
    for (let n = 4_000; n < 4_100; n += 1)
      log.add(`{"v":2,"type":"click.recorded","id":"01234567-89ab-7000-8000-${String(n).padStart(12, '0')}",${long}`);
    log.commit();
    await eventually(() => expect(shipper.state().shipped).toBe(4_100));
    expect(numbers(sent)).toEqual(upTo(4_100));
    expect(sent.length).toBeLessThan(20);
    for (const { key, value } of sent) {
      expect(clickIdOf(value)).toBe(key);
      expect(value.split('\n').length).toBeLessThanOrEqual(500);
      expect(value.length).toBeLessThan(300_000);
    }
  });

  test('gives a message with only one click the trace of that click', async () => {
    const sent: BusMessage[] = [];
    const { log } = start(newFolder(), (messages) => sent.push(...messages));
    await new Promise((resolve) => setTimeout(resolve, 50));
    capture(log, 0, 1);
    await eventually(() => expect(sent.length).toBe(1));
    expect(sent[0]!.headers).toEqual({ traceparent: '00-0123456789ab70008000000000000000-8000000000000000-00' });
    capture(log, 1, 2);
    await eventually(() => expect(sent.length).toBe(2));
    expect(sent[1]).not.toHaveProperty('headers');
  });

  test('sends a single click at once, and gathers the clicks that follow', async () => {
    const batches: number[][] = [];
    const { log } = start(newFolder(), (messages) => batches.push(numbers(messages)), { gatherMs: 300 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    capture(log, 0, 1);
    await eventually(() => expect(batches).toEqual([[0]]), 200);
    for (let n = 1; n < 10; n += 1) {
      capture(log, n, 1);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await eventually(() => expect(batches.flat()).toEqual(upTo(10)));
    expect(batches.length).toBeLessThanOrEqual(3);
  });

  test('loses no click while the bus fails, and reports the problem', async () => {
    const folder = newFolder();
    let failures = 0;
    let works = false;
    const tried: number[][] = [];
    const arrived: number[] = [];
    const { log, shipper } = start(folder, (messages) => {
      tried.push(numbers(messages));
      if (!works) {
        failures += 1;
        throw new Error('broker away');
      }
      arrived.push(...numbers(messages));
    });
    capture(log, 0, 300);
    await eventually(() => expect(failures).toBeGreaterThan(3));
    expect(shipper.state()).toMatchObject({ shipped: 0, problem: 'broker away' });
    expect(shipper.state().spoolBytes).toBeGreaterThan(0);
    expect(shipper.state().oldestUnsentAt).toBe(0x0123_4567_89ab);
    works = true;
    await eventually(() => expect(arrived).toEqual(upTo(300)));
    expect(tried.every(([first]) => first === 0)).toBe(true);
    await eventually(() => expect(shipper.state().problem).toBeUndefined());
  });

  test('a stop and a restart lose no click, and clicks sent twice have the same ids', async () => {
    const folder = newFolder();
    const arrived: number[] = [];
    let sends = 0;
    const hangs = (messages: readonly BusMessage[]) => {
      sends += 1;
      arrived.push(...numbers(messages));
      // The bus gets the third batch but never acknowledges it.
      return sends === 3 ? new Promise(() => undefined) : undefined;
    };
    const first = start(folder, hangs, { batchSize: 1_000 });
    capture(first.log, 0, 5_000);
    await eventually(() => expect(sends).toBe(3));
    await first.stop();

    const works = (messages: readonly BusMessage[]) => arrived.push(...numbers(messages));
    const second = start(folder, works);
    capture(second.log, 5_000, 100);
    await eventually(() => expect(new Set(arrived).size).toBe(5_100));
    expect([...new Set(arrived)]).toEqual(upTo(5_100));
    await second.stop();

    // The cursor was saved, so a third start has nothing to send.
    const sentBefore = arrived.length;
    start(folder, works);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(arrived.length).toBe(sentBefore);
  });

  test('sends all captured clicks before it stops, if the bus accepts them', async () => {
    const folder = newFolder();
    const arrived: number[] = [];
    const works = (messages: readonly BusMessage[]) => arrived.push(...numbers(messages));
    const { log, stop } = start(folder, works, { gatherMs: 60_000, batchSize: 1_000 });
    capture(log, 0, 1);
    await eventually(() => expect(arrived).toEqual([0]));
    capture(log, 1, 2_500);
    await stop();
    expect(arrived).toEqual(upTo(2_501));
    start(folder, works);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(arrived.length).toBe(2_501);
  });

  test('a garbled cursor only causes repetition', async () => {
    const folder = newFolder();
    const arrived: number[] = [];
    const works = (messages: readonly BusMessage[]) => arrived.push(...numbers(messages));
    const first = start(folder, works);
    capture(first.log, 0, 50);
    await eventually(() => expect(arrived).toEqual(upTo(50)));
    await first.stop();
    fs.writeFileSync(`${folder}/cursor.json`, '{"segment":');
    start(folder, works);
    await eventually(() => expect(arrived).toEqual([...upTo(50), ...upTo(50)]));
  });

  test('skips and reports a segment that was deleted', async () => {
    const folder = newFolder();
    const first = start(folder, () => Promise.reject(new Error('away')));
    capture(first.log, 0, 5_000);
    await first.stop();
    const arrived: number[] = [];
    const works = (messages: readonly BusMessage[]) => arrived.push(...numbers(messages));
    const second = start(folder, works);
    fs.rmSync(`${folder}/clicks-000000000002.log`);
    await eventually(() => expect(arrived.at(-1)).toBe(4_999));
    expect(second.shipper.state().garbledBytes).toBeGreaterThan(0);
  });
});

test('shipped segments are deleted even if the cursor cannot be saved, as on a full disk', async () => {
  const folder = newFolder();
  fs.mkdirSync(`${cursorPath(folder)}.new`); // a folder with this name prevents a new cursor file
  const shipped = new Set<number>();
  const { log } = start(folder, (messages) => {
    for (const n of numbers(messages)) shipped.add(n);
  });
  capture(log, 0, 6_000);
  await eventually(() => expect(shipped.size).toBe(6_000));
  await eventually(() => expect(fs.readdirSync(folder).filter((name) => name.endsWith('.log'))).toHaveLength(1));
});
