/** Content negotiation: HTML or JSON, and the language. */
import { languageOf as bestLanguage, type Language, weighted } from '@waypost/html';

/** Our own links need less; the rest of a longer query is not read. */
const READ_MAX = 1_024;

/** Whether `Accept` prefers JSON to HTML. A tie goes to the more specific range, else to HTML. */
export function prefersJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const json = preference(accept, ['application/json', 'application/*', '*/*']);
  const html = preference(accept, ['text/html', 'text/*', '*/*']);
  if (json.quality !== html.quality) return json.quality > html.quality;
  return json.quality > 0 && json.exactness > html.exactness;
}

/** `?lang=` if it names a supported language, else the best of `Accept-Language`, else English. */
export function languageOf(query: string, acceptLanguage: string | undefined): Language {
  const requested = new URLSearchParams(query.slice(0, READ_MAX)).get('lang') ?? undefined;
  return bestLanguage(requested, acceptLanguage);
}

/** The most specific range decides, whatever the others say (RFC 9110, 12.5.1). */
function preference(accept: string, ranges: readonly string[]): { quality: number; exactness: number } {
  const accepted = weighted(accept);
  for (const [index, range] of ranges.entries()) {
    const match = accepted.find(({ value }) => value === range);
    if (match !== undefined) return { quality: match.quality, exactness: ranges.length - index };
  }
  return { quality: 0, exactness: 0 };
}
