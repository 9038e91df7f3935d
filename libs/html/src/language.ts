import { readFileSync } from 'node:fs';
import { type Html, html, NOTHING, trusted } from './html.ts';

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Written {
  /** The name of the language in the language itself. */
  readonly name: string;
  readonly direction: 'ltr' | 'rtl';
}

export const WRITTEN: Readonly<Record<Language, Written>> = {
  en: { name: 'English', direction: 'ltr' },
  de: { name: 'Deutsch', direction: 'ltr' },
  fr: { name: 'Français', direction: 'ltr' },
  es: { name: 'Español', direction: 'ltr' },
  pt: { name: 'Português', direction: 'ltr' },
  ja: { name: '日本語', direction: 'ltr' },
  ar: { name: 'العربية', direction: 'rtl' },
};

/** Reads the texts of pages from `en.json` and so on in `folder`. Call this once, at the start. */
export const textsIn = <Texts>(folder: URL): Readonly<Record<Language, Texts>> =>
  Object.fromEntries(
    LANGUAGES.map((language) => [language, JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8'))]),
  ) as Record<Language, Texts>;

/** Browsers send shorter headers, so the rest of a longer header is ignored. */
const READ_MAX = 1_024;

/** Returns `requested` if it is supported, else the best match of `Accept-Language`, else English. */
export function languageOf(requested: string | undefined, acceptLanguage: string | undefined): Language {
  const wish = requested?.toLowerCase();
  if (isLanguage(wish)) return wish;
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

/** Parses a header such as `Accept` or `Accept-Language`. The values are in lower case. */
export function weighted(header: string): { value: string; quality: number }[] {
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

const CURRENT = html` aria-current="true"`;

/**
 * A single letter beyond Latin-1 would double the memory of each page and the cost of encoding it. Character references
 * avoid this.
 */
const NAMED = LANGUAGES.map((code) => {
  const letters = [...WRITTEN[code].name].map((letter) => (letter > 'ÿ' ? `&#${letter.codePointAt(0)};` : letter));
  return { code, name: trusted(letters.join('')) };
});

/** List items with links to the page in each language. `query` is the rest of the query string, with its `&`. */
export function languageItems(current: Language, query = ''): readonly Html[] {
  return NAMED.map(
    ({ code, name }) =>
      html`<li><a href="?${query}lang=${code}" hreflang="${code}" lang="${code}"${code === current ? CURRENT : NOTHING}>${name}</a></li>`,
  );
}
