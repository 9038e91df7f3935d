/**
 * For each service, the columns or properties that contain the fields of a link. Names are compared without case and
 * punctuation, so that `Long URL`, `long_url` and `longUrl` are equal.
 */
import type { SourceName } from './names.ts';
import { millisecondsOf, notADate, type RawRow, type Row, rowOf, type UnreadableRow } from './rows.ts';

type Field = 'slug' | 'destination' | 'createdAt' | 'tags' | 'clicks' | 'days' | 'status';

export interface Source {
  /** If a row has several of these names, the first is used. `a.b` is the property `b` of the property `a`. */
  readonly fields: Readonly<Partial<Record<Field, readonly string[]>>>;
  /** The slug is part of a complete short URL. */
  readonly shortUrls?: true;
  /** Tags may be a JSON list, and `|` does not separate tags. */
  readonly jsonTags?: true;
  /** A link is closed if one of these fields is set; an expiry closes it once it has passed. */
  readonly closed?: Readonly<Record<string, string>>;
  /** The path of the entries in the JSON, if it is not simply an array of entries. */
  readonly entries: readonly string[];
}

const NO: ReadonlySet<string> = new Set(['', '0', 'f', 'false', 'n', 'no', 'null', '\\n']);
const PASSWORD = 'the source asks for a password, and Waypost would let everybody through';
const EXPIRED = 'it has expired at the source';
const DISABLED = 'it is disabled at the source';

export const sources: Readonly<Record<SourceName, Source>> = {
  // "Export" of the links of a group, or the API's GET /groups/{group_guid}/bitlinks.
  bitly: {
    fields: {
      slug: ['custom bitlink', 'custom link', 'bitlink', 'short url', 'short link', 'link', 'id'],
      destination: ['long url', 'destination url', 'original url', 'long link'],
      createdAt: ['created', 'created at', 'date created', 'created date'],
      tags: ['tags'],
      clicks: ['total clicks', 'clicks', 'total engagements', 'engagements'],
    },
    shortUrls: true,
    entries: ['links'],
  },
  // The table yourls_url as CSV, or action=stats of the API as JSON.
  yourls: {
    fields: {
      slug: ['keyword', 'shorturl'],
      destination: ['url', 'longurl'],
      createdAt: ['timestamp'],
      clicks: ['clicks'],
    },
    shortUrls: true,
    entries: ['links'],
  },
  // The API's GET /links, or the table `links` as CSV.
  kutt: {
    fields: {
      slug: ['address'],
      destination: ['target'],
      createdAt: ['created at'],
      clicks: ['visit count'],
    },
    closed: { password: PASSWORD, banned: 'it is banned at the source', 'expire in': EXPIRED },
    entries: ['data'],
  },
  // The API's GET /short-urls, or the CSV of its web client.
  shlink: {
    fields: {
      slug: ['short code'],
      destination: ['long url'],
      createdAt: ['date created', 'created at'],
      tags: ['tags'],
      clicks: ['visits summary.total', 'visits count', 'visits'],
    },
    closed: { 'meta.validUntil': EXPIRED },
    entries: ['shortUrls.data', 'data'],
  },
  // "Export links" as CSV, or the API's GET /links.
  dub: {
    fields: {
      slug: ['short link', 'link', 'key'],
      destination: ['destination url', 'url'],
      createdAt: ['created at'],
      tags: ['tags'],
      clicks: ['clicks'],
    },
    shortUrls: true,
    closed: { password: PASSWORD, 'expires at': EXPIRED, 'disabled at': DISABLED },
    entries: ['links'],
  },
  // The export of its dashboard, or of Cloudflare's KV: [{ "key": "link:SLUG", "value": "{…}" }].
  sink: {
    fields: { slug: ['slug'], destination: ['url'], createdAt: ['created at'], tags: ['tags'] },
    closed: { password: PASSWORD, expiration: EXPIRED },
    entries: ['links', 'data'],
  },
  // `waypost export` also writes this format.
  csv: {
    fields: {
      slug: ['slug'],
      destination: ['destination url'],
      createdAt: ['created at'],
      tags: ['tags'],
      clicks: ['clicks'],
      days: ['clicks by day'],
      status: ['status'],
    },
    jsonTags: true,
    // JSON in this format is JSON lines or an array, so no path is needed.
    entries: [],
  },
};

export const nameOf = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

export function isHeader({ fields }: Source, names: readonly string[]): boolean {
  const has = (columns: readonly string[] = []) => columns.some((name) => names.includes(nameOf(name)));
  return has(fields.slug) && has(fields.destination);
}

export function expectedHeader({ fields }: Source): string {
  return `${(fields.slug ?? []).join(' or ')}, and ${(fields.destination ?? []).join(' or ')}`;
}

export function readRow(
  source: Source,
  line: number,
  value: (path: readonly string[]) => unknown,
  now: Date,
): Row | UnreadableRow {
  const find = (names: readonly string[] = []) =>
    names
      .map((name) => value(name.split('.').map(nameOf)))
      .find((value) => value !== undefined && value !== null && value !== '');
  const { fields } = source;
  const raw: RawRow = {
    line,
    slug: slugIn(textOf(find(fields.slug)), source),
    destination: textOf(find(fields.destination)),
    createdAt: textOf(find(fields.createdAt)),
    tags: tagsOf(find(fields.tags), source),
    clicks: textOf(find(fields.clicks)),
    days: textOf(find(fields.days)),
    closed: closedBy(source, (name) => find([name]), textOf(find(fields.status)), now),
  };
  return rowOf(raw, now);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

/** Returns `abc` for `https://bit.ly/abc` and for `bit.ly/abc`. */
function slugIn(text: string, { shortUrls }: Source): string {
  if (!shortUrls) return text;
  const [, scheme, host = '', slug] = /^(https?:\/\/)?([^/?#]*)(?:\/([^?#]*))?/i.exec(text)!;
  return slug ?? (scheme === undefined ? host : '');
}

function tagsOf(value: unknown, { jsonTags }: Source): string[] {
  const text = textOf(value);
  const list = Array.isArray(value) ? value : ((jsonTags && jsonList(text)) ?? text.split(jsonTags ? /[,;]/ : /[,;|]/));
  return list
    .map((tag: unknown) => textOf(typeof tag === 'object' && tag !== null && 'name' in tag ? tag.name : tag))
    .filter((tag) => tag !== '');
}

function jsonList(text: string): unknown[] | undefined {
  if (!text.startsWith('[')) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function closedBy(
  { closed = {} }: Source,
  find: (name: string) => unknown,
  status: string,
  now: Date,
): string | undefined {
  if (status !== '' && status !== 'active') return `it is ${status.slice(0, 50)} at the source`;
  for (const [name, why] of Object.entries(closed)) {
    const value = find(name);
    const text = textOf(value);
    if (value !== true && NO.has(text.toLowerCase())) continue;
    if (why !== EXPIRED) return why;
    const at = millisecondsOf(text);
    if (Number.isNaN(at)) return notADate(name.replaceAll(' ', '_'));
    if (at <= now.getTime()) return why;
  }
  return undefined;
}
