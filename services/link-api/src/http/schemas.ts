/** What requests may look like. Every fault is named, by the field's name as the caller wrote it. */
import {
  checkDestinationUrl,
  customSlugProblem,
  DEFAULT_PERIOD,
  DomainError,
  LIMITS,
  LINK_STATUSES,
  PERIODS,
  type Period,
  type UrlPolicy,
} from '@waypost/domain';
import { LIST_SORTS, type ListQuery } from '@waypost/ports';
import type { Request } from 'express';
import Joi from 'joi';
import type { NewLinkRequest } from '../use-cases/create-links.ts';

const VALIDATION: Joi.ValidationOptions = {
  abortEarly: false,
  convert: false,
  errors: { wrap: { label: false }, label: false },
  messages: {
    'any.required': 'is required',
    'any.invalid': 'is not allowed',
    'any.only': 'must be one of {#valids}',
    'object.base': 'must be an object',
    'array.base': 'must be an array',
    'array.min': 'must hold at least {#limit}',
    'array.max': 'must hold at most {#limit}',
    'string.base': 'must be a string',
    'string.empty': 'must not be empty',
    problem: '{#problem}',
  },
};

/** The known fields of an object. Joi judges these alone: what it is asked about does not grow with the body. */
interface Shape {
  readonly fields: ReadonlySet<string>;
  readonly schema: Joi.ObjectSchema;
}

/** The preferences are part of the schema: given with each `validate`, they would be compiled each time. */
const shape = (keys: Joi.SchemaMap): Shape => ({
  fields: new Set(Object.keys(keys)),
  schema: Joi.object(keys).prefs(VALIDATION),
});

/** A check that says in its own words what is wrong. */
function problem(helpers: Joi.CustomHelpers, words: string) {
  return helpers.error('problem', { problem: words });
}

/** Of a tag with its outer white space. */
const RAW_TAG_LENGTH = 1_000;

// Joi asks no custom check about a value that `allow` names, so '' is left to `string.empty`.
const tag = Joi.string().custom((value: string, helpers) => {
  const tooLong = () => problem(helpers, `must be at most ${LIMITS.tagLength} characters`);
  if (value.length > RAW_TAG_LENGTH) return tooLong();
  const trimmed = value.trim();
  const length = [...trimmed].length;
  if (length === 0) return problem(helpers, 'must not be empty');
  if (length > LIMITS.tagLength) return tooLong();
  if (/\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed()) return problem(helpers, 'must not hold control characters');
  return trimmed;
});

const tags = Joi.array()
  .items(tag)
  .custom((value: string[]) => [...new Set(value)])
  .allow(null);

/** Repetitions are dropped, hence do not count; but nobody looks through a list that is longer than this. */
const RAW_TAGS = 10 * LIMITS.tagsPerLink;

/** How many, before any of them is judged. */
function tooManyTags(value: unknown): boolean {
  if (!Array.isArray(value) || value.length <= LIMITS.tagsPerLink) return false;
  if (value.length > RAW_TAGS) return true;
  const different = new Set(
    value.map((entry, i) => (typeof entry === 'string' ? (entry.length > RAW_TAG_LENGTH ? entry : entry.trim()) : i)),
  );
  return different.size > LIMITS.tagsPerLink;
}

function linkShape(policy: UrlPolicy): Shape {
  return shape({
    destination_url: Joi.string()
      .required()
      .custom((value: string, helpers) => {
        const checked = checkDestinationUrl(value, policy);
        return checked.ok ? checked.destinationUrl : problem(helpers, checked.problem);
      }),
    custom_slug: Joi.string()
      .allow(null)
      .custom((value: string, helpers) => {
        const words = customSlugProblem(value);
        return words === undefined ? value : problem(helpers, words);
      }),
    tags,
  });
}

interface LinkBody {
  destination_url: string;
  custom_slug?: string | null;
  tags?: string[] | null;
}

function newLink({ destination_url, custom_slug, tags: labels }: LinkBody): NewLinkRequest {
  return { destinationUrl: destination_url, customSlug: custom_slug ?? undefined, tags: labels ?? [] };
}

const BULK = shape({ links: Joi.array().min(1).max(LIMITS.linksPerBulkRequest).required() });

export function createSchemas(policy: UrlPolicy) {
  const link = linkShape(policy);

  const judgeLink = (row: string, given: unknown, faults: Faults): LinkBody | undefined => {
    if (!isObject(given)) {
      faults.add(row, [], 'must be an object');
      return undefined;
    }
    if (!tooManyTags(given.tags)) return judge<LinkBody>(link, row, given, faults);
    faults.add(row, ['tags'], `must hold at most ${LIMITS.tagsPerLink}`);
    return judge<LinkBody>(link, row, { ...given, tags: null }, faults);
  };

  return {
    one: (body: unknown): NewLinkRequest => {
      const faults = new Faults();
      const judged = judgeLink('', objectOf(body), faults);
      faults.throwIfAny();
      return newLink(judged!);
    },
    many: (body: unknown): NewLinkRequest[] => {
      const faults = new Faults();
      const { links: rows } = judge<{ links: unknown[] }>(BULK, '', objectOf(body), faults);
      // How many first: what is too long is not read row by row.
      if (faults.has('links')) faults.throwIfAny();
      const links = rows.map((row, i) => judgeLink(`links[${i}]`, row, faults));
      nameRepeatedSlugs(rows, faults);
      faults.throwIfAny();
      return links.map((each) => newLink(each!));
    },
  };
}

/** Whatever else is wrong with the rows. */
function nameRepeatedSlugs(rows: readonly unknown[], faults: Faults): void {
  const first = new Map<string, number>();
  for (const [i, row] of rows.entries()) {
    const slug = isObject(row) ? row.custom_slug : undefined;
    if (typeof slug !== 'string' || customSlugProblem(slug) !== undefined) continue;
    const earlier = first.get(slug);
    if (earlier === undefined) first.set(slug, i);
    else faults.add(`links[${i}]`, ['custom_slug'], `is the same as links[${earlier}].custom_slug`);
  }
}

const text = Joi.string().custom((value: string, helpers) =>
  /\p{Cc}/u.test(value) || !value.isWellFormed() ? problem(helpers, 'must not hold control characters') : value,
);
const count = (max: number) =>
  Joi.string().custom((value: string, helpers) => {
    const number = /^[1-9]\d{0,14}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= 1 && number <= max) return number;
    return problem(
      helpers,
      max === LIMITS.pageSize ? `must be a whole number from 1 to ${max}` : 'must be a whole number from 1',
    );
  });
const oneOf = (values: readonly string[]) => Joi.string().valid(...values);

const QUERIES = {
  none: shape({}),
  create: shape({ dry_run: oneOf(['true', 'false']) }),
  analytics: shape({ period: oneOf(Object.keys(PERIODS)), bots: oneOf(['include', 'exclude']) }),
  list: shape({
    page: count(Number.MAX_SAFE_INTEGER),
    limit: count(LIMITS.pageSize),
    sort: oneOf(LIST_SORTS),
    order: oneOf(['asc', 'desc']),
    status: oneOf(LINK_STATUSES),
    tag: Joi.array().items(text),
    search: text,
  }),
};

export function noQuery(request: Request): void {
  readQuery(QUERIES.none, request);
}

export function createQuery(request: Request): { dryRun: boolean } {
  return { dryRun: readQuery<{ dry_run?: string }>(QUERIES.create, request).dry_run === 'true' };
}

export function analyticsQuery(request: Request): { period: Period; bots: 'include' | 'exclude' } {
  const { period = DEFAULT_PERIOD, bots = 'include' } = readQuery<{ period?: Period; bots?: 'include' | 'exclude' }>(
    QUERIES.analytics,
    request,
  );
  return { period, bots };
}

export function listQuery(request: Request): ListQuery {
  const { tag: tags = [], ...given } = readQuery<Partial<ListQuery> & { tag?: string[] }>(QUERIES.list, request);
  return { page: 1, limit: LIMITS.defaultPageSize, sort: 'created_at', order: 'desc', ...given, tags };
}

/** Only `tag` may be repeated, so only it is read as a list. */
function readQuery<T>(known: Shape, request: Request): T {
  const faults = new Faults();
  const query: Record<string, unknown> = Object.assign(Object.create(null), request.query);
  for (const [name, value] of Object.entries(query)) {
    if (name === 'tag') query[name] = [...new Set([value].flat())];
    else if (Array.isArray(value)) {
      faults.add('', [name], 'must not be repeated');
      delete query[name];
    }
  }
  if (Array.isArray(query.tag) && query.tag.length > LIMITS.tagsPerLink) {
    faults.add('', ['tag'], `must be at most ${LIMITS.tagsPerLink}: no link has more`);
    delete query.tag;
  }
  const read = judge<T>(known, '', query, faults);
  faults.throwIfAny();
  return read;
}

const REVIEW = shape({
  decision: oneOf(['clear', 'keep']).required(),
  reason: text.max(1000).required(),
});
export function reviewBody(body: unknown): { decision: 'clear' | 'keep'; reason: string } {
  return judgeBody(REVIEW, body);
}

const LIMIT = shape({
  creations_per_hour: Joi.number().integer().min(0).max(1_000_000_000).allow(null).required(),
});
export function limitBody(body: unknown): { creations_per_hour: number | null } {
  return judgeBody(LIMIT, body);
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
export function idempotencyKey(request: Request): string | undefined {
  const key = request.get('Idempotency-Key');
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    const faults = new Faults();
    faults.add('', ['Idempotency-Key'], 'must be 1 to 255 printable ASCII characters');
    faults.throwIfAny();
  }
  return key;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectOf(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body;
  throw new DomainError('validation_failed', 'The body must be a JSON object.', {
    details: { body: 'must be a JSON object' },
  });
}

function judgeBody<T>(known: Shape, body: unknown): T {
  const faults = new Faults();
  const judged = judge<T>(known, '', objectOf(body), faults);
  faults.throwIfAny();
  return judged;
}

/** The value as its shape reads it; only good if nothing was added to `faults`. An own `__proto__` is a field like any other. */
function judge<T>({ fields, schema }: Shape, row: string, given: Record<string, unknown>, faults: Faults): T {
  const known: Record<string, unknown> = {};
  const unknown: string[] = [];
  for (const name of Object.keys(given)) {
    if (fields.has(name)) known[name] = given[name];
    else unknown.push(name);
  }
  const { value, error } = schema.validate(known);
  for (const { path, message } of error?.details ?? []) faults.add(row, path, message);
  for (const name of unknown) faults.add(row, [name], 'is not a known field');
  return value as T;
}

/** In each row, or in the body itself, or in the query; the others are counted. */
const NAMED_PER_ROW = 10;
/** As much of a name that a caller made up is repeated. */
const NAME_LENGTH = 100;

/** What is wrong with a request, by the fields' names. */
class Faults {
  // Without a prototype: a field that is called `constructor` must not look as if it were named already.
  readonly #details: Record<string, string> = Object.create(null);
  readonly #named = new Map<string, number>();
  #count = 0;

  /** `row` is empty or like `links[3]`. What is said of a field first stands. */
  add(row: string, path: readonly (string | number)[], words: string): void {
    const named = this.#named.get(row) ?? 0;
    if (named === NAMED_PER_ROW) {
      this.#count++;
      return;
    }
    const field = fieldName(row, path);
    if (field in this.#details) return;
    this.#count++;
    this.#named.set(row, named + 1);
    this.#details[field] = words;
  }

  has(field: string): boolean {
    return field in this.#details;
  }

  throwIfAny(): void {
    const [[field, words] = []] = Object.entries(this.#details);
    if (field === undefined) return;
    const more = this.#count - 1;
    const message = `${field} ${words}${more > 0 ? `, and ${more} more ${more === 1 ? 'fault' : 'faults'}` : ''}.`;
    throw new DomainError('validation_failed', message, { details: this.#details });
  }
}

/** `['destination_url']` in the row `links[3]` is `links[3].destination_url`. */
function fieldName(row: string, path: readonly (string | number)[]): string {
  if (path[0] === 'tag') return 'tag';
  let name = row;
  for (const step of path) {
    if (typeof step === 'number') name += `[${step}]`;
    else name += `${name === '' ? '' : '.'}${step.length > NAME_LENGTH ? `${step.slice(0, NAME_LENGTH)}…` : step}`;
  }
  return name === '' ? 'body' : name;
}
