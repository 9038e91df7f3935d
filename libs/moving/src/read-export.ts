/** Reads an export as CSV, JSON or JSON lines. It reads row by row, so the size of the file does not matter. */
import { isUtf8 } from 'node:buffer';
import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { JSONParser } from '@streamparser/json';
import { unescapedCell } from '@waypost/links-file';
import { parse } from 'csv-parse';
import type { SourceName } from './names.ts';
import type { ReadRow, UnreadableRow } from './rows.ts';
import { expectedHeader, isHeader, nameOf, readRows, type Source, sources } from './sources.ts';

/** The file is not an export of this service, and nothing was changed. The message names the first bad lines. */
export class UnreadableExport extends Error {
  override readonly name = 'UnreadableExport';
}

/** In characters. No entry for one link is longer. */
const LONGEST_ENTRY = 1024 * 1024;
const NAMED_FAULTS = 5;

type Rows = AsyncGenerator<ReadRow | UnreadableRow>;

export async function* readExport(file: string, from: SourceName, now: Date): Rows {
  const source = sources[from];
  const start = await beginning(file);
  const paths = source.entries.map((path) => `$.${path}.*`);
  if (start === '') throw new UnreadableExport('The file is empty.');
  if (start.startsWith('[')) yield* jsonRows(file, source, ['$.*'], now);
  else if (start.startsWith('{') && from === 'csv') yield* jsonLines(file, source, now);
  else if (start.startsWith('{')) yield* jsonRows(file, source, paths, now);
  else yield* csvRows(file, source, start, now);
}

async function beginning(file: string): Promise<string> {
  for await (const text of textOf(file)) {
    const start = text.trimStart();
    if (start !== '') return start.slice(0, 64 * 1024);
  }
  return '';
}

/** Throws `UnreadableExport` if the text is not UTF-8. */
async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true }); // removes a byte order mark
  let line = 1;
  const chunks: AsyncIterable<Buffer> = fs.createReadStream(file);
  for await (const chunk of chunks) {
    let text: string;
    try {
      text = decoder.decode(chunk, { stream: true });
    } catch {
      throw new UnreadableExport(`The file is not UTF-8 text: line ${line + badLineIn(chunk)}.`);
    }
    yield text;
    line += text.split('\n').length - 1;
  }
  try {
    decoder.decode();
  } catch {
    throw new UnreadableExport(`The file is not UTF-8 text: line ${line} is cut off.`);
  }
}

function badLineIn(chunk: Buffer): number {
  let line = 0;
  for (let from = 0; ; line++) {
    const end = chunk.indexOf(10, from);
    if (end === -1 || !isUtf8(chunk.subarray(from, end))) return line;
    from = end + 1;
  }
}

async function* csvRows(file: string, source: Source, start: string, now: Date): Rows {
  const first = /^[^\r\n]*/.exec(start)![0];
  const delimiter = [',', ';', '\t'].find((char) => first.includes(char)) ?? ',';
  const faults: string[] = [];
  const parser = parse({
    delimiter,
    info: true,
    max_record_size: LONGEST_ENTRY,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error !== undefined && faults.length < NAMED_FAULTS) faults.push(error.message);
      return undefined;
    },
  });
  // If the pipeline fails, the loop below throws the same error.
  pipeline(Readable.from(withUnixLines(textOf(file))), parser).catch(() => undefined);
  let names: string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      if (names === undefined) {
        names = record.map(nameOf);
        if (!isHeader(source, names)) throw noHeader(source, first);
        continue;
      }
      // Excel writes empty cells at the right.
      const cells = record.findLastIndex((cell) => cell.trim() !== '') + 1;
      if (cells === 0) continue;
      const header = names;
      const cell = ([name]: readonly string[]) => unescapedCell(record[header.indexOf(name!)] ?? '');
      const why = `it has ${cells} values, but the header has ${header.length}: enclose values that contain "${delimiter}" in quotes`;
      for (const row of readRows(source, info.lines, cell, now))
        yield cells > header.length ? { line: row.line, slug: row.slug, why } : row;
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('CSV_')) faults.push(error.message);
    else throw error;
  }
  if (faults.length > 0) throw new UnreadableExport(`The file is not CSV:\n${faults.join('\n')}`);
  if (names === undefined) throw noHeader(source, first);
}

/** csv-parse counts CRLF in quotes as two lines. */
async function* withUnixLines(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const all = rest + text;
    rest = all.endsWith('\r') ? '\r' : '';
    yield all.slice(0, all.length - rest.length).replaceAll('\r\n', '\n');
  }
  yield rest;
}

function noHeader(source: Source, first: string): UnreadableExport {
  return new UnreadableExport(
    `Line 1 is not the header of this kind of export. It must have ${expectedHeader(source)}:\n${first.slice(0, 200)}`,
  );
}

async function* jsonRows(file: string, source: Source, paths: string[], now: Date): Rows {
  const items: unknown[] = [];
  // An API answers in pages, and the file may hold several, one after the other.
  const parser = new JSONParser({ paths, keepStack: false, separator: '' });
  parser.onValue = ({ value }) => void items.push(value);
  let entry = 0;
  let bytes = 0;
  let since = 0;
  for await (const text of textOf(file)) {
    try {
      parser.write(text);
    } catch (error) {
      throw new UnreadableExport(
        `The file is not JSON after entry ${entry + items.length}: ${(error as Error).message}`,
      );
    }
    bytes += text.length;
    if (items.length > 0) since = bytes;
    if (bytes - since > LONGEST_ENTRY)
      throw new UnreadableExport(`Entry ${entry + 1} is longer than ${LONGEST_ENTRY} characters.`);
    for (const value of items.splice(0)) yield* entryRows(source, ++entry, value, now);
  }
  try {
    parser.end();
  } catch {
    throw new UnreadableExport(`The JSON ends early, after entry ${entry}.`);
  }
  if (entry === 0 && !paths.includes('$.*'))
    throw new UnreadableExport(`The JSON has no links. They must be at ${source.entries.join(' or ')}.`);
}

async function* jsonLines(file: string, source: Source, now: Date): Rows {
  let line = 0;
  const rowsAt = (text: string) => {
    line++;
    if (text.trim() === '') return [];
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new UnreadableExport(`Line ${line} is not JSON: ${(error as Error).message}`);
    }
    return entryRows(source, line, value, now);
  };
  let rest = '';
  for await (const text of textOf(file)) {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    if (rest.length > LONGEST_ENTRY) throw new UnreadableExport(`Line ${line + lines.length + 1} is too long.`);
    for (const each of lines) yield* rowsAt(each);
  }
  yield* rowsAt(rest);
}

/** The first entry shows whether the file is an export of this service. */
function entryRows(source: Source, entry: number, value: unknown, now: Date): Iterable<ReadRow | UnreadableRow> {
  const fields = fieldsOf(inKv(value));
  if (entry === 1 && !isHeader(source, [...fields.keys()]))
    throw new UnreadableExport(`Entry 1 is not a link of this kind of export. It must have ${expectedHeader(source)}.`);
  return readRows(
    source,
    entry,
    ([name, inner]) => (inner === undefined ? fields.get(name!) : fieldsOf(fields.get(name!)).get(inner)),
    now,
  );
}

/** An entry of Cloudflare's KV is `{ key, value }`, and its value is the JSON of the link. */
function inKv(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('value' in value) || typeof value.value !== 'string')
    return value;
  try {
    return JSON.parse(value.value);
  } catch {
    return value;
  }
}

function fieldsOf(value: unknown): Map<string, unknown> {
  return new Map(
    typeof value === 'object' && value !== null
      ? Object.entries(value).map(([name, inner]) => [nameOf(name), inner])
      : [],
  );
}
