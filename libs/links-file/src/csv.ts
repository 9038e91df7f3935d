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

export const exportRow = (link: Link): string[] => EXPORT_FIELDS.map((field) => String(link[field] ?? ''));
