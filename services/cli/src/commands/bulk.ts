import { readFile } from 'node:fs/promises';
import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { type LinksFile, LinksFileError, readLinks, textOf, withPlaces } from '@waypost/links-file';
import { type CheckedMany, type Waypost, WaypostError } from '@waypost/sdk';
import { type BulkResult, runBulkJob } from '../bulk-job.ts';
import { addCommand, value } from '../program.ts';
import { type CommonOptions, Ended, type Session } from '../session.ts';
import { showCreatedMany } from '../show.ts';

const AT_ONCE = 500;

const HELP = [
  'Create many short links from a file (- for stdin). Formats: CSV with a header: destination_url, then any of custom_slug, tags, title, note, ends_at, utm_source, utm_medium, utm_campaign, utm_term, utm_content (quote a cell with several tags, separated by commas); one link per line (a URL, or a URL, a comma, a space and a slug); JSON lines; a JSON array; an export.',
  'Up to 500 links are sent in one request: either all are created or none. More links are sent in batches, as the quota allows, and a file lists the result of each row. If the command is interrupted, run it again to continue. No link is created twice.',
].join('\n\n');

export function addBulk(program: Command, { connection, connect, print, terminal }: Session): void {
  addCommand(program, 'bulk <FILE|->', HELP, [
    'waypost bulk links.csv --dry-run',
    'waypost bulk links.csv',
    'waypost bulk thousands.csv --wait --results results.csv',
  ])
    .summary('Create many short links.')
    .option('--dry-run', 'Check and scan the links, but create nothing.')
    .addOption(
      value(
        '--results <FILE>',
        'Send batches and write results to this file. Default for more than 500 links: FILE.results.csv.',
      ),
    )
    .option('--wait', 'If the quota is used up, wait for the next hour instead of stopping.')
    .action(async (file, options) => {
      const { dryRun = false } = options;
      const list = linksIn(await read(file));
      const notes = notesOf(list);
      if (notes.length > 0 && !options.json) terminal.err(`${notes.join('\n')}\n`);
      const { url } = connection(options);
      const api = connect(options);
      if (!dryRun && (options.results !== undefined || list.links.length > AT_ONCE)) {
        return job(api, list, file, { ...options, url });
      }
      // JSON output names a fault by `links[3]`, text output by the line of the file.
      const renumber: Renumber = options.json ? withOffset : (from, error) => inTheFile(error, list.places.slice(from));
      const answer = dryRun
        ? await checkAll(api, list, renumber)
        : await withRowNames(renumber, 0, api.createMany(list.links));
      print(options, { ...answer, ...countOf(list) }, (created, look) => showCreatedMany(created, dryRun, look));
    });

  async function job(
    api: Waypost,
    list: LinksFile,
    file: string,
    options: CommonOptions & {
      readonly url: string;
      readonly results?: string | undefined;
      readonly wait?: true | undefined;
    },
  ): Promise<void> {
    const { url, results = `${file}.results.csv`, wait = false } = options;
    if (file === '-' && options.results === undefined) {
      throw new UsageError(
        'More than 500 links from stdin require --results FILE. The progress is stored next to that file.',
      );
    }
    let printed: string | undefined;
    const onProgress = (done: number, until?: string) => {
      if (until !== undefined && wait && until !== printed && !options.json) terminal.err(`${untilThen(until)}\n`);
      printed = until;
      terminal.progress?.(bar(done, list.links.length));
    };
    let result: BulkResult;
    try {
      result = await runBulkJob(api, list, { results, url, wait, onProgress });
    } catch (error) {
      if (error instanceof WaypostError && !options.json) {
        terminal.err('The results so far are stored. Run the same command again to continue.\n');
      }
      throw error;
    } finally {
      terminal.progress?.('');
    }
    print(options, { ...result, ...countOf(list) }, showJob);
    if (result.left > 0) throw new Ended(3);
    if (result.refused + result.lost > 0) throw new Ended(4);
  }

  async function read(file: string): Promise<Uint8Array> {
    try {
      return file === '-' ? await terminal.readStdin() : await readFile(file);
    } catch (error) {
      throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
    }
  }
}

const BAR_COLUMNS = 30;

function bar(done: number, total: number): string {
  const full = Math.floor((done / total) * BAR_COLUMNS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_COLUMNS - full)} ${done} of ${total}`;
}

function untilThen(until: string): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(until) - Date.now()) / 60_000));
  return `The quota is used up. More links can be created at ${until.slice(11, 16)} UTC, in ${minutes} min, or when the quota is raised.`;
}

function showJob({ total, created, refused, lost, left: remaining, go_on_at, results }: BulkResult): string {
  return [
    `${created} of ${total} links created.${refused === 0 ? '' : ` ${refused} cannot be created. Put the corrected rows into a new list.`}`,
    ...(lost === 0 ? [] : [`An earlier run may have created ${lost} of them. Look them up before you retry.`]),
    ...(go_on_at === null
      ? []
      : [untilThen(go_on_at), `Then run the same command again. Rows remaining: ${remaining}.`]),
    `Result of each row: ${results}`,
  ].join('\n');
}

function linksIn(bytes: Uint8Array): LinksFile {
  try {
    return readLinks(textOf(bytes));
  } catch (error) {
    throw error instanceof LinksFileError ? new UsageError(error.message, { cause: error }) : error;
  }
}

const countOf = ({ leftOut }: LinksFile) => (leftOut > 0 ? { left_out: leftOut } : {});

/** What the command says about a list before it is sent. */
function notesOf({ ignored, leftOut, replaced }: LinksFile): string[] {
  const links = leftOut === 1 ? '1 link that is' : `${leftOut} links that are`;
  return [
    ...(ignored.length === 0 ? [] : [`Ignored columns, which a new link cannot have: ${ignored.join(', ')}.`]),
    ...(leftOut === 0 ? [] : [`Skipped: ${links} revoked or flagged.`]),
    ...(replaced.length === 0 ? [] : [`Replaced in URLs: ${replaced.join(', ')}.`]),
  ];
}

type Renumber = (from: number, error: WaypostError) => WaypostError;

/** Checks in steps that fit the remaining quota, because the API refuses a larger dry run. */
async function checkAll(api: Waypost, { links }: LinksFile, renumber: Renumber): Promise<CheckedMany> {
  const answers: CheckedMany[] = [];
  let step = AT_ONCE;
  for (let from = 0; from < links.length; ) {
    const rows = links.slice(from, from + step);
    try {
      answers.push(await withRowNames(renumber, from, api.checkMany(rows)));
      from += rows.length;
    } catch (error) {
      const rest =
        error instanceof WaypostError && [400, 429].includes(error.status) ? error.quota?.remaining : undefined;
      if (rest === undefined || rest === 0 || rest >= rows.length) throw error;
      step = rest;
    }
  }
  const warnings = answers.flatMap((answer) => answer.warnings ?? []);
  return {
    links: answers.flatMap((answer) => answer.links),
    total_created: 0,
    ...(warnings.length > 0 && { warnings }),
  };
}

function withRowNames<T>(renumber: Renumber, from: number, answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw error instanceof WaypostError ? renumber(from, error) : error;
  });
}

function renamed(error: WaypostError, field: (name: string) => string, words: (text: string) => string): WaypostError {
  const details = Object.entries(error.details).map(([name, problem]) => [
    field(name),
    typeof problem === 'string' ? words(problem) : problem,
  ]);
  return new WaypostError(
    words(error.message),
    { ...error, details: Object.fromEntries(details), cause: error },
    error.tries,
  );
}

/** Changes `links[3]` of the request that starts at row 500 to `links[503]`. */
function withOffset(from: number, error: WaypostError): WaypostError {
  const shifted = (text: string) => text.replace(/links\[(\d+)\]/g, (_as, row) => `links[${Number(row) + from}]`);
  return renamed(error, shifted, shifted);
}

/** Changes `links[3].destination_url` to `line 5, destination_url`. */
function inTheFile(error: WaypostError, places: readonly string[]): WaypostError {
  const fieldOf = (name: string) => {
    const [, index, rest] = /^links\[(\d+)\]\.?(.*)$/.exec(name) ?? [];
    const place = index === undefined ? undefined : places[Number(index)];
    if (place === undefined) return name;
    return rest === '' ? place : `${place}, ${rest}`;
  };
  return renamed(error, fieldOf, (text) => withPlaces(text, places));
}
