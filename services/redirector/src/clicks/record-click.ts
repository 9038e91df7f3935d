/**
 * Makes the line of a click for the click log, already encoded for its topic. The line has a keyed hash and the country
 * of the visitor, but not the address.
 */
import { randomUUID } from 'node:crypto';
import { CLICKS, type RedirectRecord, type VisitorSecret } from '@waypost/domain';
import type { CountryOf } from '@waypost/ports';
import { visitorHash } from './visitor-hash.ts';

export interface RecordClickDeps {
  /** Without a secret key, somebody could hash all addresses and find the visitor's. */
  readonly visitorSecret: VisitorSecret;
  readonly countryOf: CountryOf;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** `userAgent` and `referrer` are header values as Node returns them: one character per byte. */
export type RecordClick = (
  link: Pick<RedirectRecord, 'slug' | 'ownerId'>,
  address: string,
  userAgent: string | undefined,
  referrer: string | undefined,
) => string;

const HEADER_MAX = 512;

export function clickRecorder({ visitorSecret, countryOf, now }: RecordClickDeps): RecordClick {
  const hash = visitorHash(visitorSecret.current);
  const previousHash = visitorSecret.previous && visitorHash(visitorSecret.previous);
  const newId = clickIds();
  return ({ slug, ownerId }, address, userAgent, referrer) => {
    const at = now();
    return CLICKS.encode({
      v: 2,
      type: 'click.recorded',
      id: newId(at),
      account_id: ownerId,
      slug,
      at,
      visitor: hash(slug + address),
      previous_visitor: previousHash?.(slug + address),
      country: countryOf(address),
      user_agent: headerText(userAgent),
      referrer: headerText(siteOf(referrer)),
    });
  };
}

/**
 * Makes UUIDv7s: the time, a counter, then 62 random bits, which are new in each millisecond (RFC 9562, 6.2). Random
 * bits for each id take ten times as long. No code relies on the order of ids.
 */
function clickIds(): (at: number) => string {
  let time = Number.NaN;
  let count = 0;
  let [start, end] = ['', ''];
  return (at) => {
    if (at !== time || count === COUNTS.length) {
      const hex = Math.trunc(at).toString(16).padStart(12, '0');
      [time, count, start, end] = [at, 0, `${hex.slice(0, 8)}-${hex.slice(8)}-7`, randomUUID().slice(18)];
    }
    count += 1;
    return start + COUNTS[count - 1] + end;
  };
}

const COUNTS = Array.from({ length: 2 ** 12 }, (_, count) => count.toString(16).padStart(3, '0'));

/**
 * Analytics use only the scheme and host, because the rest of a page's address is private. A referrer without a scheme
 * is ignored.
 */
function siteOf(referrer: string | undefined): string | undefined {
  if (referrer === undefined) return undefined;
  const text = referrer.slice(0, HEADER_MAX);
  const scheme = text.indexOf('://');
  if (scheme === -1) return undefined;
  const start = scheme + 3;
  let host = start;
  let end = start;
  // Every redirect runs this code. A loop costs half as much as a regular expression.
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === SLASH || code === BACKSLASH || code === QUESTION_MARK || code === HASH) break;
    if (code === AT) host = end + 1;
  }
  return host === start ? text.slice(0, end) : text.slice(0, start) + text.slice(host, end);
}

const [SLASH, BACKSLASH, QUESTION_MARK, HASH, AT] = [0x2f, 0x5c, 0x3f, 0x23, 0x40];

/** Returns well-formed text for any header. Browsers send UTF-8, and Node returns it byte by byte. */
function headerText(header = ''): string {
  const start = header.length > HEADER_MAX ? header.slice(0, HEADER_MAX) : header;
  if (Buffer.byteLength(start) === start.length) return start; // the text is ASCII
  const text = Buffer.from(start, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? start.toWellFormed() : text;
}
