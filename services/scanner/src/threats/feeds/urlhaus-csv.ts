import { type FeedLine, feedLine, linesOf, urlEntry } from './entry.ts';

/** The column of `url`, unless the header names another: `# id,dateadded,url,url_status,…`. */
const URL_COLUMN = 2;

/** Format `urlhaus-csv`: the dumps of urlhaus.abuse.ch, with quoted fields and a commented header. */
export function* urlhausCsv(content: string): Generator<FeedLine> {
  let column = URL_COLUMN;
  for (const line of linesOf(content)) {
    const header = headerOf(line.text);
    if (header?.includes('url')) {
      column = header.indexOf('url');
      continue;
    }
    if (line.text.startsWith('#')) continue;
    const field = fieldsOf(line.text)?.[column];
    const entry = field === undefined ? undefined : urlEntry(field);
    yield feedLine(line, entry && [entry], `no URL in field ${column + 1}`);
  }
}

function headerOf(text: string): string[] | undefined {
  const names = text.replace(/^#?\s*/, '');
  return names.startsWith('id,') ? names.split(',') : undefined;
}

/** RFC 4180 without line breaks inside fields. Undefined if the quotes do not close. */
function fieldsOf(text: string): string[] | undefined {
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  while (field.lastIndex < text.length) {
    const match = field.exec(text);
    if (match === null) return undefined;
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2]!);
    if (match[3] === '') break;
  }
  return fields;
}
