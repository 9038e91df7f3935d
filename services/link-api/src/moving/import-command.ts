/**
 * `waypost admin import`. The command line reads the file (`importFile`), twice: first all of it, to find what is wrong
 * with the whole before anything is changed, then in batches, which the process that answers judges (`importBatch`).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pipeline } from 'node:stream/promises';
import type { Given } from '@waypost/command-line';
import { LIMITS, type UrlPolicy } from '@waypost/domain';
import type { Accounts } from '@waypost/ports';
import Joi from 'joi';
import { Faults } from '../endpoints/input.ts';
import { newLink, newLinkInput } from '../endpoints/new-link.ts';
import { accountOf } from '../use-cases/accounts.ts';
import { type ImportOutcome, importLinks, type LinkToImport, TAKEN } from '../use-cases/import-links.ts';
import { readExport } from './read-export.ts';
import type { Row, UnreadableRow } from './rows.ts';
import { SOURCES } from './sources.ts';

export interface Imported {
  readonly read: number;
  readonly created: number;
  readonly skipped: number;
  readonly conflicts: readonly UnreadableRow[];
  /** Those that the source counted for the links that were created. */
  readonly clicks: number;
}

type Deps = Parameters<typeof importLinks>[0] & { readonly accounts: Accounts; readonly urlPolicy: UrlPolicy };

const BATCH = LIMITS.linksPerBulkRequest;

const batch = Joi.array<readonly Row[]>()
  .max(BATCH)
  .items(
    Joi.object({
      line: Joi.number().integer().required(),
      slug: Joi.string().required(),
      destinationUrl: Joi.string().required(),
      tags: Joi.array().items(Joi.string()).required(),
      createdAt: Joi.string().isoDate(),
      clicks: Joi.number().integer().min(0).required(),
      days: Joi.array()
        .items(
          Joi.object({
            date: Joi.string()
              .pattern(/^\d{4}-\d\d-\d\d$/)
              .required(),
            clicks: Joi.number().integer().min(1).required(),
          }),
        )
        .required(),
    }),
  );

/** What becomes of each row, in their order. Throws `account_not_found`. */
export async function importBatch(
  deps: Deps,
  { email, rows, dryRun }: { email: string; rows: string; dryRun: boolean },
): Promise<readonly ImportOutcome[]> {
  const { id } = await accountOf(deps, email);
  const input = newLinkInput(deps.urlPolicy);
  const judged = rowsIn(rows).map((row) => judge(row, input));
  const links = judged.flatMap((each) => ('outcome' in each ? [] : [each]));
  const outcomes = links.length === 0 ? [] : await importLinks(deps, id, links, { dryRun });
  const of = new Map(links.map((link, i) => [link, outcomes[i]!] as const));
  return judged.map((each) => ('outcome' in each ? each : of.get(each)!));
}

function rowsIn(text: string): readonly Row[] {
  const { value, error } = batch.validate(JSON.parse(text), { convert: false });
  if (error !== undefined) throw new Error(`rows: ${error.message}`);
  return value;
}

/** By the rules of every other new link. */
function judge(
  { slug, destinationUrl, tags, createdAt, days }: Row,
  input: ReturnType<typeof newLinkInput>,
): LinkToImport | ImportOutcome {
  const faults = new Faults();
  const asked = { destination_url: destinationUrl, custom_slug: slug, tags };
  const read = input.judge('', asked, faults);
  const why = Object.entries(faults.details).map(([field, problem]) => `${field.replace('custom_', '')} ${problem}`);
  if (why.length > 0) return conflict(why.join('; '));
  return { ...newLink(read), slug, days, createdAt: createdAt === undefined ? undefined : new Date(createdAt) };
}

type Send = (sent: Readonly<Record<string, string | boolean>>) => Promise<readonly ImportOutcome[]>;

export async function importFile({ argument, options }: Given, send: Send): Promise<Imported> {
  const from = SOURCES.find((name) => name === options.from)!;
  const { email = '', 'dry-run': dryRun } = options;
  const asked = { email: String(email), 'dry-run': dryRun === true };
  // An account that does not exist is an error before the file is read.
  await send({ ...asked, rows: '[]' });
  return withFile(argument, async (file) => {
    const now = new Date();
    let total = 0;
    for await (const _row of readExport(file, from, now)) {
      total++;
      if (total % 10_000 === 0) progress(`Reading: ${total} rows`);
    }
    const done = new Tally(asked['dry-run']);
    for await (const rows of batches(readExport(file, from, now))) {
      await done.add(rows, (fresh) => send({ ...asked, rows: JSON.stringify(fresh) }));
      progress(`${done.result.read} of ${total} rows`);
    }
    progress('');
    done.close();
    return done.result;
  });
}

/** Counts what became of the rows. */
class Tally {
  readonly result = { read: 0, created: 0, skipped: 0, conflicts: [] as UnreadableRow[], clicks: 0 };
  #withoutDay = 0;
  readonly #made: ReturnType<typeof madeLinks> | undefined;

  constructor(dryRun: boolean) {
    if (dryRun) this.#made = madeLinks();
  }

  async add(rows: readonly (Row | UnreadableRow)[], send: (rows: readonly Row[]) => Promise<readonly ImportOutcome[]>) {
    const outcomes = new Map(rows.map((row) => [row, 'why' in row ? conflict(row.why) : this.#earlier(row)] as const));
    const fresh = rows.filter((row): row is Row => outcomes.get(row) === undefined);
    const answers = fresh.length === 0 ? [] : await send(fresh);
    for (const [i, row] of fresh.entries()) outcomes.set(row, answers[i]);
    for (const row of rows) this.#count(row, outcomes.get(row)!);
  }

  #earlier({ slug, destinationUrl }: Row): ImportOutcome | undefined {
    const made = this.#made?.find.get(slug);
    if (made === undefined) return undefined;
    return made.destination === destinationUrl ? { outcome: 'skipped' } : TAKEN;
  }

  #count(row: Row | UnreadableRow, outcome: ImportOutcome): void {
    const { result } = this;
    result.read++;
    if (outcome.outcome === 'conflict') result.conflicts.push({ line: row.line, slug: row.slug, why: outcome.why });
    else if (outcome.outcome === 'skipped' || 'why' in row) result.skipped++;
    else {
      result.created++;
      result.clicks += row.clicks;
      this.#withoutDay += row.clicks - row.days.reduce((sum, { clicks }) => sum + clicks, 0);
      this.#made?.add.run(row.slug, row.destinationUrl);
    }
  }

  close(): void {
    this.#made?.database.close();
    if (this.#withoutDay === 0) return;
    process.stderr.write(
      `The source does not tell the days of ${this.#withoutDay} of ${this.result.clicks} clicks: analytics do not have those.\n`,
    );
  }
}

/** A dry run creates nothing, so a slug that occurs twice in the file is found here; SQLite keeps them on disk. */
function madeLinks() {
  const database = new DatabaseSync('');
  database.exec('CREATE TABLE made (slug TEXT PRIMARY KEY, destination TEXT) WITHOUT ROWID; BEGIN');
  const find = database.prepare('SELECT destination FROM made WHERE slug = ?');
  const add = database.prepare('INSERT INTO made VALUES (?, ?)');
  return { database, find, add };
}

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

/** One line on a terminal, and nothing elsewhere. */
function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

/** What comes from stdin is read twice, so it is a file first. */
async function withFile<T>(argument: string, use: (file: string) => Promise<T>): Promise<T> {
  if (argument !== '-') return use(argument);
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-import-'));
  try {
    const file = path.join(dir, 'export');
    await pipeline(process.stdin, fs.createWriteStream(file, { mode: 0o600 }));
    return await use(file);
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
}

export function sayImported({ read, created, skipped, conflicts, clicks }: Imported): string {
  return [
    `${read} rows: ${created} links made, ${skipped} there already, ${conflicts.length} not made. ${clicks} clicks.`,
    ...conflicts.map(({ line, slug, why }) => `Line ${line}, ${slug}: ${why}.`),
  ].join('\n');
}
