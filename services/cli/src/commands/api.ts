import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { safeJson, safeText, UsageError } from '@waypost/command-line';
import { addCommand, many, value } from '../program.ts';
import type { Session } from '../session.ts';
import type { Look } from '../show.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export function addApi(program: Command, { connect, print, terminal }: Session): void {
  addCommand(
    program,
    'api <METHOD> <PATH>',
    'Send a request to any endpoint of the API and print the response as JSON. The page /docs lists the endpoints. A PATH without a leading slash is relative to /api/v1/.',
    [
      'waypost api GET links -f status=flagged -f limit=100',
      'waypost api PUT webhooks/ID --body webhook.json',
      'echo \'{"destination_url":"https://www.wikipedia.org/"}\' | waypost api POST links --body -',
    ],
  )
    .summary('Send a request to any endpoint of the API.')
    .addOption(many('-f, --field <NAME=VALUE>', 'A query parameter for GET, otherwise a field of the body.'))
    .addOption(value('--body <FILE>', 'Read the JSON body from a file (- for stdin).'))
    .action(async (method, path, options) => {
      const { field = [], body: file } = options;
      const verb = METHODS.find((each) => each === method.toUpperCase());
      if (verb === undefined) throw new UsageError(`METHOD must be one of ${METHODS.join(', ')}.`);
      if (file !== undefined && (verb === 'GET' || field.length > 0))
        throw new UsageError('--body requires POST, PUT, PATCH or DELETE, and cannot be combined with --field.');
      const fields = field.map(pairOf);
      const body = file === undefined ? bodyOf(fields) : await jsonIn(file);
      const address = path.startsWith('/') ? path : `/api/v1/${path}`;
      const request = verb === 'GET' ? { query: queryOf(fields) } : { body };
      print(options, await connect(options).request(verb, address, request), jsonWords);
    });

  async function jsonIn(file: string): Promise<unknown> {
    try {
      return JSON.parse(String(file === '-' ? await terminal.readStdin() : await readFile(file)));
    } catch (error) {
      throw new UsageError(`${file} is not readable JSON: ${(error as Error).message}.`);
    }
  }
}

/** On a terminal it has many lines; else it is one, as with `--json`. */
function jsonWords(answer: unknown, { columns }: Look): string {
  return columns === undefined
    ? safeJson(answer)
    : JSON.stringify(answer, undefined, 2).split('\n').map(safeText).join('\n');
}

function pairOf(field: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(field) ?? [];
  if (name === undefined || value === undefined) throw new UsageError('--field must be NAME=VALUE.');
  return [name, value];
}

type Pairs = readonly (readonly [name: string, value: string])[];

const queryOf = (fields: Pairs): Record<string, string[]> =>
  Object.fromEntries(
    fields.map(([name]) => [name, fields.filter(([each]) => each === name).map(([, value]) => value)]),
  );

/** `tags[]=a` is an element of the list `tags`. Undefined if there is no field. */
function bodyOf(fields: Pairs): Record<string, string | string[]> | undefined {
  if (fields.length === 0) return undefined;
  return Object.fromEntries(
    Object.entries(queryOf(fields)).map(([name, values]) =>
      name.endsWith('[]') ? [name.slice(0, -2), values] : [name, values.at(-1)!],
    ),
  );
}
