/**
 * `waypost admin import` reads the file twice. First it checks the whole file before anything changes. Then it sends
 * the rows in batches to the process that decides about them.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ImportOutcome, LIMITS, SLUG_TAKEN } from '@waypost/domain';
import type { CommandInput } from '@waypost/operator';
import type { SourceName } from './names.ts';
import { readExport } from './read-export.ts';
import type { ReadRow, Row, UnreadableRow } from './rows.ts';

const BATCH = LIMITS.linksPerBulkRequest;

type Send = (sent: Readonly<Record<string, string | boolean>>) => Promise<readonly ImportOutcome[]>;

export async function importFile({ argument, options }: CommandInput, send: Send): Promise<Result> {
  const from = options.from as SourceName;
  const { email = '', 'dry-run': dryRun } = options;
  const request = { email: String(email), 'dry-run': dryRun === true };
  // An empty list shows whether the account exists before the file is read.
  await send({ ...request, rows: '[]' });
  return withFile(argument, async (file) => {
    const now = new Date();
    let total = 0;
    for await (const _row of readExport(file, from, now)) {
      total++;
      if (total % 10_000 === 0) progress(`Reading: ${total} rows`);
    }
    const done = new Tally(request['dry-run']);
    for await (const rows of batches(readExport(file, from, now))) {
      await done.add(rows, (fresh) => send({ ...request, rows: JSON.stringify(fresh.map(sent)) }));
      progress(`${done.result.read} of ${total} rows`);
    }
    progress('');
    done.close();
    return done.result;
  });
}

interface Result {
  read: number;
  created: number;
  skipped: number;
  readonly conflicts: UnreadableRow[];
  /** How many clicks the source counted for the created links. */
  clicks: number;
  /** `created` then counts the links that would be created. */
  dry_run?: true;
}

class Tally {
  readonly result: Result = { read: 0, created: 0, skipped: 0, conflicts: [], clicks: 0 };
  #withoutDay = 0;
  readonly #losses: string[] = [];
  /** The destination of each slug. A dry run creates nothing, so the server cannot find duplicate slugs in the file. */
  readonly #dry: Map<string, string> | undefined;

  constructor(dryRun: boolean) {
    if (!dryRun) return;
    this.#dry = new Map();
    this.result.dry_run = true;
  }

  async add(
    rows: readonly (ReadRow | UnreadableRow)[],
    send: (rows: readonly ReadRow[]) => Promise<readonly ImportOutcome[]>,
  ) {
    const outcomes = new Map(rows.map((row) => [row, 'why' in row ? conflict(row.why) : this.#earlier(row)] as const));
    const fresh = rows.filter((row): row is ReadRow => outcomes.get(row) === undefined);
    const answers = fresh.length === 0 ? [] : await send(fresh);
    for (const [i, row] of fresh.entries()) outcomes.set(row, answers[i]);
    for (const row of rows) this.#count(row, outcomes.get(row)!);
  }

  #earlier({ slug, destinationUrl }: ReadRow): ImportOutcome | undefined {
    const earlier = this.#dry?.get(slug);
    if (earlier === undefined) return undefined;
    return earlier === destinationUrl ? { outcome: 'skipped' } : SLUG_TAKEN;
  }

  #count(row: ReadRow | UnreadableRow, outcome: ImportOutcome): void {
    const { result } = this;
    result.read++;
    if (outcome.outcome === 'conflict') result.conflicts.push({ line: row.line, slug: row.slug, why: outcome.why });
    else if (!('why' in row)) {
      if (row.loss !== undefined) this.#losses.push(`Line ${row.line}, ${row.slug}: ${row.loss}.`);
      if (outcome.outcome === 'skipped') result.skipped++;
      else {
        result.created++;
        result.clicks += row.clicks;
        this.#withoutDay += row.clicks - row.days.reduce((sum, { clicks }) => sum + clicks, 0);
        this.#dry?.set(row.slug, row.destinationUrl);
      }
    }
  }

  /** Prints what the source has or does that the links here do not. */
  close(): void {
    const { clicks } = this.result;
    const lines = [...this.#losses];
    if (this.#withoutDay > 0)
      lines.push(
        `The source does not provide the days of ${this.#withoutDay} of ${clicks} clicks. Analytics do not include them.`,
      );
    for (const line of lines) process.stderr.write(`${line}\n`);
  }
}

const sent = ({ loss, ...row }: ReadRow): Row => row;

const conflict = (why: string): ImportOutcome => ({ outcome: 'conflict', why });

async function* batches<T>(rows: AsyncIterable<T>): AsyncGenerator<readonly T[]> {
  let some: T[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < BATCH) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** The file is read twice, which is impossible for stdin, so stdin is copied into a file first. */
async function withFile<T>(argument: string, use: (file: string) => Promise<T>): Promise<T> {
  if (argument !== '-') return use(argument);
  using dir = fs.mkdtempDisposableSync(path.join(os.tmpdir(), 'waypost-import-'));
  const file = path.join(dir.path, 'export');
  await pipeline(process.stdin, fs.createWriteStream(file, { mode: 0o600 }));
  return await use(file);
}
