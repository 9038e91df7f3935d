import { languageOf as bestLanguage, type Language, weighted } from '@waypost/html';

/** Our own links have shorter queries. The rest of a longer query is ignored. */
const READ_MAX = 1_024;

/** Returns true if `Accept` prefers JSON to HTML. In a tie the more specific range wins, otherwise HTML. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const json = preference(accept, ['application/json', 'application/*', '*/*']);
  const html = preference(accept, ['text/html', 'text/*', '*/*']);
  if (json.quality !== html.quality) return json.quality > html.quality;
  return json.quality > 0 && json.exactness > html.exactness;
}

/** Returns the language of `?lang=` if it is supported, otherwise the best of `Accept-Language`, otherwise English. */
export function languageOf(query: string, acceptLanguage: string | undefined): Language {
  const requested = new URLSearchParams(query.slice(0, READ_MAX)).get('lang') ?? undefined;
  return bestLanguage(requested, acceptLanguage);
}

/** The most specific range decides, whatever the other ranges say (RFC 9110, 12.5.1). */
function preference(accept: string, ranges: readonly string[]): { quality: number; exactness: number } {
  const accepted = weighted(accept);
  for (const [index, range] of ranges.entries()) {
    const match = accepted.find(({ value }) => value === range);
    if (match !== undefined) return { quality: match.quality, exactness: ranges.length - index };
  }
  return { quality: 0, exactness: 0 };
}
