import type { Link } from '@waypost/sdk';

/**
 * A spreadsheet treats a cell that begins with one of these characters as a formula. The wide characters have this
 * effect in East Asian languages. Cells with apostrophes before the character match, too, so that each cell is read
 * back unchanged.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/** Writes RFC 4180. An apostrophe makes a formula harmless, as OWASP recommends; `unescapedCell` removes it. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  const escaped = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped;
}

export const unescapedCell = (cell: string): string =>
  cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;

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

function tagsCell(tags: readonly string[]): string {
  return tags.some((tag) => /[,;]|^\[/.test(tag)) ? JSON.stringify(tags) : tags.join(',');
}
