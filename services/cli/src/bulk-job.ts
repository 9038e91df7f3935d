/** Creates many links in several requests. A journal file lets the command resume after any exit, even `kill -9`. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { UsageError } from '@waypost/command-line';
import { type LinksFile, resultsCsv } from '@waypost/links-file';
import type { BulkEvent, BulkOutcome, Waypost } from '@waypost/sdk';
import { outcomesOf } from '@waypost/sdk/bulk';

export interface BulkResult {
  readonly total: number;
  readonly created: number;
  readonly refused: number;
  /** The number of rows that were sent a day ago or earlier and whose outcome is unknown. */
  readonly lost: number;
  readonly left: number;
  /** ISO 8601: the time when the quota allows more links. Null if no row remains. */
  readonly go_on_at: string | null;
  readonly results: string;
}

interface Options {
  readonly results: string;
  readonly url: string;
  /** If true, the job waits for the quota instead of exiting. */
  readonly wait: boolean;
  readonly onProgress: (done: number, waitingUntil?: string) => void;
}

/** Rejects with the API's error. The results so far are written to the file. */
export async function runBulkJob(
  api: Waypost,
  list: LinksFile,
  { results, url, wait, onProgress }: Options,
): Promise<BulkResult> {
  const { links } = list;
  const job = createHash('sha256')
    .update(JSON.stringify([url, links]))
    .digest('hex');
  const journal = openJournal(`${results}.job`, job, links.length);
  const outcomes = outcomesAfter(journal.earlier);
  let waitingUntil: string | null = null;
  try {
    onProgress(outcomes.size);
    for await (const event of api.bulk(links, { earlier: journal.earlier })) {
      waitingUntil = event.type === 'waiting' ? event.until : null;
      if (waitingUntil === null) journal.append(event);
      for (const [row, outcome] of outcomesOf(event)) outcomes.set(row, outcome);
      onProgress(outcomes.size, waitingUntil ?? undefined);
      if (waitingUntil !== null && !wait) break;
    }
  } finally {
    fs.writeFileSync(results, resultsCsv(list, outcomes));
    journal.close(isMade(outcomes, links.length));
  }
  const countOf = (state: BulkOutcome['status']) =>
    [...outcomes.values()].filter(({ status }) => status === state).length;
  const [refused, lost] = [countOf('refused'), countOf('lost')];
  return {
    total: links.length,
    created: outcomes.size - refused - lost,
    refused,
    lost,
    left: links.length - outcomes.size,
    go_on_at: waitingUntil,
    results,
  };
}

const outcomesAfter = (events: readonly BulkEvent[]) => new Map(events.flatMap(outcomesOf));

/** Returns whether every row became a link. If not, the journal stays: the same command then creates no link twice. */
const isMade = (outcomes: ReadonlyMap<number, BulkOutcome>, count: number) =>
  outcomes.size === count && [...outcomes.values()].every(({ status }) => status !== 'refused' && status !== 'lost');

/** Opens a file of JSON lines: the job and its number of rows, then events. It replaces that of a finished job. */
function openJournal(file: string, job: string, count: number) {
  const lock = `${file}.lock`;
  takeLock(lock);
  const before = read(file);
  const isAnother = before.start !== undefined && before.start.job !== job;
  const { start, earlier, bytes } = isAnother && isOver(before) ? NOTHING : before;
  if (start !== undefined && isAnother) {
    fs.rmSync(lock);
    throw new UsageError(
      `${file} belongs to an unfinished job for another list or address. Finish that job, remove the file, or choose another --results.`,
    );
  }
  const journal = fs.openSync(file, 'a', 0o600);
  // This cuts off a line that a killed run did not finish: its event counts as not recorded.
  fs.ftruncateSync(journal, bytes);
  const write = (value: unknown) => {
    fs.writeSync(journal, `${JSON.stringify(value)}\n`);
    fs.fsyncSync(journal);
  };
  if (start === undefined) write({ job, count });
  return {
    earlier,
    append: (event: BulkEvent) => write(event),
    close: (isOfNoUse: boolean) => {
      fs.closeSync(journal);
      if (isOfNoUse) fs.rmSync(file);
      fs.rmSync(lock);
    },
  };
}

interface Journal {
  readonly start: { readonly job: string; readonly count: number } | undefined;
  readonly earlier: readonly BulkEvent[];
  readonly bytes: number;
}

const NOTHING: Journal = { start: undefined, earlier: [], bytes: 0 };

const isOver = ({ start, earlier }: Journal) => outcomesAfter(earlier).size === start?.count;

function read(file: string): Journal {
  const text = fs.existsSync(file) ? fs.readFileSync(file, 'utf8') : '';
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [first, ...earlier] = whole
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  return { start: first, earlier, bytes: Buffer.byteLength(whole) };
}

/** Prevents two runs at the same time, which would create rows twice. It takes over the lock of a killed run. */
function takeLock(lock: string): void {
  try {
    fs.writeFileSync(lock, String(process.pid), { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw new UsageError(`The results cannot be written: ${message}.`);
    const holder = Number(fs.readFileSync(lock, 'utf8'));
    if (isAlive(holder))
      throw new UsageError(
        `Process ${holder} is already working on this list. If that process has ended, remove ${lock}.`,
      );
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
