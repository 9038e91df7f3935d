import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { type CheckedMany, type Waypost, WaypostError } from '@waypost/sdk';
import { addCommand } from '../program.ts';
import { type LinksFile, readLinks } from '../read-links.ts';
import type { Session } from '../session.ts';
import { showCreatedMany } from '../show.ts';

/** The most that one request takes. */
const AT_ONCE = 500;

const HELP = `Make many short links. The file (- is stdin) holds one URL a line, CSV with the header destination_url,custom_slug,tags (several tags in one cell: quoted, comma between), JSON lines, or a JSON array.`;

export function addBulk(program: Command, { connect, say, terminal, paint }: Session): void {
  addCommand(program, 'bulk <FILE|->', HELP, ['waypost bulk links.csv --dry-run', 'waypost bulk links.csv'])
    .summary('Make many short links.')
    .option('--dry-run', 'check and scan, but create nothing')
    .action(async (file, options) => {
      const { dryRun = false } = options;
      const list = readLinks(await read(file));
      const api = connect(options);
      const answer = dryRun ? await checkAll(api, list) : await named(list.places, () => api.createMany(list.links));
      say(options, answer, () => showCreatedMany(answer, dryRun, paint));
    });

  async function read(file: string): Promise<Uint8Array> {
    try {
      return file === '-' ? await terminal.readStdin() : await readFile(file);
    } catch (error) {
      throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
    }
  }
}

async function checkAll(api: Waypost, { links, places }: LinksFile): Promise<CheckedMany> {
  const answers: CheckedMany[] = [];
  for (let from = 0; from < links.length; from += AT_ONCE) {
    const to = from + AT_ONCE;
    answers.push(await named(places.slice(from, to), () => api.checkMany(links.slice(from, to))));
  }
  const warnings = answers.flatMap((answer) => answer.warnings ?? []);
  return {
    links: answers.flatMap((answer) => answer.links),
    total_created: 0,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** An error that names `links[3].destination_url` names `line 5, destination_url` instead. */
async function named<T>(places: readonly string[], ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof WaypostError ? inTheFile(error, places) : error;
  }
}

function inTheFile(error: WaypostError, places: readonly string[]): WaypostError {
  const details = Object.entries(error.details).map(([field, problem]) => {
    const [, index, rest] = /^links\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const place = index === undefined ? undefined : places[Number(index)];
    return [
      place === undefined ? field : rest === '' ? place : `${place}, ${rest}`,
      typeof problem === 'string' ? inWords(problem, places) : problem,
    ];
  });
  return new WaypostError(
    inWords(error.message, places),
    { ...error, details: Object.fromEntries(details), cause: error },
    error.tries,
  );
}

function inWords(text: string, places: readonly string[]): string {
  return text.replace(/links\[(\d+)\]\.(\w+)/g, (as, index, field) => {
    const place = places[Number(index)];
    return place === undefined ? as : `${field} of ${place}`;
  });
}
