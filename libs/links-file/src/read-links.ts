/** Reads new links from a JSON array, JSON lines, CSV with a header, or one link per line. The API validates them. */
import type { NewLink } from '@waypost/sdk';
import { LINK_FIELDS } from '@waypost/sdk/api-types';
import { type CsvRow, LinksFileError, linesIn, parseCsv, tagsOf, unescapedCell, WRONG_QUOTES } from './csv.ts';
import { replacedBy, UTM_FIELDS, utmOf, withUtm } from './utm.ts';

export interface LinksFile {
  readonly links: readonly NewLink[];
  /** For each link its place in the file, such as `line 5`, which errors name. */
  readonly places: readonly string[];
  /** The columns of an export that a new link does not have. */
  readonly ignored: readonly string[];
  /** The number of revoked and flagged links of an export, which are not in `links`. */
  readonly leftOut: number;
  /** The campaign parameters that a row has and its URL had with another value. */
  readonly replaced: readonly string[];
}

interface Row {
  readonly place: string;
  readonly value: unknown;
}

/** What exports of other programs call each field, without white space, case, and punctuation. */
const ALIASES = {
  destination_url: ['destination', 'url', 'longurl', 'longlink', 'originalurl', 'targeturl', 'target'],
  custom_slug: ['slug', 'alias', 'backhalf', 'customback', 'custombackhalf', 'keyword', 'shortlink', 'shorturl'],
  tags: ['tag', 'labels'],
  title: [],
  note: ['notes', 'comment', 'comments', 'description'],
  ends_at: ['ends'],
} satisfies Record<keyof NewLink, readonly string[]>;
const COLUMNS: readonly string[] = [...Object.keys(ALIASES), ...UTM_FIELDS];
const HEADER = COLUMNS.slice(0, 3).join(',');

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
const FIELD_OF = new Map<string, string>([
  ...COLUMNS.map((field) => [plain(field), field] as const),
  ...Object.entries(ALIASES).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
]);

/** What an export says about a link that a new link does not have. */
const STATE: ReadonlySet<string> = new Set(
  [...LINK_FIELDS, 'clicks', 'clicks_by_day'].filter((name) => name !== 'slug' && !Object.hasOwn(ALIASES, name)),
);

/** The text is that of `textOf`, or typed by a person. Throws `LinksFileError`. */
export function readLinks(typed: string): LinksFile {
  const text = typed.replace(/\r\n?/g, '\n');
  const rows = /^\s*[[{]/.test(text) ? readJson(text) : (readCsv(text) ?? readLines(text));
  const active = rows.filter(({ value }) => !isOver(value));
  if (active.length === 0) {
    throw new LinksFileError(
      rows.length === 0 ? 'The list contains no links.' : 'All links in the list are revoked or flagged.',
    );
  }
  const ignored = new Set(rows.flatMap(({ value }) => Object.keys(isRecord(value) ? value : {}).filter(isState)));
  return {
    links: active.map(({ value }) => linkOf(value)),
    places: active.map(({ place }) => place),
    ignored: [...ignored],
    leftOut: rows.length - active.length,
    replaced: [...new Set(active.flatMap(({ value }) => replacedIn(value)))],
  };
}

const isState = (name: string) => STATE.has(name);
const isOver = (value: unknown) => isRecord(value) && (value.status === 'revoked' || value.status === 'flagged');

/** Removes a byte order mark. Excel's "Unicode text" is UTF-16. Throws `LinksFileError`. */
export function textOf(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new LinksFileError('The list must be UTF-8 text.');
  }
}

/** Accepts an array of links or URLs, the body of a request (`{ "links": […] }`), or a page (`{ "data": […] }`). */
function readJson(text: string): Row[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (text.trimStart().startsWith('{')) return readJsonLines(text);
    throw new LinksFileError(`The list is not valid JSON: ${(error as Error).message}.`);
  }
  if (isRecord(value) && 'destination_url' in value) return readJsonLines(text);
  const links = isRecord(value) ? (value.links ?? value.data) : value;
  if (!Array.isArray(links)) throw new LinksFileError('The JSON must be an array of links.');
  return links.map((value, i) => ({ place: `entry ${i + 1}`, value }));
}

function readJsonLines(text: string): Row[] {
  return linesOf(text).map(({ line, place }) => {
    try {
      return { place, value: JSON.parse(line) };
    } catch (error) {
      throw new LinksFileError(`The list is not valid JSON in ${place}: ${(error as Error).message}.`);
    }
  });
}

/** Accepts any value, because the API says what is wrong with it. Campaign parameters become part of the URL. */
function linkOf(value: unknown): NewLink {
  if (typeof value === 'string') return { destination_url: value };
  if (!isRecord(value)) return value as NewLink;
  const { destination_url: url } = value;
  const utm = utmOf(value);
  const fields = Object.entries(value).filter(([name]) => !isState(name) && !(name in utm && typeof url === 'string'));
  return {
    ...Object.fromEntries(fields.map(([name, of]) => [name === 'slug' ? 'custom_slug' : name, of])),
    ...(typeof url === 'string' && { destination_url: withUtm(url, utm) }),
  } as NewLink;
}

function replacedIn(value: unknown): readonly string[] {
  return isRecord(value) && typeof value.destination_url === 'string'
    ? replacedBy(value.destination_url, utmOf(value))
    : [];
}

export const shownUrl = (link: NewLink | undefined): string =>
  typeof link?.destination_url === 'string' ? link.destination_url : (JSON.stringify(link) ?? '');

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Line {
  readonly line: string;
  readonly place: string;
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line, i) => ({ line: line.trim(), place: `line ${i + 1}` }))
    .filter(({ line }) => line !== '');
}

const isComment = (line: string) => line.startsWith('#');

/** Without a header a line is a URL, or a URL with a slug and tags that nobody can take for a part of the URL. */
function readLines(text: string): Row[] {
  return linesOf(text)
    .filter(({ line }) => !isComment(line))
    .map(({ line, place }) => {
      const [url = '', slug = '', tags = '', ...more] = cellsOf(line, place);
      if (more.length > 0)
        throw new LinksFileError(`In ${place}, there are more values than a URL, a slug and tags: ${BEGIN}`);
      if (isUrl(slug)) throw new LinksFileError(`In ${place}, the second value is a URL: ${BEGIN}`);
      return { place, value: { destination_url: url, ...optional({ custom_slug: slug, tags }) } };
    });
}

const BEGIN = `begin the list with the header ${HEADER}.`;
const SEPARATORS = [',', ';', '\t'];

function cellsOf(line: string, place: string): readonly string[] {
  if (line.includes('"')) {
    const readings = SEPARATORS.flatMap((separator) => tryParse(line, separator)).map(({ cells }) => cells);
    const [longest] = readings.sort((a, b) => b.length - a.length);
    if (longest === undefined) throw new LinksFileError(`The quotes of ${place} ${WRONG_QUOTES}`);
    return longest;
  }
  const content = line.replace(/(?<![\s,;])[\s,;]+$/, '');
  // A URL contains no white space, so a separator before white space ends it.
  const end = /\t|[,;](?=\s)/.exec(content);
  if (end !== null) {
    const rest = content.slice(end.index + 1).split(end[0]);
    return [content.slice(0, end.index), ...rest].map((cell) => cell.trim());
  }
  const cell = unclearCell(content);
  if (cell === undefined) return [content];
  if (!content.includes('://')) throw new LinksFileError(`In ${place}, there is neither a URL nor a header: ${BEGIN}`);
  throw new LinksFileError(
    `In ${place}, "${cell}" may be a separate value or a part of the URL. Enclose the URL in quotes, or ${BEGIN}`,
  );
}

const isUrl = (text: string) => /^https?:\/\//i.test(text);

/** Slugs are longer, so `https://example.org/?at=1,2` is one URL. */
const SHORT = 2;

/** Returns what follows a separator in the text and does not look like a part of a URL. */
function unclearCell(text: string): string | undefined {
  for (const separator of [',', ';', /\s/]) {
    const [start = '', ...cells] = text.split(separator);
    const isInQuery = /[?#]/.test(start);
    const isClear = (cell: string) => /[/:?#&=.%@+~!*'()$]/.test(cell) || (isInQuery && cell.length <= SHORT);
    const unclear = cells.find((cell) => isUrl(cell) || !isClear(cell));
    if (unclear !== undefined) return unclear;
  }
  return undefined;
}

function tryParse(line: string, separator: string): CsvRow[] {
  try {
    return parseCsv(line, separator);
  } catch {
    return [];
  }
}

interface Header {
  readonly separator: string;
  readonly names: readonly string[];
  readonly fields: readonly string[];
}

/** Undefined if the line names no column of destinations. The separator is the one that separates the most names. */
function headerOf(line: string): Header | undefined {
  const headers = SEPARATORS.flatMap((separator) => {
    const names = tryParse(line, separator)[0]?.cells ?? [];
    const fields = names.map((name) => FIELD_OF.get(plain(name)) ?? name.toLowerCase());
    return fields.includes('destination_url') ? [{ separator, names, fields }] : [];
  });
  const [header] = headers.sort((a, b) => b.names.length - a.names.length);
  header?.fields.forEach((field, i) => {
    const name = header.names[i]!;
    if (!COLUMNS.includes(field) && !isState(field)) {
      throw new LinksFileError(
        `The CSV has an unknown column "${name}". Its columns may be ${COLUMNS.join(', ')}, each once.`,
      );
    }
    const first = header.fields.indexOf(field);
    if (first !== i)
      throw new LinksFileError(
        `The columns "${header.names[first]}" and "${name}" both stand for ${field}. Remove one.`,
      );
  });
  return header;
}

/** Undefined if the first line that is not empty and no comment is not a header. */
function readCsv(text: string): Row[] | undefined {
  const before = /^(?:[^\S\n]*(?:#.*|sep=.?)?\n)*/i.exec(text)![0];
  const table = text.slice(before.length);
  const header = headerOf(/^.*/.exec(table)![0]);
  if (header === undefined) return undefined;
  const { separator, names, fields } = header;
  const rows = parseCsv(table, separator, linesIn(before) + 1).slice(1);
  return rows.flatMap(({ cells, line, isQuoted }): Row[] => {
    if (cells.length === 0) return [];
    const place = `line ${line}`;
    if (cells.length > names.length) {
      throw new LinksFileError(
        `In ${place}, there are ${cells.length} values, but the header has ${names.length}. Enclose values that contain "${separator}" in quotes.`,
      );
    }
    const unclear = cells.length === 1 && !isQuoted ? unclearCell(cells[0]!) : undefined;
    if (unclear !== undefined) {
      throw new LinksFileError(
        `In ${place}, "${unclear}" may be a separate value or a part of the URL. Separate values with "${separator}", or enclose the URL in quotes.`,
      );
    }
    const cell = (field: string) => unescapedCell(cells[fields.indexOf(field)] ?? '');
    const status = cell('status').toLowerCase();
    if (!['', 'active', 'flagged', 'revoked'].includes(status))
      throw new LinksFileError(`In ${place}, the status must be active, flagged or revoked, not "${status}".`);
    const state = fields.filter(isState).map((field) => [field, field === 'status' ? status : cell(field)]);
    const others = Object.fromEntries(COLUMNS.slice(1).map((field) => [field, cell(field)]));
    const link = { destination_url: cell('destination_url'), ...optional(others) };
    return [{ place, value: { ...Object.fromEntries(state), ...link } }];
  });
}

/** An empty cell is a field that was not given. */
function optional({ tags = '', ...cells }: Readonly<Record<string, string>>) {
  const list = tagsOf(tags);
  const filled = Object.entries(cells).filter(([, cell]) => cell !== '');
  return { ...Object.fromEntries(filled), ...(list.length > 0 && { tags: list }) };
}
