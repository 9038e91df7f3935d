/** Makes the OpenAPI 3.1 document from the endpoints' declarations. /openapi.json serves it and /docs shows it. */
import { LIMITS, type Scope } from '@waypost/domain';
import Joi from 'joi';
import {
  type Answer,
  type Endpoint,
  type ErrorCase,
  type Message,
  pathOf,
  scopesOf,
  unknownParameter,
} from '../endpoint.ts';
import { type Fields, named, optional } from '../fields.ts';
import {
  NO_VALID_KEY,
  SESSION_IS_NEEDED,
  SESSION_OR_ADMIN_IS_NEEDED,
  scopeIsMissing,
  suspendedWords,
} from '../http/authentication.ts';
import { NOT_JSON, OPEN_BODY_TOO_LARGE, TOO_LARGE } from '../http/body.ts';
import {
  type ErrorExample,
  type ErrorRow,
  type ErrorStatus,
  type Errors,
  errorBody,
  STATUSES,
  UNEXPECTED,
} from '../http/errors.ts';
import { HEADERS, type HeaderName, QUOTA_HEADERS } from '../http/headers.ts';
import { tooMany } from '../http/per-address.ts';
import { OTHER_SITE } from '../http/same-origin.ts';
import { jsonSchema, type Schema } from './json-schema.ts';

export interface Ref {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: true;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Parts {
  readonly schemas: Record<string, Schema>;
  readonly parameters: Record<string, Parameter>;
}

export interface Addresses {
  readonly baseUrl: string;
  readonly redirectBaseUrl: string;
}

export const API_VERSION = '1.0.0';

export type Operation = ReturnType<typeof operationOf>;

export interface Chapter {
  readonly name: string;
  readonly description: string;
  /** The first words of the paths of its endpoints. */
  readonly paths: readonly string[];
}

export interface OpenApiSource {
  readonly endpoints: readonly Endpoint[];
  readonly messages: readonly Message[];
  readonly errors: Errors;
  /** In the order of the document. An endpoint without one is in the first. */
  readonly chapters: readonly Chapter[];
  /** `{base_url}` and `{redirect_base_url}` stand for the base URLs of the API and of short links. */
  readonly guide: string;
}

export function openApiDocument(
  { endpoints, messages, errors, chapters, guide }: OpenApiSource,
  { baseUrl, redirectBaseUrl }: Addresses,
) {
  const parts: Parts = { schemas: {}, parameters: {} };
  const paths = [...Map.groupBy(endpoints, pathOf)].map(([path, methods]) => [
    path.replace(/:(\w+)/g, '{$1}'),
    Object.fromEntries(
      methods.map((each) => [each.method.toLowerCase(), operationOf(each, chapterOf(each, chapters), errors, parts)]),
    ),
  ]);
  const document = {
    openapi: '3.1.1',
    info: {
      title: 'Waypost API',
      version: API_VERSION,
      summary: 'Create, manage and measure safe short links.',
      description: guide,
    },
    servers: [{ url: baseUrl, description: 'This installation.' }],
    tags: chapters.map(({ name, description }) => ({ name, description })),
    security: [{ bearer: [] }],
    paths: Object.fromEntries(paths) as Record<string, Record<string, Operation>>,
    webhooks: Object.fromEntries(messages.map((each) => [each.type, { post: messageOf(each, parts) }])),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key. Scopes: `read` (list links, get a link, view analytics), `write` (create and revoke links), `admin` (everything; it must be the only scope of a key).',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'waypost',
          description: 'A dashboard session, for requests from the pages of the dashboard.',
        },
      },
      ...parts,
      headers: HEADERS,
    },
  };
  return withAddresses(document, { '{base_url}': baseUrl, '{redirect_base_url}': redirectBaseUrl });
}

function withAddresses<T>(document: T, addresses: Readonly<Record<string, string>>): T {
  return JSON.parse(JSON.stringify(document), (_key, value) =>
    typeof value === 'string' ? value.replace(/\{(redirect_)?base_url\}/g, (name) => addresses[name]!) : value,
  );
}

type NeededScope = Scope | 'any';
type Security = readonly { readonly bearer?: readonly NeededScope[]; readonly session?: readonly NeededScope[] }[];

const SECURITY = {
  no: (scopes: readonly NeededScope[]): Security => [{ bearer: scopes }],
  needed: (scopes: readonly NeededScope[]): Security => [{ session: scopes }],
  or_admin_key: (scopes: readonly NeededScope[]): Security => [{ session: scopes }, { bearer: ['admin'] }],
};

function chapterOf({ tag, path }: Endpoint, chapters: readonly Chapter[]): string {
  const chapter = tag ?? chapters.find(({ paths }) => paths.includes(path.split('/')[1]!))?.name;
  if (chapter === undefined) throw new Error(`no chapter has the first word of ${path}`);
  return chapter;
}

function operationOf(endpoint: Endpoint, chapter: string, rows: Errors, parts: Parts) {
  const { id, summary, description, scope, session, creates, body, examples = {}, cli } = endpoint;
  const quota = creates ? QUOTA_HEADERS : [];
  const parameters = [
    ...parametersOf('path', endpoint.params),
    ...parametersOf('query', endpoint.query),
    ...(creates ? [IDEMPOTENCY_KEY] : []),
  ];
  // Two endpoints may declare different parameters with the same name.
  const refs = parameters.map((parameter): Ref => {
    const { name } = parameter;
    const isShared = JSON.stringify(parts.parameters[name] ?? parameter) === JSON.stringify(parameter);
    const key = isShared ? name : `${id}.${name}`;
    parts.parameters[key] = parameter;
    return { $ref: `#/components/parameters/${key}` };
  });
  return {
    operationId: id,
    tags: [chapter] as const,
    summary,
    description,
    security: scope === undefined ? [] : SECURITY[session ?? 'no'](scope === 'any' ? [scope] : scopesOf(endpoint)),
    parameters: refs,
    ...(body && { requestBody: { required: true, content: contentOf(body.schema, examples, parts) } }),
    responses: Object.fromEntries([
      ...Object.entries(endpoint.answers).map(([status, answer]) => {
        const more = status === '201' ? (['Idempotency-Replayed'] as const) : [];
        return [status, responseOf(answer, [...quota, ...more], parts)] as const;
      }),
      ...(scope === undefined && endpoint.browser === undefined ? [] : errorsOf(endpoint, quota, rows, parts)),
    ]),
    ...(cli && { 'x-codeSamples': [{ lang: 'Shell', label: 'waypost', source: cli }] }),
  };
}

const SIGNED =
  'Messages are signed as the Standard Webhooks specification defines. Verify the raw body with the headers `webhook-id`, `webhook-timestamp` and `webhook-signature`.';

function messageOf({ type, means, schema, example }: Message, parts: Parts) {
  return {
    operationId: type.replace('.', '_'),
    tags: ['Webhooks'] as const,
    summary: type,
    description: `${means} ${SIGNED}`,
    security: [],
    requestBody: { required: true, content: contentOf(schema, { [type]: example }, parts) },
    responses: {
      '2XX': { description: 'The message was received. After any other response, Waypost retries the delivery.' },
    },
  };
}

function parametersOf(where: 'path' | 'query', fields: Fields): Parameter[] {
  const { properties = {}, required = [] } = jsonSchema(Joi.object(fields), {});
  return Object.entries(properties).map(([name, { description = '', examples, ...schema }]) => ({
    name,
    in: where,
    ...(required.includes(name) ? { required: true } : {}),
    description,
    schema,
    ...(examples && { example: examples[0] }),
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }));
}

export const IDEMPOTENCY_KEY: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description: `Makes retries safe. A request with the same key and body within ${LIMITS.idempotencyHours} hours returns the first response, and creates nothing again. Printable ASCII, such as a UUID.`,
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
};

function responseOf(
  { means, schema, examples, mediaTypes }: Answer,
  headers: readonly HeaderName[],
  parts: Parts,
  prefix = 'example',
) {
  const refs = ['X-Request-Id', ...headers].map((name): [string, Ref] => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return {
    description: means,
    headers: Object.fromEntries(refs),
    content: contentOf(schema, examples, parts, prefix, mediaTypes),
  };
}

function contentOf(
  schema: Joi.Schema,
  examples: Answer['examples'],
  parts: Parts,
  prefix = 'example',
  mediaTypes: readonly string[] = ['application/json'],
) {
  const named = Object.entries(examples).map(
    ([summary, value], i) => [`${prefix}_${i + 1}`, { summary, value }] as const,
  );
  const content = { schema: jsonSchema(schema, parts.schemas), examples: Object.fromEntries(named) };
  return Object.fromEntries(mediaTypes.map((type) => [type, content]));
}

const errorSchema = named('Error', 'An error response.', {
  error: Joi.string().description('The error code, for programs. New codes may be added: accept unknown ones.'),
  message: Joi.string().description('A description of the error, for people. Its wording may change.'),
  status: Joi.number().integer().description('The HTTP status.'),
  error_id: optional(Joi.string())
    .meta({ format: 'uuid' })
    .description('The ID of the error in the log of the server. Present if the status is 500 or above.'),
  details: optional(Joi.object())
    .meta({ additionalProperties: true })
    .description(
      'The invalid fields, each with a description of its problem. In a batch, a field has a name such as `links[3].destination_url`. If slugs are taken: `taken_slugs`, an array.',
    ),
});

const MEANS: Readonly<Partial<Record<ErrorStatus, string>>> = {
  400: 'A parameter or field is invalid.',
  401: 'The API key is missing or invalid.',
  404: 'The link was not found, or it belongs to another account.',
  413: 'The request body is too large.',
  415: 'The request body is not sent as `application/json`.',
  429: 'Too many requests. Nothing was changed. Retry after `Retry-After` seconds.',
  500: 'An unexpected error occurred on the server.',
  503: 'A dependency is unavailable, or the server is handling too many requests. If a change may still take effect, the message says so.',
};
const WITH_RETRY_AFTER: readonly ErrorStatus[] = [409, 429, 503];

function caseOf(error: ErrorCase, rows: Errors): ErrorRow {
  const [code, ...example] = typeof error === 'string' ? ([error] as const) : error;
  const [status, ...usual] = rows[code];
  return [status, ...(example.length === 0 ? usual : example)];
}

/** Returns what a 403 means at this endpoint, with its example. */
function forbiddenOf(endpoint: Endpoint): readonly [means: string, ...example: ErrorExample] {
  const { scope, session } = endpoint;
  const scopes = scopesOf(endpoint);
  if (scope === undefined)
    return ['The request comes from a page of another site.', 'Request from another site', OTHER_SITE];
  if (session === 'needed')
    return [
      'The request has no dashboard session, or comes from a page of another site.',
      'API key',
      SESSION_IS_NEEDED,
    ];
  if (session !== undefined)
    return [
      'The API key lacks the scope `admin`, or the request comes from a page of another site.',
      'Missing scope',
      SESSION_OR_ADMIN_IS_NEEDED,
    ];
  if (scope === 'any')
    return ['The account is suspended.', 'Account suspended', suspendedWords(null), { account: 'is suspended' }];
  if (scope === 'admin')
    return [
      'The API key lacks the scope `admin`, or its account is not an administrator.',
      'Not an administrator',
      scopeIsMissing(scopes),
    ];
  const names = scopes.map((each) => `\`${each}\``).join(' or ');
  return [`The API key lacks the scope ${names}.`, 'Missing scope', scopeIsMissing(scopes)];
}

function errorsOf(endpoint: Endpoint, quota: readonly HeaderName[], rows: Errors, parts: Parts) {
  const { scope, method, body, errors = [], means } = endpoint;
  const [forbidden, ...example] = forbiddenOf(endpoint);
  const isOfInput = errors.some((error) => typeof error !== 'string' && error[0] === 'validation_failed');
  const cases: ErrorRow[] = [
    ...(isOfInput || scope === undefined ? errors : [unknownParameter, ...errors]).map((error) => caseOf(error, rows)),
    ...(scope === undefined ? [] : [[401, 'Invalid API key', NO_VALID_KEY] as const]),
    ...(scope === undefined && method === 'GET' ? [] : [[403, ...example] as const]),
    ...(body
      ? ([
          [413, 'Body too large', scope === undefined ? OPEN_BODY_TOO_LARGE : TOO_LARGE],
          [415, 'Wrong content type', NOT_JSON],
        ] as const)
      : []),
    [429, 'Too many requests from one IP address', tooMany(7_000).message],
    [500, 'Unexpected error', UNEXPECTED],
    caseOf('unavailable', rows),
  ];
  return [...Map.groupBy(cases, ([status]) => status)].map(([status, same]) => {
    const examples = same.map(([, summary = '', message = '', details]) => [
      summary,
      errorBody(status, message, details, status >= 500 ? '5f0c1d9e-3b7a-4c58-9d53-0a8f6f1f2b44' : undefined),
    ]);
    const answer = {
      means: means?.[status] ?? (status === 403 ? forbidden : MEANS[status]!),
      schema: errorSchema,
      examples: Object.fromEntries(examples),
    };
    const headers: readonly HeaderName[] =
      status === 401 && scope !== undefined
        ? ['WWW-Authenticate']
        : [...quota, ...(WITH_RETRY_AFTER.includes(status) ? (['Retry-After'] as const) : [])];
    return [String(status), responseOf(answer, headers, parts, STATUSES[status])] as const;
  });
}
