import type { Link } from '@waypost/sdk';
import Papa from 'papaparse';

/**
 * A spreadsheet treats a cell that begins with one of these characters as a formula. The wide characters have this
 * effect in East Asian languages. Cells with apostrophes before the character match, too, so that each cell is read
 * back unchanged.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Writes RFC 4180. An apostrophe makes a formula harmless, as OWASP recommends; `unescapedCell` removes it. */
export function csv(rows: readonly (readonly string[])[]): string {
  return `${Papa.unparse(rows as string[][], { newline: '\r\n', escapeFormulae: FORMULA })}\r\n`;
}

export const unescapedCell = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** The file contains no list that can be read. The message says why. */
export class LinksFileError extends Error {
  override readonly name = 'LinksFileError';
}

export const WRONG_QUOTES =
  'are not valid. Enclose a value that contains a quote in quotes, and write the quote twice.';

export interface CsvRow {
  /** Without white space around them, and without empty cells at the end. */
  readonly cells: readonly string[];
  /** The number of the first line of the row. A quoted cell may contain several lines. */
  readonly line: number;
  readonly isQuoted: boolean;
}

/** Reads RFC 4180. Lines end with `\n`. Throws `LinksFileError`. */
export function parseCsv(text: string, separator: string, firstLine = 1): CsvRow[] {
  const rows: CsvRow[] = [];
  let line = firstLine;
  let start = 0;
  Papa.parse<string[]>(text, {
    delimiter: separator,
    newline: '\n',
    step: ({ data, errors, meta: { cursor } }) => {
      const raw = text.slice(start, cursor);
      // Cells stand in the order of the row, so a search goes on where the last one ended, and a row takes linear time.
      let at = 0;
      const isMisquoted = (cell: string) => {
        if (!cell.includes('"')) return false;
        const quoted = `"${cell.replaceAll('"', '""')}"`;
        const place = raw.indexOf(quoted, at);
        at = place + quoted.length;
        return place === -1;
      };
      if (errors.length > 0 || data.some(isMisquoted))
        throw new LinksFileError(`The quotes of line ${line} ${WRONG_QUOTES}`);
      const cells = data.map((cell) => cell.trim());
      while (cells.at(-1) === '') cells.pop();
      rows.push({ cells, line, isQuoted: raw.includes('"') });
      line += linesIn(raw);
      start = cursor;
    },
  });
  return rows;
}

export const linesIn = (text: string) => text.split('\n').length - 1;

export const EXPORT_FIELDS = [
  'slug',
  'destination_url',
  'status',
  'threat_type',
  'tags',
  'created_at',
  'updated_at',
  'revoked_at',
  'title',
  'note',
  'ends_at',
] as const satisfies readonly (keyof Link)[];

export const exportRow = (link: Link): string[] =>
  EXPORT_FIELDS.map((field) => (field === 'tags' ? tagsCell(link.tags) : String(link[field] ?? '')));

function tagsCell(tags: readonly string[]): string {
  return tags.some((tag) => /[,;]|^\[/.test(tag)) ? JSON.stringify(tags) : tags.join(',');
}

/** Reads `tagsCell`. Other programs separate tags by semicolons. */
export function tagsOf(cell: string): readonly string[] {
  const list = jsonList(cell)?.map(String) ?? cell.split(/[,;]/);
  return list.map((tag) => tag.trim()).filter((tag) => tag !== '');
}

/** Reads a list as JSON text. Undefined for any other text. */
export function jsonList(text: string): unknown[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
