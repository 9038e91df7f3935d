/** Reads new links from a JSON array, JSON lines, CSV with a header, or one URL per line. The API validates them. */
import type { NewLink } from '@waypost/sdk';
import { unescapedCell } from './csv.ts';

export interface LinksFile {
  readonly links: readonly NewLink[];
  /** For each link its place in the file, such as `line 5`, which errors name. */
  readonly places: readonly string[];
}

/** The file contains no list that can be read. The message says why. */
export class LinksFileError extends Error {
  override readonly name = 'LinksFileError';
}

const COLUMNS = ['destination_url', 'custom_slug', 'tags'];

export function readLinks(bytes: Uint8Array): LinksFile {
  const text = decode(bytes);
  const read = /^\s*[[{]/.test(text) ? readJson(text) : (readCsv(text) ?? readLines(text));
  if (read.links.length === 0) throw new LinksFileError('The list holds no links.');
  return read;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes); // removes a byte order mark
  } catch {
    throw new LinksFileError('The list is not UTF-8 text.');
  }
}

/** Accepts an array of links or URLs, or the body of a request: `{ "links": […] }`. */
function readJson(text: string): LinksFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.trimStart().startsWith('{')) return readJsonLines(text);
    throw new LinksFileError(`The list is not valid JSON: ${(error as Error).message}.`);
  }
  if (isRecord(value) && 'destination_url' in value) return readJsonLines(text);
  const links = isRecord(value) ? value.links : value;
  if (!Array.isArray(links)) throw new LinksFileError('The JSON must be an array of links.');
  return { links: links.map(linkOf), places: links.map((_link, i) => `entry ${i + 1}`) };
}

function readJsonLines(text: string): LinksFile {
  const lines = linesOf(text);
  const links = lines.map(({ line, place }) => {
    try {
      return linkOf(JSON.parse(line));
    } catch (error) {
      throw new LinksFileError(`The list is not valid JSON in ${place}: ${(error as Error).message}.`);
    }
  });
  return { links, places: lines.map(({ place }) => place) };
}

/** Accepts any value, because the API says what is wrong with it. */
function linkOf(value: unknown): NewLink {
  return (typeof value === 'string' ? { destination_url: value } : value) as NewLink;
}

export const shownUrl = (link: NewLink | undefined): string =>
  typeof link?.destination_url === 'string' ? link.destination_url : (JSON.stringify(link) ?? '');

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readLines(text: string): LinksFile {
  const lines = linesOf(text).filter(({ line }) => !line.startsWith('#'));
  return { links: lines.map(({ line }) => linkOf(line)), places: lines.map(({ place }) => place) };
}

function linesOf(text: string): { readonly line: string; readonly place: string }[] {
  return text
    .split(/\r\n|\r|\n/)
    .map((line, i) => ({ line: line.trim(), place: `line ${i + 1}` }))
    .filter(({ line }) => line !== '');
}

/** Undefined if the first line with text is not a header. It decides the separator: comma, semicolon or tab. */
function readCsv(text: string): LinksFile | undefined {
  const header = /^[^\r\n]*/.exec(text.trimStart())![0];
  const separator = [',', ';', '\t'].find((char) => header.includes(char)) ?? ',';
  const names = (parseCsv(header, separator)[0]?.cells ?? []).map((name) => name.trim().toLowerCase());
  if (!names.includes('destination_url')) return undefined;
  const unknown = names.find((name, i) => !COLUMNS.includes(name) || names.indexOf(name) !== i);
  if (unknown !== undefined) {
    throw new LinksFileError(`The CSV has a column "${unknown}"; it may have ${COLUMNS.join(', ')}, each once.`);
  }
  const rows = parseCsv(text, separator)
    .filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
    .slice(1);
  const links = rows.map(({ cells, line }) => {
    if (cells.length > names.length) {
      throw new LinksFileError(
        `Line ${line} has ${cells.length} cells, the header ${names.length}: quote what holds "${separator}".`,
      );
    }
    const cell = (name: string) => unescapedCell(cells[names.indexOf(name)]?.trim() ?? '');
    const tags = cell('tags')
      .split(/[,;]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    return {
      destination_url: cell('destination_url'),
      ...(cell('custom_slug') === '' ? {} : { custom_slug: cell('custom_slug') }),
      ...(tags.length === 0 ? {} : { tags }),
    };
  });
  return { links, places: rows.map(({ line }) => `line ${line}`) };
}

interface CsvRow {
  readonly cells: readonly string[];
  /** The number of the first line of the row, from 1. A quoted cell may contain several lines. */
  readonly line: number;
}

/** Reads RFC 4180: a cell in quotes may contain separators, line ends and doubled quotes. */
function parseCsv(text: string, separator: string): CsvRow[] {
  const rows: CsvRow[] = [];
  let cells: string[] = [];
  let line = 1;
  let start = 1;
  let at = 0;
  while (at < text.length) {
    let cell = '';
    if (text[at] === '"') {
      const from = ++at;
      for (;;) {
        const quote = text.indexOf('"', at);
        if (quote === -1) throw new LinksFileError(`The quote that opens on line ${line} of the CSV is never closed.`);
        at = quote + 1;
        if (text[at] !== '"') break;
        at++;
      }
      const raw = text.slice(from, at - 1);
      line += raw.split(/\r\n|\r|\n/).length - 1;
      cell = raw.replaceAll('""', '"');
    }
    while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') cell += text[at++];
    cells.push(cell);
    if (text[at] === separator) {
      at++;
      if (at < text.length && text[at] !== '\n' && text[at] !== '\r') continue;
      cells.push('');
    }
    at += text.startsWith('\r\n', at) ? 2 : 1;
    rows.push({ cells, line: start });
    cells = [];
    line++;
    start = line;
  }
  if (cells.length > 0) rows.push({ cells, line: start });
  return rows;
}
