import type { BulkOutcome } from '@waypost/sdk';
import { csv } from './csv.ts';
import { type LinksFile, shownUrl } from './read-links.ts';

const HEADER = ['place', 'status', 'slug', 'short_url', 'problem', 'destination_url'];

/** Writes as CSV what became of each row of a list. The status of a row without an outcome is `left`. */
export function resultsCsv(
  { links, places }: Pick<LinksFile, 'links' | 'places'>,
  outcomes: ReadonlyMap<number, BulkOutcome>,
): string {
  const rows = links.map((link, row) => {
    const { status = 'left', slug = '', short_url = '', problems = [] } = outcomes.get(row) ?? {};
    return [places[row] ?? '', status, slug, short_url, problems.join('; '), shownUrl(link)];
  });
  return csv([HEADER, ...rows]);
}
