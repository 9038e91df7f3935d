import { canonicalUrl } from '../../judge/urls/canonical-url.ts';
import { isPublicSuffix } from '../../judge/urls/hosts.ts';

/** A whole host, or one URL. */
export interface FeedEntry {
  readonly host: string;
  /** Path and query; undefined for the whole host. */
  readonly path: string | undefined;
}

export interface NumberedLine {
  readonly number: number;
  readonly text: string;
}

export interface FeedLine extends NumberedLine {
  readonly entries: readonly FeedEntry[];
  readonly problem?: string;
}

export type FeedParser = (content: string) => Generator<FeedLine>;

export function entryExpression({ host, path }: FeedEntry): string {
  return host + (path ?? '/');
}

/** An expression without a host, which no URL has: it concerns this link and no other, at each of our hosts. */
export function ownLinkExpression(slug: string): string {
  return `/${slug}`;
}

const LONGEST_ENTRY = 8_192;
/** The limits of DNS, with 63 characters for a label. */
const LONGEST_NAME = 253;
const HOST = /^(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:.]+\])$/;

/** Undefined if the text is no host name or IP address, or has a scheme, a port or a path. */
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

/** A bare host stands for the whole host. A URL without a scheme must have a full name as its host. */
export function urlEntry(text: string): FeedEntry | undefined {
  if (text.length > LONGEST_ENTRY || /\s/.test(text)) return undefined;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (hasScheme && !/^https?:/i.test(text)) return undefined;
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  // Both a feed and a scan take the WHATWG form, so that they agree.
  const canonical = url === null ? undefined : canonicalUrl(url.href);
  if (canonical === undefined || canonical.host.length > LONGEST_NAME || !HOST.test(canonical.host)) return undefined;
  if (!hasScheme && !isFullName(canonical.host)) return undefined;
  const path = canonical.path + canonical.query;
  return { host: canonical.host, path: path === '/' ? undefined : path };
}

/** Accepts a public suffix, so that the guards can refuse it by name. */
function isFullName(host: string): boolean {
  return host.includes('.') || host.startsWith('[') || isPublicSuffix(host);
}

export function feedLine(line: NumberedLine, entries: readonly FeedEntry[] | undefined, problem: string): FeedLine {
  return entries === undefined ? { ...line, entries: [], problem } : { ...line, entries };
}

/** Trims and skips blank lines. JavaScript's white space includes a BOM. */
export function* linesOf(content: string): Generator<NumberedLine> {
  for (let number = 1, at = 0; at <= content.length; number++) {
    const lineEnd = content.indexOf('\n', at);
    const end = lineEnd < 0 ? content.length : lineEnd;
    const text = content.slice(at, end).trim();
    if (text !== '') yield { number, text };
    at = end + 1;
  }
}
