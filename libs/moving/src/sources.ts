/**
 * For each service, the columns or properties that contain the fields of a link. Names are compared without case and
 * punctuation, so that `Long URL`, `long_url` and `longUrl` are equal.
 */
import { jsonList } from '@waypost/links-file';
import type { SourceName } from './names.ts';
import { type RawRow, type ReadRow, rowOf, type UnreadableRow } from './rows.ts';

type Field = Exclude<keyof RawRow, 'line' | 'closed' | 'loss'> | 'otherSlugs' | 'status';

export interface Source {
  /** If a row has several of these names, the first is used. `a.b` is the property `b` of the property `a`. */
  readonly fields: Readonly<Partial<Record<Field, readonly string[]>>>;
  /** The slug is part of a short URL: all of its path, or the last part if the service may be in a folder. */
  readonly shortUrls?: 'path' | 'last part';
  /** The format of Waypost: `|` does not separate tags, and a tag may be called `null`. */
  readonly own?: true;
  /** A link is closed if one of these fields is set. */
  readonly closed?: Readonly<Record<string, string>>;
  /** If one of these fields is set, some visitors get to another destination. */
  readonly targets?: readonly string[];
  /** The path of the entries in the JSON, if it is not simply an array of entries. */
  readonly entries: readonly string[];
}

const NO: ReadonlySet<string> = new Set(['', '0', 'f', 'false', 'n', 'no', '[]', '{}']);
/** What databases and json-2-csv (Dub) write in CSV for a missing value. */
const NULL = /^(?:null|undefined|\\n)$/i;
const PASSWORD = 'it has a password at the source, which Waypost does not support';
const TARGETS =
  'at the source, some visitors are redirected elsewhere (by device, country or a rule); here, all are redirected to this destination';

export const sources: Readonly<Record<SourceName, Source>> = {
  // The API's GET /groups/{group_guid}/bitlinks, or "Export" of the links of a group. The first back-half of a link
  // (`link`) works beside all later ones (`custom_bitlinks`).
  bitly: {
    fields: {
      slug: ['bitlink', 'short url', 'short link', 'link', 'id'],
      otherSlugs: ['custom bitlinks', 'custom bitlink', 'custom link'],
      destination: ['long url', 'destination url', 'original url', 'long link'],
      createdAt: ['created', 'created at', 'date created', 'created date'],
      endsAt: ['expiration at'],
      tags: ['tags'],
      title: ['title'],
      clicks: ['total clicks', 'clicks', 'total engagements', 'engagements'],
    },
    shortUrls: 'path',
    closed: { 'is deleted': 'it is deleted at the source' },
    targets: ['deeplinks', 'dynamic routing'],
    entries: ['links'],
  },
  // The table yourls_url as CSV, action=stats of the API as JSON, or what plugins answer for action=list.
  yourls: {
    fields: {
      slug: ['keyword', 'shorturl'],
      destination: ['url', 'longurl'],
      createdAt: ['timestamp'],
      title: ['title'],
      clicks: ['clicks'],
    },
    shortUrls: 'last part',
    entries: ['links', 'result'],
  },
  // The API's GET /links, or the table `links` as CSV.
  kutt: {
    fields: {
      slug: ['address'],
      destination: ['target'],
      createdAt: ['created at'],
      endsAt: ['expire in'],
      note: ['description'],
      clicks: ['visit count'],
    },
    closed: { password: PASSWORD, banned: 'it is blocked at the source' },
    entries: ['data'],
  },
  // The API's GET /short-urls, or the CSV of its web client. A short code can contain "/", so all of it counts.
  shlink: {
    fields: {
      slug: ['short code'],
      destination: ['long url'],
      createdAt: ['date created', 'created at'],
      startsAt: ['meta.validSince'],
      endsAt: ['meta.validUntil'],
      maxVisits: ['meta.maxVisits'],
      tags: ['tags'],
      title: ['title'],
      clicks: ['visits summary.total', 'visits count', 'visits'],
    },
    targets: ['has redirect rules', 'device long urls'],
    entries: ['shortUrls.data', 'data'],
  },
  // "Export links" as CSV, or the API's GET /links. A key can contain "/", so all of it counts.
  dub: {
    fields: {
      slug: ['short link', 'link', 'key'],
      destination: ['destination url', 'url'],
      createdAt: ['created at'],
      endsAt: ['expires at'],
      tags: ['tags'],
      title: ['title'],
      note: ['comments'],
      clicks: ['clicks'],
    },
    shortUrls: 'path',
    closed: { password: PASSWORD, 'disabled at': 'it is disabled at the source' },
    targets: ['ios', 'android', 'geo', 'test variants'],
    entries: ['links'],
  },
  // The API's GET /api/links. A path can contain "/", so all of it counts.
  shortio: {
    fields: {
      slug: ['path'],
      destination: ['original url'],
      createdAt: ['created at'],
      endsAt: ['expires at'],
      maxVisits: ['clicks limit'],
      tags: ['tags'],
      title: ['title'],
    },
    closed: { password: PASSWORD, 'has password': PASSWORD },
    targets: ['iphone url', 'android url', 'split url'],
    entries: ['links'],
  },
  // The export of its dashboard, or of Cloudflare's KV: [{ "key": "link:SLUG", "value": "{…}" }].
  sink: {
    fields: {
      slug: ['slug'],
      destination: ['url'],
      createdAt: ['created at'],
      endsAt: ['expiration'],
      tags: ['tags'],
      title: ['title'],
      note: ['comment'],
    },
    closed: { password: PASSWORD, unsafe: 'the source warns visitors about it' },
    targets: ['apple', 'google', 'geo'],
    entries: ['links', 'data'],
  },
  // `waypost export` also writes this format.
  csv: {
    fields: {
      slug: ['slug'],
      destination: ['destination url'],
      createdAt: ['created at'],
      endsAt: ['ends at'],
      tags: ['tags'],
      title: ['title'],
      note: ['note'],
      clicks: ['clicks'],
      days: ['clicks by day'],
      status: ['status'],
    },
    own: true,
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

/** Yields one row for each slug of the link. Only the first has the clicks. */
export function* readRows(
  source: Source,
  line: number,
  value: (path: readonly string[]) => unknown,
  now: Date,
): Generator<ReadRow | UnreadableRow> {
  const { fields } = source;
  const isMissing = (value: unknown) =>
    value === undefined || value === null || value === '' || (!source.own && NULL.test(textOf(value)));
  const find = (names: readonly string[] = []) =>
    names.map((name) => value(name.split('.').map(nameOf))).find((value) => !isMissing(value));
  const text = (field: Field) => textOf(find(fields[field]));
  const limit = (field: Field) => ({
    name: (fields[field]?.[0] ?? '').replaceAll(' ', '_'),
    text: isSet(find(fields[field])) ? text(field) : '',
  });
  const slugs = new Set(
    [...listIn(find(fields.otherSlugs), /,/), text('slug')].map((each) => slugIn(each, source)).filter(Boolean),
  );
  const raw = {
    line,
    destination: text('destination'),
    createdAt: text('createdAt'),
    startsAt: limit('startsAt'),
    endsAt: limit('endsAt'),
    maxVisits: limit('maxVisits'),
    tags: listIn(find(fields.tags), source.own ? /[,;]/ : /[,;|]/),
    title: text('title'),
    note: text('note'),
    closed: closedBy(source, (name) => find([name]), text('status')),
    loss: source.targets?.some((name) => isSet(find([name]))) ? TARGETS : undefined,
  };
  let counted = { clicks: text('clicks'), days: text('days') };
  for (const slug of slugs.size === 0 ? [''] : slugs) {
    yield rowOf({ ...raw, ...counted, slug }, now);
    counted = { clicks: '', days: '' };
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : '';
}

function isSet(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === true || !NO.has(textOf(value).toLowerCase());
  return Object.values(value).some((inner) => inner !== null && inner !== '');
}

/** Returns `abc` for `https://bit.ly/abc` and for `bit.ly/abc`. */
function slugIn(text: string, { shortUrls }: Source): string {
  if (shortUrls === undefined) return text;
  const [, scheme, host = '', path] = /^(https?:\/\/)?([^/?#]*)(?:\/([^?#]*))?/i.exec(text)!;
  const parts = (path ?? (scheme === undefined ? host : '')).split('/').filter((part) => part !== '');
  return (shortUrls === 'path' ? parts : parts.slice(-1)).join('/');
}

/** Reads a list, a list as JSON text, or texts between separators. */
function listIn(value: unknown, separator: RegExp): string[] {
  const text = textOf(value);
  const list = Array.isArray(value) ? value : (jsonList(text) ?? text.split(separator));
  return list
    .map((item: unknown) => textOf(typeof item === 'object' && item !== null && 'name' in item ? item.name : item))
    .filter((item) => item !== '');
}

function closedBy({ closed = {} }: Source, find: (name: string) => unknown, status: string): string | undefined {
  if (status !== '' && status !== 'active') return `it is ${status.slice(0, 50)} at the source`;
  return Object.entries(closed).find(([name]) => isSet(find(name)))?.[1];
}
