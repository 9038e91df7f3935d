import type { Link } from '@waypost/sdk';

/** RFC 4180. */
export function csv(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

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
