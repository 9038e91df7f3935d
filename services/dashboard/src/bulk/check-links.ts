import { type LinksFile, readLinks, replacedBy, type Utm, withUtm } from '@waypost/links-file';
import { refusedRows } from '@waypost/sdk/bulk';
import { ApiError, type NewLink, waypost } from '../api.ts';
import { fill, words } from '../words.ts';

/** The command line accepts more links, because it stores its progress on disk. */
export const MOST_LINKS = 10_000;
const BATCH = 100;

/** Reads what the command line reads. Adds `tags` and `utm` to each link. Throws `LinksFileError`. */
export function readText(text: string, tags: readonly string[], utm: Utm): LinksFile {
  if (text.trim() === '') return { links: [], places: [], ignored: [], leftOut: 0, replaced: [] };
  const list = readLinks(text);
  const replaced = new Set(list.replaced);
  const links = list.links.map((link) => {
    const url: unknown = link?.destination_url;
    // JSON may contain anything, and the API reports what is wrong.
    if (typeof url !== 'string') return link;
    for (const name of replacedBy(url, utm)) replaced.add(name);
    const all = [...new Set([...(Array.isArray(link.tags) ? link.tags : []), ...tags])];
    return { ...link, destination_url: withUtm(url, utm), ...(all.length > 0 && { tags: all }) };
  });
  return { ...list, links, replaced: [...replaced] };
}

export interface Verdict {
  /** Texts of the server, in English. The link can be created if the list is empty. */
  readonly problems: readonly string[];
  /** A text of the dashboard, in its language. */
  readonly own?: string;
  readonly threat?: string;
}

export interface Checked extends LinksFile {
  readonly verdicts: readonly Verdict[];
}

/** Resolves to one verdict per link. The server refuses a dry run of more than `remaining` links. */
export async function checkLinks(
  { links, places }: Pick<LinksFile, 'links' | 'places'>,
  { remaining, signal, onProgress }: { remaining: number; signal: AbortSignal; onProgress: (done: number) => void },
): Promise<Verdict[]> {
  const verdicts = repeatedSlugs(links, places);
  const size = Math.max(1, Math.min(BATCH, remaining));
  for (let from = 0; from < links.length; from += size) {
    let open = links.slice(from, from + size).flatMap((_link, i) => (verdicts.has(from + i) ? [] : [from + i]));
    while (open.length > 0) {
      const rows = open;
      open = [];
      try {
        const answer = await waypost.checkMany(
          rows.map((row) => links[row]!),
          { signal },
        );
        for (const [i, { link }] of answer.links.entries()) {
          verdicts.set(rows[i]!, { problems: [], ...(link.threat_type !== null && { threat: link.threat_type }) });
        }
      } catch (error) {
        const refused = error instanceof ApiError ? refusedRows(error, rows, links) : [];
        if (refused.length === 0) throw error;
        for (const { row, problems } of refused) verdicts.set(row, { problems });
        open = rows.filter((row) => !verdicts.has(row));
      }
    }
    onProgress(Math.min(from + size, links.length));
  }
  return links.map((_link, row) => verdicts.get(row) ?? { problems: [] });
}

/** The server finds duplicates only within one batch, so the dashboard looks for them in the whole list. */
function repeatedSlugs(links: readonly NewLink[], places: readonly string[]): Map<number, Verdict> {
  const first = new Map<string, number>();
  const verdicts = new Map<number, Verdict>();
  for (const [row, link] of links.entries()) {
    const slug = link?.custom_slug;
    if (typeof slug !== 'string') continue;
    const earlier = first.get(slug);
    if (earlier === undefined) first.set(slug, row);
    else {
      const [kind = '', number = ''] = places[earlier]!.split(' ');
      verdicts.set(row, { problems: [], own: fill(words.many.repeated, { kind, number }) });
    }
  }
  return verdicts;
}

export const isBad = ({ problems, own }: Verdict) => problems.length > 0 || own !== undefined;
