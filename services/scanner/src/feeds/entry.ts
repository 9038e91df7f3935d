/** What one line of a feed names, whatever the format: a whole host, or one URL. */
import { canonicalUrl } from '../urls/canonical-url.ts';
import { isPublicSuffix } from '../urls/hosts.ts';

export interface FeedEntry {
  readonly host: string;
  /** Path and query; undefined for the whole host. */
  readonly path: string | undefined;
}

/** A line with something on it. `problem` says why nothing was understood. */
export interface FeedLine {
  readonly number: number;
  readonly text: string;
  readonly entries: readonly FeedEntry[];
  readonly problem?: string;
}

export type FeedParser = (content: string) => Generator<FeedLine>;

/** The Safe Browsing expression under which the entry is found again. */
export function entryExpression({ host, path }: FeedEntry): string {
  return host + (path ?? '/');
}

/** Longer lines name no URL that a link could have. */
const LONGEST_ENTRY = 8_192;

/** A host name or an IP address, without scheme, port or path. Undefined if it is neither. */
export function hostEntry(text: string): FeedEntry | undefined {
  if (
    text.length > LONGEST_ENTRY ||
    !/^[^\s/?#@\\%]+$/.test(text) ||
    text.includes('..') ||
    (text.includes(':') && !text.startsWith('['))
  )
    return undefined;
  const entry = urlEntry(`http://${text}/`);
  return entry === undefined || !isFullName(entry.host) ? undefined : { host: entry.host, path: undefined };
}

/** A URL; without a scheme too, if its host then is a full name. A bare host stands for all of it. */
export function urlEntry(text: string): FeedEntry | undefined {
  if (text.length > LONGEST_ENTRY || /\s/.test(text)) return undefined;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (hasScheme && !/^https?:/i.test(text)) return undefined;
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  // By way of the WHATWG form, as with every scanned URL: the two must not disagree.
  const canonical = url === null ? undefined : canonicalUrl(url.href);
  if (canonical === undefined || !/^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/.test(canonical.host))
    return undefined;
  if (!hasScheme && !isFullName(canonical.host)) return undefined;
  const path = canonical.path + canonical.query;
  return { host: canonical.host, path: path === '/' ? undefined : path };
}

/** Not a mere word. A suffix is understood, so that the guards can say what it is. */
function isFullName(host: string): boolean {
  return host.includes('.') || host.startsWith('[') || isPublicSuffix(host);
}

/** Lines that are not blank, with their numbers; copes with BOM, CRLF and a missing end of the last line. */
export function* linesOf(content: string): Generator<{ number: number; text: string }> {
  let number = 0;
  for (let start = content.startsWith('\ufeff') ? 1 : 0; start < content.length; ) {
    let end = content.indexOf('\n', start);
    if (end < 0) end = content.length;
    number++;
    const text = content.slice(start, end).trim();
    if (text !== '') yield { number, text };
    start = end + 1;
  }
}

export function understood(line: { number: number; text: string }, entries: readonly FeedEntry[]): FeedLine {
  return { ...line, entries };
}

export function misunderstood(line: { number: number; text: string }, problem: string): FeedLine {
  return { ...line, entries: [], problem };
}
