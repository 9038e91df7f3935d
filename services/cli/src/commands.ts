/** The commands: how each is written, what it asks the API, and how a person reads the answer. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type CommandWords, type Given, type Option, UsageError } from '@waypost/command-line';
import type { Analytics, Checked, CheckedMany, Created, CreatedMany, Link, LinkPage, NewLink } from '@waypost/sdk';
import type { Api } from './api.ts';
import { ApiError } from './errors.ts';
import { readLinks } from './read-links.ts';
import { showAnalytics, showCreated, showCreatedMany, showLink, showLinks } from './show.ts';
import type { Terminal } from './terminal.ts';

export interface Command extends CommandWords {
  readonly run: (given: Given, api: Api, terminal: Terminal) => Promise<unknown>;
  readonly show: (answer: never, given: Given, terminal: Terminal) => string;
}

const DRY_RUN: Option = { type: 'boolean', help: 'check and scan, but create nothing' };

export const COMMANDS: Readonly<Record<string, Command>> = {
  create: {
    argument: 'URL',
    help: 'Make one short link.',
    options: {
      slug: { type: 'string', value: 'S', help: 'your own slug, 3 to 50 of A-Z a-z 0-9 _ -; random without it' },
      tag: { type: 'string', value: 'T', multiple: true, help: 'a label; may be given up to 10 times' },
      'dry-run': DRY_RUN,
    },
    run: async ({ argument, options }, api) => {
      const { slug, tag } = options;
      const body: NewLink = {
        destination_url: argument,
        ...(typeof slug === 'string' && { custom_slug: slug }),
        ...(Array.isArray(tag) && { tags: tag }),
      };
      const path = `/links${dryRun(options)}`;
      return (await api({ method: 'POST', path, body, idempotencyKey: randomUUID() })).body;
    },
    show: (answer: Created | Checked, { options }) => showCreated(answer, options['dry-run'] === true),
  },

  bulk: {
    argument: 'FILE|-',
    help: 'Make up to 500 links, all or none. The file (- is stdin) holds one URL a line, CSV with the header destination_url,custom_slug,tags (several tags in one cell: quoted, comma between), or a JSON array.',
    options: { 'dry-run': DRY_RUN },
    run: async ({ argument, options }, api, terminal) => {
      const { links, places } = readLinks(await readInput(argument, terminal));
      const path = `/links/bulk${dryRun(options)}`;
      try {
        return (await api({ method: 'POST', path, body: { links }, idempotencyKey: randomUUID() })).body;
      } catch (error) {
        throw error instanceof ApiError ? inTheFile(error, places) : error;
      }
    },
    show: (answer: CreatedMany | CheckedMany, { options }) => showCreatedMany(answer, options['dry-run'] === true),
  },

  list: {
    help: 'Your links, page by page.',
    options: {
      page: { type: 'string', value: 'N', number: true, help: 'from 1' },
      limit: { type: 'string', value: 'N', number: true, help: '1 to 100, default 10' },
      sort: {
        type: 'string',
        oneOf: ['created_at', 'updated_at', 'slug', 'destination_url', 'status'],
        help: 'default created_at',
      },
      order: { type: 'string', oneOf: ['asc', 'desc'], help: 'default desc' },
      status: { type: 'string', oneOf: ['active', 'flagged', 'revoked'], help: 'only these' },
      tag: { type: 'string', value: 'T', multiple: true, help: 'only links with it; repeated: with all of them' },
      search: { type: 'string', value: 'TEXT', help: 'part of the slug or the destination' },
    },
    run: async ({ options }, api) => {
      const query = new URLSearchParams();
      for (const [name, value] of Object.entries(options)) {
        for (const each of [value ?? []].flat()) query.append(name, String(each));
      }
      const search = query.size === 0 ? '' : `?${query}`;
      return (await api({ method: 'GET', path: `/links${search}` })).body;
    },
    show: (answer: LinkPage, _given, { columns }) => showLinks(answer, columns),
  },

  get: {
    argument: 'SLUG',
    help: 'One link.',
    options: {},
    run: async ({ argument }, api) => (await api({ method: 'GET', path: `/links/${slugOf(argument)}` })).body,
    show: (answer: Link) => showLink(answer),
  },

  revoke: {
    argument: 'SLUG',
    help: 'Switch a link off, at once and for good. The slug can never be used again.',
    options: {},
    run: ({ argument }, api, terminal) => revoke(slugOf(argument), api, terminal),
    show: (answer: Link) => `${showLink(answer)}\nRevoked. It no longer redirects anywhere.`,
  },

  analytics: {
    argument: 'SLUG',
    help: 'The clicks of one link.',
    options: {
      period: { type: 'string', oneOf: ['7d', '30d', '90d'], help: 'default 7d' },
      bots: {
        type: 'string',
        oneOf: ['include', 'exclude'],
        help: 'whether bots count in every figure; default include',
      },
    },
    run: async ({ argument, options }, api) => {
      const given = Object.entries(options).filter(([, value]) => value !== undefined) as [string, string][];
      const query = given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
      return (await api({ method: 'GET', path: `/links/${slugOf(argument)}/analytics${query}` })).body;
    },
    show: (answer: Analytics) => showAnalytics(answer),
  },
};

function dryRun(options: Given['options']): string {
  return options['dry-run'] === true ? '?dry_run=true' : '';
}

/** What could not be a slug must not become another path of the API (`get ..`). */
function slugOf(argument: string): string {
  if (!/^[A-Za-z0-9_-]+$/.test(argument)) {
    throw new UsageError('A slug is what follows the last "/" of a short URL: letters, digits, "_" and "-".');
  }
  return argument;
}

async function readInput(file: string, terminal: Terminal): Promise<Uint8Array> {
  try {
    return file === '-' ? await terminal.readStdin() : await readFile(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
}

/** `links[3].destination_url` as `line 5, destination_url`. */
function inTheFile(error: ApiError, places: readonly string[]): ApiError {
  const named = Object.entries(error.details).map(([field, problem]) => {
    const [, index, rest] = /^links\[(\d+)\]\.?(.*)$/.exec(field) ?? [];
    const place = index === undefined ? undefined : places[Number(index)];
    return [
      place === undefined ? field : rest === '' ? place : `${place}, ${rest}`,
      typeof problem === 'string' ? inWords(problem, places) : problem,
    ];
  });
  return new ApiError(inWords(error.message, places), {
    status: error.status,
    details: Object.fromEntries(named),
    ...(error.errorId === undefined ? {} : { errorId: error.errorId }),
    outcomeUnknown: error.outcomeUnknown,
  });
}

function inWords(text: string, places: readonly string[]): string {
  return text.replace(/links\[(\d+)\]\.(\w+)/g, (as, index, field) => {
    const place = places[Number(index)];
    return place === undefined ? as : `${field} of ${place}`;
  });
}

/**
 * Revoking has no Idempotency-Key: if an answer got lost, the next try may be told that the link is revoked already.
 * Then it is, which is what was asked for.
 */
async function revoke(slug: string, api: Api, terminal: Terminal): Promise<unknown> {
  try {
    return (await api({ method: 'POST', path: `/links/${slug}/revoke` })).body;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 400 && error.outcomeUnknown)) throw error;
    const { body } = await api({ method: 'GET', path: `/links/${slug}` });
    if ((body as Link).status !== 'revoked') throw error;
    terminal.err('An earlier try had taken effect, though its answer was lost.\n');
    return body;
  }
}
