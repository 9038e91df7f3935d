/** The languages of the pages that visitors see, and which of them a request gets. */
import { readFileSync } from 'node:fs';
import { type Html, html, NOTHING, trusted } from './html.ts';

export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja', 'ar'] as const;
export type Language = (typeof LANGUAGES)[number];

interface Written {
  /** In the language itself. */
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

/** The texts of pages, `en.json` and so on in `folder`; read once, at the start. */
export const textsIn = <Texts>(folder: URL): Readonly<Record<Language, Texts>> =>
  Object.fromEntries(
    LANGUAGES.map((language) => [language, JSON.parse(readFileSync(new URL(`${language}.json`, folder), 'utf8'))]),
  ) as Record<Language, Texts>;

/** Browsers send less; the rest of a longer header is not read. */
const READ_MAX = 1_024;

/** `requested` if it is a supported language, else the best of `Accept-Language`, else English. */
export function languageOf(requested: string | undefined, acceptLanguage: string | undefined): Language {
  const asked = requested?.toLowerCase();
  if (isLanguage(asked)) return asked;
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

/** The items of an `Accept` header, in lower case. */
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

/** As character references: a single letter past Latin-1 doubles the memory of its page, and what encoding it costs. */
const NAMED = LANGUAGES.map((code) => {
  const letters = [...WRITTEN[code].name].map((letter) => (letter > 'ÿ' ? `&#${letter.codePointAt(0)};` : letter));
  return { code, name: trusted(letters.join('')) };
});

/** Items of a list that lead to the same page in each language; `query` is what else its address has, with its `&`. */
export function languageItems(current: Language, query = ''): readonly Html[] {
  return NAMED.map(
    ({ code, name }) =>
      html`<li><a href="?${query}lang=${code}" hreflang="${code}" lang="${code}"${code === current ? CURRENT : NOTHING}>${name}</a></li>`,
  );
}
