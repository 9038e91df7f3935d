/**
 * A click as a line of the click log, encoded for its topic, so that the shipper can pass it on as it is. The visitor's
 * address ends here: its keyed hash and its country are all that goes on.
 */
import { randomFillSync } from 'node:crypto';
import { CLICKS } from '@waypost/domain';
import type { CountryOf } from '../country/country-table.ts';
import { visitorHash } from '../visitor-hash.ts';

export interface RecordClickDeps {
  /** Key of the visitor hash: without it an address could be found again by trying all of them. */
  readonly visitorSecret: Buffer;
  readonly countryOf: CountryOf;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** `userAgent` and `referrer` as Node gives header values: one character per byte. */
export type RecordClick = (
  slug: string,
  address: string,
  userAgent: string | undefined,
  referrer: string | undefined,
) => string;

const HEADER_MAX = 512;

export function clickRecorder({ visitorSecret, countryOf, now }: RecordClickDeps): RecordClick {
  const hash = visitorHash(visitorSecret);
  const newId = clickIds();
  return (slug, address, userAgent, referrer) => {
    const at = now();
    return CLICKS.encode({
      v: 2,
      type: 'click.recorded',
      id: newId(at),
      slug,
      at,
      visitor: hash(slug + address),
      country: countryOf(address),
      user_agent: headerText(userAgent),
      referrer: headerText(siteOf(referrer)),
    });
  };
}

/** UUIDv7 from a pool of random bytes: one system call for hundreds of ids. The order of ids is not relied on. */
function clickIds(): (at: number) => string {
  const POOL_BYTES = 8192;
  const ID_DIGITS = 19;
  const bytes = Buffer.allocUnsafe(POOL_BYTES);
  let pool = '';
  let used = 0;
  let millisecond = -1;
  let prefix = '';
  return (at) => {
    if (at !== millisecond) {
      const time = Math.trunc(at).toString(16).padStart(12, '0');
      prefix = `${time.slice(0, 8)}-${time.slice(8)}-7`;
      millisecond = at;
    }
    if (used + ID_DIGITS > pool.length) {
      pool = randomFillSync(bytes).toString('hex');
      used = 0;
    }
    const from = used;
    used += ID_DIGITS;
    const variant = VARIANTS[pool.charCodeAt(from + 3) & 3];
    return `${prefix}${pool.slice(from, from + 3)}-${variant}${pool.slice(from + 4, from + 7)}-${pool.slice(from + 7, from + ID_DIGITS)}`;
  };
}

/** The two fixed bits of a UUID's variant. The low bits of a hex digit's code are spread over 0-9a-f, if not evenly. */
const VARIANTS = ['8', '9', 'a', 'b'] as const;

/** Scheme and host are all that statistics use: the rest of a page's address is nobody's business. */
function siteOf(referrer: string | undefined): string | undefined {
  if (referrer === undefined) return undefined;
  const scheme = referrer.slice(0, HEADER_MAX).indexOf('://');
  const host = scheme === -1 ? 0 : scheme + 3;
  const end = referrer.slice(host, HEADER_MAX).search(/[/\\?#]/);
  return end === -1 ? referrer : referrer.slice(0, host + end);
}

const ASCII = /^[\x00-\x7f]*$/;

/** Well-formed, whatever the header held: browsers that send more than ASCII send UTF-8, which Node shows byte by byte. */
function headerText(header = ''): string {
  const start = header.length > HEADER_MAX ? header.slice(0, HEADER_MAX) : header;
  if (ASCII.test(start)) return start;
  const text = Buffer.from(start, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? start.toWellFormed() : text;
}
