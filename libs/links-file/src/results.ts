import type { BulkOutcome } from '@waypost/sdk';
import { csv } from './csv.ts';
import { type LinksFile, shownUrl } from './read-links.ts';

const HEADER = ['place', 'status', 'slug', 'short_url', 'problem', 'destination_url'];

/** Changes `links[3].custom_slug` in a text of the API to `custom_slug of line 5`. */
export const withPlaces = (text: string, places: readonly string[]): string =>
  text.replace(/links\[(\d+)\]\.(\w+)/g, (as, index, field) => {
    const place = places[Number(index)];
    return place === undefined ? as : `${field} of ${place}`;
  });

/** Writes as CSV what became of each row of a list. The status of a row without an outcome is `left`. */
export function resultsCsv(
  { links, places }: Pick<LinksFile, 'links' | 'places'>,
  outcomes: ReadonlyMap<number, BulkOutcome>,
): string {
  const rows = links.map((link, row) => {
    const { status = 'left', slug = '', short_url = '', problems = [] } = outcomes.get(row) ?? {};
    return [places[row] ?? '', status, slug, short_url, withPlaces(problems.join('; '), places), shownUrl(link)];
  });
  return csv([HEADER, ...rows]);
}
