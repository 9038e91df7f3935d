/**
 * The pages that a visitor sees instead of a destination, and their JSON form. They have no script and load nothing.
 * Every value is treated as hostile and escaped. The destination is shown as text, never as a link.
 */
import type { RedirectRecord, ThreatType } from '@waypost/domain';
import {
  escapeHtml,
  type Html,
  type HtmlValue,
  html,
  page as htmlPage,
  LANGUAGES,
  type Language,
  languageItems,
  MARK,
  NOTHING,
  stylesheet,
  trusted,
} from '@waypost/html';
import { PICTURES } from './page-pictures.ts';
import { plain, rich, WORDS, type Words } from './words.ts';

export type Page =
  | { readonly kind: 'preview'; readonly record: RedirectRecord; readonly location: string }
  | { readonly kind: 'revoked' | 'flagged'; readonly record: RedirectRecord }
  /** The page shows `requested`; the JSON form names `slug`. */
  | { readonly kind: 'not_found' | 'unavailable'; readonly requested: string; readonly slug: string }
  | { readonly kind: 'home' };

export const PAGE_STATUS: Readonly<Record<Page['kind'], number>> = {
  preview: 200,
  home: 200,
  flagged: 403,
  not_found: 404,
  revoked: 410,
  unavailable: 503,
};

export interface PageView {
  readonly language: Language;
  /** `REDIRECT_BASE_URL` without a trailing slash. */
  readonly baseUrl: string;
  /** The base URL of the API, where visitors report links, without a trailing slash. Undefined if there is none. */
  readonly reportBaseUrl?: string | undefined;
  /** Unix milliseconds. Texts like "14 minutes ago" need it. */
  readonly now: number;
}

/** The JSON form of a page. Clients rely on exactly these keys (docs/contract.md, Redirects). */
export interface PageJson {
  readonly slug: string | null;
  readonly status: string;
  readonly threat_type: ThreatType | null;
  readonly destination_url: string | null;
  readonly revoked_at: string | null;
  readonly scanned_at: string | null;
  readonly message: string;
}

export function pageJson(page: Page, view: PageView): PageJson {
  const record = 'record' in page ? page.record : undefined;
  return {
    slug: record?.slug ?? ('slug' in page ? page.slug : null),
    status: record?.status ?? page.kind,
    threat_type: record?.threatType ?? null,
    destination_url: page.kind === 'preview' ? page.record.destinationUrl : null,
    revoked_at: record?.revokedAt ?? null,
    scanned_at: record?.scannedAt ?? null,
    message: message(page, view),
  };
}

export const STYLE = stylesheet(new URL('./visitor-page.css', import.meta.url));

/** Returns at most 8 kB. */
export function pageHtml(page: Page, view: PageView): string {
  const { language } = view;
  const words = WORDS[language];
  const { host } = new URL(view.baseUrl);
  const { title, body } = content(page, view, words);
  return htmlPage({
    language,
    title: `${title} · ${host}`,
    style: STYLE,
    body: html`
<header>${MARK}<bdi>${host}</bdi></header>
<main>${body}${further(page, view, words)}</main>
<footer><nav aria-label="${words.label.language}"><ul>${languageItems(language)}</ul></nav></footer>
`,
  });
}

/** Links to the form where a visitor reports this link or asks for a review of its flag. */
function further(page: Page, { reportBaseUrl, language }: PageView, { label }: Words): Html {
  if (reportBaseUrl === undefined || page.kind === 'home' || page.kind === 'unavailable') return NOTHING;
  const about = page.kind === 'flagged' ? 'review' : 'report';
  const link = 'record' in page ? `link=${page.record.slug}&` : '';
  const url = `${reportBaseUrl}/report?${link}about=${about}&lang=${language}`;
  return html`<p class="hint"><a href="${url}" rel="nofollow">${label[about]}</a></p>`;
}

interface Content {
  readonly title: string;
  readonly body: Html;
}

function content(page: Page, view: PageView, words: Words): Content {
  const { label } = words;
  switch (page.kind) {
    case 'revoked': {
      const { whatNow } = words.revoked;
      const { title, text } = hasEnded(page.record) ? words.ended : words.revoked;
      const { revokedAt } = page.record;
      const revokedOn = revokedAt === null ? [] : [rich(view.language, text, { date: day(revokedAt, view.language) })];
      return explained(
        PICTURES.takenDown,
        title,
        [...revokedOn, whatNow],
        [[label.link, shortUrl(page.record.slug, view)]],
      );
    }
    case 'flagged': {
      const type = knownType(page.record, words);
      const { title, suspected, check } = words.flagged;
      return explained(
        PICTURES.barred,
        title,
        [html`${rich(view.language, suspected[type])} ${check}`, ...whatNowAfter(type, words)],
        [
          [label.link, shortUrl(page.record.slug, view)],
          [label.suspected, words.threat[type]],
          [label.checked, age(page.record.scannedAt, view)],
        ],
      );
    }
    case 'not_found': {
      const { title, text, note } = words.notFound;
      return explained(PICTURES.none, title, [text, note], [[label.requested, shortUrl(page.requested, view)]]);
    }
    case 'unavailable': {
      const { title, text } = words.unavailable;
      return explained(PICTURES.unseen, title, [text], [[label.requested, shortUrl(page.requested, view)]]);
    }
    case 'home':
      return explained(PICTURES.up, words.home.title, [words.home.text], []);
    case 'preview':
      return preview(page, view, words);
  }
}

function preview(page: Page & { kind: 'preview' }, view: PageView, words: Words): Content {
  const { slug, scannedAt, endsAt } = page.record;
  const { title, verdict, go, note } = words.preview;
  const ends =
    endsAt === undefined
      ? NOTHING
      : html`<p>${rich(view.language, words.preview.ends, { date: day(endsAt, view.language) })}</p>`;
  const path = new URL(view.baseUrl).pathname.replace(/\/$/, '');
  const body = html`<h1 class="small">${rich(view.language, title, { link: shortUrl(slug, view) })}</h1>
<div class="sign"><strong><bdi>${new URL(page.location).host}</bdi></strong><span><bdi>${destinationText(page.location)}</bdi></span></div><div class="post"></div>
<p class="clean">${rich(view.language, verdict, { age: age(scannedAt, view) })}</p>${ends}
<div class="acts"><a class="btn" href="${path}/${slug}" rel="noreferrer nofollow">${go}</a></div>
<p class="hint">${note}</p>`;
  return { title: plain(view.language, title, { link: shortUrlText(slug, view) }), body };
}

function explained(
  picture: Html,
  title: string,
  paragraphs: readonly HtmlValue[],
  facts: readonly (readonly [label: string, value: HtmlValue])[],
): Content {
  const rows = facts.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`);
  const list = rows.length === 0 ? NOTHING : html`<dl>${rows}</dl>`;
  return { title, body: html`${picture}<h1>${title}</h1>${paragraphs.map((text) => html`<p>${text}</p>`)}${list}` };
}

function message(page: Page, view: PageView): string {
  const words = WORDS[view.language];
  switch (page.kind) {
    case 'revoked': {
      const { revokedAt } = page.record;
      return revokedAt === null
        ? words.revoked.title
        : plain(view.language, (hasEnded(page.record) ? words.ended : words.revoked).text, {
            date: FORMATS.get(view.language)!.day.format(new Date(revokedAt)),
          });
    }
    case 'flagged':
      return `${plain(view.language, words.flagged.suspected[knownType(page.record, words)])} ${words.flagged.check}`;
    case 'not_found':
      return words.notFound.text;
    case 'unavailable':
      return words.unavailable.text;
    case 'home':
      return words.home.text;
    case 'preview':
      return plain(view.language, words.preview.verdict, { age: age(page.record.scannedAt, view) });
  }
}

/** A link is revoked at its end exactly, if nobody revoked it before. */
const hasEnded = ({ revokedAt, endsAt }: RedirectRecord): boolean => revokedAt !== null && revokedAt === endsAt;

/** Another service may know newer threat types. They are shown with the most general text. */
function knownType({ threatType }: RedirectRecord, words: Words): ThreatType {
  return threatType !== null && Object.hasOwn(words.threat, threatType) ? threatType : 'suspicious';
}

function whatNowAfter(type: ThreatType, words: Words): string[] {
  const { password, download } = words.flagged.whatNow;
  if (type === 'phishing' || type === 'scam') return [password];
  return type === 'malware' || type === 'harmful_application' || type === 'unwanted_software' ? [download] : [];
}

function shortUrlText(slug: string, { baseUrl }: PageView): string {
  return `${baseUrl.replace(/^https?:\/\//, '')}/${slug}`;
}

function shortUrl(slug: string, view: PageView): Html {
  return html`<bdi>${shortUrlText(slug, view)}</bdi>`;
}

/** A destination of 2,048 bytes, all of them `&`, grows when it is escaped. The limit keeps the page below 8 kB. */
const DESTINATION_HTML_MAX = 2_100;

function destinationText(location: string): Html {
  let text = '';
  for (const character of location) {
    const escaped = escapeHtml(character);
    if (text.length + escaped.length > DESTINATION_HTML_MAX) return trusted(`${text}…`);
    text += escaped;
  }
  return trusted(text);
}

/** Every language uses Latin digits, as in the addresses around them. English dates have the form 19 August 2026. */
const FORMATS = new Map(
  LANGUAGES.map((language) => {
    const locale = `${language}-u-nu-latn`;
    const day = new Intl.DateTimeFormat(language === 'en' ? 'en-GB' : locale, { dateStyle: 'long', timeZone: 'UTC' });
    return [language, { day, age: new Intl.RelativeTimeFormat(locale) }] as const;
  }),
);

function day(iso: string, language: Language): Html {
  const date = new Date(iso);
  return html`<time datetime="${date.toISOString()}">${FORMATS.get(language)!.day.format(date)}</time>`;
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/**
 * Returns a text like "14 minutes ago". If clocks differ, a time may be in the future, which shows as "1 second ago".
 */
function age(iso: string, { language, now }: PageView): string {
  const seconds = Math.max(1, Math.floor((now - Date.parse(iso)) / 1000));
  const [unit, length] = UNITS.find(([, secondsInUnit]) => seconds >= secondsInUnit) ?? UNITS[3];
  return FORMATS.get(language)!.age.format(-Math.floor(seconds / length), unit);
}
