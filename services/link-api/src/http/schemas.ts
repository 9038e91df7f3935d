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
  allowUnknown: false,
  errors: { wrap: { label: false }, label: false },
  messages: {
    'any.required': 'is required',
    'any.invalid': 'is not allowed',
    'any.only': 'must be one of {#valids}',
    'object.unknown': 'is not a known field',
    'object.base': 'must be an object',
    'array.base': 'must be an array',
    'array.min': 'must hold at least {#limit}',
    'array.max': 'must hold at most {#limit}',
    'string.base': 'must be a string',
    'string.empty': 'must not be empty',
    problem: '{#problem}',
  },
};

/** The preferences are part of the outermost schema: given with each `validate`, or to each row of a list, they would be compiled each time. */
const fields = (keys: Joi.SchemaMap) => Joi.object(keys).prefs(VALIDATION);

/** A check that says in its own words what is wrong. */
function problem(helpers: Joi.CustomHelpers, words: string) {
  return helpers.error('problem', { problem: words });
}

// Joi asks no custom check about a value that `allow` names, so '' is left to `string.empty`.
const tag = Joi.string().custom((value: string, helpers) => {
  const trimmed = value.trim();
  const length = [...trimmed].length;
  if (length === 0) return problem(helpers, 'must not be empty');
  if (length > LIMITS.tagLength) return problem(helpers, `must be at most ${LIMITS.tagLength} characters`);
  if (/\p{Cc}/u.test(trimmed) || !trimmed.isWellFormed()) return problem(helpers, 'must not hold control characters');
  return trimmed;
});

const tags = Joi.array()
  .items(tag)
  .custom((value: string[], helpers) => {
    const distinct = [...new Set(value)];
    if (distinct.length > LIMITS.tagsPerLink) return problem(helpers, `must hold at most ${LIMITS.tagsPerLink}`);
    return distinct;
  })
  .allow(null);

function linkSchema(policy: UrlPolicy) {
  return Joi.object({
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

/** `{"__proto__": …}` is an own field in JSON (and in a query) like any other unknown one, but Joi does not see it. */
function prototypeFields(rows: Readonly<Record<string, unknown>>): Record<string, string> {
  const held = Object.entries(rows).filter(
    ([, row]) => typeof row === 'object' && row && Object.hasOwn(row, '__proto__'),
  );
  return Object.fromEntries(held.map(([prefix]) => [`${prefix}__proto__`, 'is not a known field']));
}

interface LinkBody {
  destination_url: string;
  custom_slug?: string | null;
  tags?: string[] | null;
}

function newLink({ destination_url, custom_slug, tags: labels }: LinkBody): NewLinkRequest {
  return { destinationUrl: destination_url, customSlug: custom_slug ?? undefined, tags: labels ?? [] };
}

export function createSchemas(policy: UrlPolicy) {
  const link = linkSchema(policy);
  const single = link.prefs(VALIDATION);
  const count = fields({ links: Joi.array().min(1).max(LIMITS.linksPerBulkRequest).required() });
  const bulk = fields({ links: Joi.array().items(link) });

  return {
    one: (body: unknown): NewLinkRequest => newLink(validate<LinkBody>(single, body)),
    many: (body: unknown): NewLinkRequest[] => {
      validate(count, body); // how many first: what is too long is not read row by row
      const rows = (body as { links: unknown[] }).links.map((row, i) => [`links[${i}].`, row]);
      const { links } = validate<{ links: LinkBody[] }>(bulk, body, prototypeFields(Object.fromEntries(rows)));
      const requests = links.map(newLink);
      assertDistinctSlugs(requests);
      return requests;
    },
  };
}

function assertDistinctSlugs(links: readonly NewLinkRequest[]): void {
  const first = new Map<string, number>();
  const details: Record<string, string> = {};
  for (const [i, { customSlug }] of links.entries()) {
    if (customSlug === undefined) continue;
    const earlier = first.get(customSlug);
    if (earlier === undefined) first.set(customSlug, i);
    else details[`links[${i}].custom_slug`] = `is the same as links[${earlier}].custom_slug`;
  }
  if (Object.keys(details).length > 0) throw invalid(details);
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
  none: fields({}),
  create: fields({ dry_run: oneOf(['true', 'false']) }),
  analytics: fields({ period: oneOf(Object.keys(PERIODS)), bots: oneOf(['include', 'exclude']) }),
  list: fields({
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
function readQuery<T>(schema: Joi.ObjectSchema, request: Request): T {
  const repeated: Record<string, string> = {};
  const query: Record<string, unknown> = { ...request.query };
  for (const [name, value] of Object.entries(query)) {
    if (name === 'tag') query[name] = [value].flat();
    else if (Array.isArray(value)) repeated[name] = 'must not be repeated';
  }
  return validate<T>(schema, query, repeated);
}

const REVIEW = fields({
  decision: oneOf(['clear', 'keep']).required(),
  reason: text.max(1000).required(),
});
export function reviewBody(body: unknown): { decision: 'clear' | 'keep'; reason: string } {
  return validate(REVIEW, body);
}

const LIMIT = fields({
  creations_per_hour: Joi.number().integer().min(0).max(1_000_000_000).allow(null).required(),
});
export function limitBody(body: unknown): { creations_per_hour: number | null } {
  return validate(LIMIT, body);
}

const IDEMPOTENCY_KEY = /^[\x20-\x7e]{1,255}$/;
export function idempotencyKey(request: Request): string | undefined {
  const key = request.get('Idempotency-Key');
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    throw invalid({ 'Idempotency-Key': 'must be 1 to 255 printable ASCII characters' });
  }
  return key;
}

function validate<T>(schema: Joi.ObjectSchema, value: unknown, found: Record<string, string> = {}): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DomainError('validation_failed', 'The body must be a JSON object.', {
      details: { body: 'must be a JSON object' },
    });
  }
  const result = schema.validate(value);
  // Without a prototype: a field that is called `constructor` must not look as if it were named already.
  const details: Record<string, string> = Object.assign(Object.create(null), prototypeFields({ '': value }), found);
  for (const { path, message } of result.error?.details ?? []) details[fieldName(path)] ??= message;
  if (Object.keys(details).length > 0) throw invalid(details);
  return result.value as T;
}

/** `['links', 3, 'destination_url']` is `links[3].destination_url`. */
function fieldName(path: readonly (string | number)[]): string {
  if (path[0] === 'tag') return 'tag';
  const name = path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('');
  return name === '' ? 'body' : name;
}

function invalid(details: Record<string, string>): DomainError {
  const [[field, words] = []] = Object.entries(details);
  const more = Object.keys(details).length - 1;
  const message = `${field} ${words}${more > 0 ? `, and ${more} more ${more === 1 ? 'fault' : 'faults'}` : ''}.`;
  return new DomainError('validation_failed', message, { details });
}
