/** The rows of the INSERT statements in a dump of MySQL, as `mysqldump` and phpMyAdmin write it. */
export interface SqlRow {
  /** Where the row begins, from 1. */
  readonly line: number;
  readonly table: string;
  /** Undefined where the statement does not name them. */
  readonly columns: readonly string[] | undefined;
  /** Null for NULL. */
  readonly values: readonly (string | null)[];
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', 0: '\0', Z: '\x1a' };
const INSERT = /\bINSERT\s+(?:IGNORE\s+)?INTO\s+[`"]?(\w+)[`"]?\s*(?:\(([^()]*)\)\s*)?VALUES\s*$/i;
/** More than any list of columns; what is before it does not matter. */
const HEAD = 8_192;

/** A row longer than `longest` characters is an error. */
export async function* sqlRows(text: AsyncIterable<string>, longest: number): AsyncGenerator<SqlRow> {
  let state: 'statement' | 'rows' | 'row' | 'text' | 'escape' | 'quote' = 'statement';
  let statement = '';
  let insert: Pick<SqlRow, 'table' | 'columns'> = { table: '', columns: undefined };
  let values: (string | null)[] = [];
  let value = '';
  let quoted = false;
  let size = 0;
  let line = 1;
  let begins = 1;

  const endValue = () => {
    values.push(quoted ? value : /^null$/i.test(value.trim()) ? null : value.trim());
    value = '';
    quoted = false;
  };
  for await (const chunk of text) {
    for (const char of chunk) {
      if (char === '\n') line++;
      if (state === 'statement') {
        if (char === '(') {
          const [, table, columns] = INSERT.exec(statement) ?? [];
          if (table !== undefined) {
            insert = {
              table: table.toLowerCase(),
              columns: columns?.split(',').map((name) => name.replace(/[\s`"]/g, '')),
            };
            begins = line;
            size = 0;
            state = 'row';
            continue;
          }
        }
        statement = char === ';' ? '' : statement + char;
        if (statement.length > 2 * HEAD) statement = statement.slice(-HEAD);
        continue;
      }
      if (state === 'rows') {
        if (char === '(') {
          begins = line;
          size = 0;
          state = 'row';
        } else if (char === ';') {
          statement = '';
          state = 'statement';
        }
        continue;
      }
      if (++size > longest) throw new Error(`The row at line ${begins} is longer than ${longest} characters.`);
      if (state === 'escape') {
        value += ESCAPES[char] ?? char;
        state = 'text';
      } else if (state === 'text') {
        if (char === '\\') state = 'escape';
        else if (char === "'") state = 'quote';
        else value += char;
      } else if (state === 'quote' && char === "'") {
        value += char; // doubled
        state = 'text';
      } else {
        state = 'row';
        if (char === "'" && value.trim() === '') {
          value = '';
          quoted = true;
          state = 'text';
        } else if (char === ',') endValue();
        else if (char === ')') {
          endValue();
          yield { ...insert, line: begins, values };
          values = [];
          state = 'rows';
        } else if (!quoted) value += char;
      }
    }
  }
  if (state !== 'statement' && state !== 'rows') throw new Error(`The row at line ${begins} is cut off.`);
}
