import type { Link } from '@waypost/sdk';

/**
 * A spreadsheet runs a cell that begins so as a formula, in East Asian languages by the wide forms as well. With any
 * apostrophes before it: so that each cell is read back as it was.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** RFC 4180. An apostrophe stands before what a spreadsheet would run, as OWASP says; `unescapedCell` takes it away. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const escaped = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

/** What `csv` was given. */
export const unescapedCell = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

/** The columns of an export. */
export const EXPORT_FIELDS = [
  'slug',
  'destination_url',
  'status',
  'threat_type',
  'tags',
  'created_at',
  'updated_at',
  'revoked_at',
] as const satisfies readonly (keyof Link)[];

export const exportRow = (link: Link): string[] =>
  EXPORT_FIELDS.map((field) => (field === 'tags' ? tagsCell(link.tags) : String(link[field] ?? '')));

/** Separated by commas; a JSON list where a tag would not come back from that. */
function tagsCell(tags: readonly string[]): string {
  return tags.some((tag) => /[,;]|^\[/.test(tag)) ? JSON.stringify(tags) : tags.join(',');
}
