/**
 * A bulk that is more than one request. Its journal has every event before the next one happens, so that it goes on after
 * any end, `kill -9` included; its results are a table of the rows.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { UsageError } from '@waypost/command-line';
import { csv, type LinksFile } from '@waypost/links-file';
import type { BulkEvent, Link, Waypost } from '@waypost/sdk';

export interface BulkResult {
  readonly total: number;
  readonly created: number;
  readonly refused: number;
  /** Sent a day ago, and nobody knows whether they were made. */
  readonly lost: number;
  readonly left: number;
  /** When the quota allows more; null if nothing is left. */
  readonly go_on_at: string | null;
  /** Where the table of rows is. */
  readonly results: string;
}

interface Options {
  readonly results: string;
  /** The address of the API. */
  readonly url: string;
  /** Goes on when the quota does, instead of ending. */
  readonly wait: boolean;
  readonly onProgress: (done: number, waitingUntil?: string) => void;
}

/** Rejects as the API does; what is done until then is kept. */
export async function runBulkJob(
  api: Waypost,
  { links, places }: LinksFile,
  { results, url, wait, onProgress }: Options,
): Promise<BulkResult> {
  const job = createHash('sha256')
    .update(JSON.stringify([url, links]))
    .digest('hex');
  const journal = openJournal(`${results}.job`, job);
  const rows = new Map<number, Row>();
  const note = (event: BulkEvent) => {
    for (const [row, what] of rowsOf(event)) rows.set(row, what);
  };
  let waitingUntil: string | null = null;
  try {
    journal.earlier.forEach(note);
    onProgress(rows.size);
    for await (const event of api.bulk(links, { earlier: journal.earlier })) {
      waitingUntil = event.type === 'waiting' ? event.until : null;
      if (waitingUntil === null) journal.append(event);
      note(event);
      onProgress(rows.size, waitingUntil ?? undefined);
      if (waitingUntil !== null && !wait) break;
    }
  } finally {
    const table = links.map((link, i) => [places[i]!, ...(rows.get(i) ?? NOT_YET), link.destination_url]);
    fs.writeFileSync(results, csv([['place', 'status', 'slug', 'short_url', 'problem', 'destination_url'], ...table]));
    journal.close(rows.size === links.length);
  }
  const counted = (wanted: string) => [...rows.values()].filter(([status]) => status === wanted).length;
  const [refused, lost] = [counted('refused'), counted('lost')];
  return {
    total: links.length,
    created: rows.size - refused - lost,
    refused,
    lost,
    left: links.length - rows.size,
    go_on_at: waitingUntil,
    results,
  };
}

type Row = readonly [
  status: Link['status'] | 'refused' | 'lost' | 'left',
  slug: string,
  shortUrl: string,
  problem: string,
];
const NOT_YET: Row = ['left', '', '', ''];

/** The rows that are done with it. */
function rowsOf(event: BulkEvent): (readonly [number, Row])[] {
  switch (event.type) {
    case 'created':
      return event.links.map(({ row, link, short_url }) => [row, [link.status, link.slug, short_url, '']]);
    case 'refused':
      return event.rows.map(({ row, problems }) => [row, ['refused', '', '', problems.join('; ')]]);
    case 'lost':
      return event.rows.map((row) => [row, ['lost', '', '', 'whether it was made is unknown: look it up']]);
    default:
      return [];
  }
}

/** JSON lines: whose job it is, then the events. */
function openJournal(file: string, job: string) {
  const lock = `${file}.lock`;
  takeLock(lock);
  const { start, earlier, bytes } = read(file);
  if (start !== undefined && start !== job) {
    fs.rmSync(lock);
    throw new UsageError(
      `${file} is of another list or address, and not done. Finish that, or remove the file, or choose another --results.`,
    );
  }
  const journal = fs.openSync(file, 'a', 0o600);
  // The line that was being written when an earlier run was killed: it did not happen yet.
  fs.ftruncateSync(journal, bytes);
  const write = (value: unknown) => {
    fs.writeSync(journal, `${JSON.stringify(value)}\n`);
    fs.fsyncSync(journal);
  };
  if (start === undefined) write({ job });
  return {
    earlier,
    append: (event: BulkEvent) => write(event),
    close: (isDone: boolean) => {
      fs.closeSync(journal);
      if (isDone) fs.rmSync(file);
      fs.rmSync(lock);
    },
  };
}

function read(file: string): { start: string | undefined; earlier: BulkEvent[]; bytes: number } {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [first, ...earlier] = whole
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { start: first?.job, earlier, bytes: Buffer.byteLength(whole) };
}

/** Two runs at once would make rows twice. What a killed run left is taken over. */
function takeLock(lock: string): void {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new UsageError(`The results cannot be written: ${message}.`);
    const holder = Number(fs.readFileSync(lock, 'utf8'));
    if (isAlive(holder))
      throw new UsageError(`Process ${holder} is at work on this list. If it is not: remove ${lock}.`);
    fs.writeFileSync(lock, String(process.pid));
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}
