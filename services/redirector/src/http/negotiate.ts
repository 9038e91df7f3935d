/** Content negotiation: HTML or JSON, and the language. */
import { LANGUAGES, type Language } from './words/index.ts';

/** Browsers send less; the rest of a longer header is not read. */
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
  const requested = new URLSearchParams(query.slice(0, READ_MAX)).get('lang')?.toLowerCase();
  if (isLanguage(requested)) return requested;
  let best: Language = 'en';
  let bestQuality = 0;
  for (const { value, quality } of weighted(acceptLanguage ?? '')) {
    const language = value === '*' ? 'en' : value.split('-')[0];
    if (quality > bestQuality && isLanguage(language)) {
      best = language;
      bestQuality = quality;
    }
  }
  return best;
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

function weighted(header: string): { value: string; quality: number }[] {
  return header
    .slice(0, READ_MAX)
    .split(',')
    .map((item) => {
      const [value = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      const q = parameters.find((parameter) => parameter.startsWith('q='));
      return { value, quality: q === undefined ? 1 : qualityOf(q.slice(2)) };
    });
}

function qualityOf(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}

function isLanguage(text: string | undefined): text is Language {
  return (LANGUAGES as readonly (string | undefined)[]).includes(text);
}
