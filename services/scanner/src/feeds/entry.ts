/** What a line of a feed names in any format: a whole host, or one URL. */
import { canonicalUrl } from '../urls/canonical-url.ts';
import { isPublicSuffix } from '../urls/hosts.ts';

export interface FeedEntry {
  readonly host: string;
  /** Path and query; undefined for the whole host. */
  readonly path: string | undefined;
}

/** A line that is not blank. `problem` is why it could not be read. */
export interface FeedLine {
  readonly number: number;
  readonly text: string;
  readonly entries: readonly FeedEntry[];
  readonly problem?: string;
}

export type FeedParser = (content: string) => Generator<FeedLine>;

/** The Safe Browsing expression by which a scan finds the entry. */
export function entryExpression({ host, path }: FeedEntry): string {
  return host + (path ?? '/');
}

/** A longer line cannot name the URL of a link. */
const LONGEST_ENTRY = 8_192;
/** DNS has no longer names, nor labels of more than 63 characters. */
const LONGEST_NAME = 253;
const HOST = /^(?:[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*|\[[0-9a-f:.]+\])$/;

/** Parses a host name or an IP address, without scheme, port or path. Undefined if it is neither. */
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

/** Parses a URL. Without a scheme, its host must be a full name. A bare host stands for the whole host. */
export function urlEntry(text: string): FeedEntry | undefined {
  if (text.length > LONGEST_ENTRY || /\s/.test(text)) return undefined;
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(text);
  if (hasScheme && !/^https?:/i.test(text)) return undefined;
  const url = URL.parse(hasScheme ? text : `http://${text}`);
  // Through the WHATWG form, like every scanned URL: the two must agree.
  const canonical = url === null ? undefined : canonicalUrl(url.href);
  if (canonical === undefined || canonical.host.length > LONGEST_NAME || !HOST.test(canonical.host)) return undefined;
  if (!hasScheme && !isFullName(canonical.host)) return undefined;
  const path = canonical.path + canonical.query;
  return { host: canonical.host, path: path === '/' ? undefined : path };
}

/** Not a plain word. Accepts a public suffix, so that the guards can refuse it by name. */
function isFullName(host: string): boolean {
  return host.includes('.') || host.startsWith('[') || isPublicSuffix(host);
}

/** Lines that are not blank, with their numbers. What is trimmed includes a BOM, and the CR of CRLF. */
export function* linesOf(content: string): Generator<{ number: number; text: string }> {
  for (const [at, line] of content.split('\n').entries()) {
    const text = line.trim();
    if (text !== '') yield { number: at + 1, text };
  }
}

export function understood(line: { number: number; text: string }, entries: readonly FeedEntry[]): FeedLine {
  return { ...line, entries };
}

export function misunderstood(line: { number: number; text: string }, problem: string): FeedLine {
  return { ...line, entries: [], problem };
}
