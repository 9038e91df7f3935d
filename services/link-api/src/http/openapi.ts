/** The OpenAPI 3.1 document of every endpoint: served at /openapi.json, and the source of the page at /docs. */
import {
  CUSTOM_SLUG_MAX,
  CUSTOM_SLUG_MIN,
  GENERATED_SLUG_LENGTH,
  LIMITS,
  PERIODS,
  type Scope,
  TOP_N,
} from '@waypost/domain';
import {
  FLAGGED_EXAMPLE,
  HEADERS,
  type Header,
  type HeaderName,
  LINK_EXAMPLE,
  PARAMETERS,
  type Parameter,
  type Ref,
  refTo,
  SCHEMAS,
  type Schema,
  type SchemaName,
  WARNING_EXAMPLE,
} from './openapi-components.ts';
import { type CodeSample, type SampleRequest, samplesOf } from './openapi-samples.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}

export interface Content {
  readonly 'application/json': { readonly schema: Ref; readonly examples: Readonly<Record<string, Example>> };
}

export interface ApiResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly { readonly bearer: readonly Scope[] }[];
  readonly parameters: readonly Ref[];
  readonly requestBody?: { readonly required: true; readonly content: Content };
  readonly responses: Readonly<Record<string, ApiResponse>>;
  readonly 'x-codeSamples': readonly CodeSample[];
}

export type Method = 'get' | 'post' | 'put';

/** A chapter of the page that is about no single endpoint. */
export interface Guide {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly rows?: readonly (readonly [name: string, text: string])[];
  readonly samples?: readonly { readonly label: string; readonly source: string }[];
}

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly { readonly bearer: readonly Scope[] }[];
  readonly paths: Readonly<Record<string, Readonly<Partial<Record<Method, Operation>>>>>;
  readonly components: {
    readonly securitySchemes: Readonly<Record<string, unknown>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
  };
  readonly 'x-guide': readonly Guide[];
}

export interface Addresses {
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** Without a trailing slash. */
  readonly redirectBaseUrl: string;
}

export function openApiDocument({ baseUrl, redirectBaseUrl }: Addresses): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Waypost API',
      version: '1.0.0',
      summary: 'Short links that keep their promises.',
      description: `Make short links one by one or many at once, list and revoke them, and read their clicks. Every destination is scanned when its link is made; a flagged link is made, but it does not redirect.\n\nRequests and answers are JSON. Short links are served from \`${redirectBaseUrl}\`.`,
    },
    servers: [{ url: baseUrl, description: 'This Waypost.' }],
    tags: [
      { name: 'Links', description: 'Making links, reading and revoking them.' },
      { name: 'Analytics', description: 'Clicks, within seconds after they happen.' },
      {
        name: 'Administration',
        description: 'For a key with the scope `admin` of an account that is an administrator.',
      },
      { name: 'Health', description: 'For whoever watches over the service. No key is needed.' },
    ],
    security: [{ bearer: [] }],
    paths: paths({ baseUrl, redirectBaseUrl }),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key. Scopes: `read` (list links, read a link, its analytics), `write` (create and revoke), `admin` (everything; stands alone on a key).',
        },
      },
      schemas: SCHEMAS,
      parameters: PARAMETERS,
      headers: HEADERS,
    },
    'x-guide': guide(baseUrl),
  };
}

const NAMES = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  405: 'method_not_allowed',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  500: 'internal_error',
  503: 'service_unavailable',
} as const;
type ErrorStatus = keyof typeof NAMES;

function guide(baseUrl: string): Guide[] {
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      text: `Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. A key is for servers and scripts: keep it in an environment variable, not in code and not in a browser. It is shown once, when it is made; an account may have ${LIMITS.activeKeysPerAccount}. A deleted key is refused from the next request on.\n\nWithout a valid key the answer is 401; with a key that lacks the scope it is 403.`,
      rows: [
        ['read', 'List links, read a link, read its analytics.'],
        ['write', 'Create and revoke links.'],
        [
          'admin',
          'Everything, and the endpoints of administration. It stands alone: a key has `admin`, or it has `read`, `write` or both.',
        ],
      ],
      samples: [
        {
          label: 'Make a key, where Waypost runs',
          source: 'npm run -s waypost -- admin create-key --email you@example.org --name laptop --scopes read,write',
        },
      ],
    },
    {
      id: 'command-line',
      title: 'Command line',
      text: 'The program `waypost` does all of this from a terminal; in a clone it is `npm run -s waypost --`. With `--json` it prints the answer of the API. It retries for you, and never makes a link twice. Exit codes: 0 done, 1 an error, 2 wrong usage. `waypost help` says the rest.',
      samples: [
        {
          label: 'Tell it where, and who you are',
          source: `export WAYPOST_URL=${baseUrl}\nexport WAYPOST_API_KEY=wp_…`,
        },
      ],
    },
    {
      id: 'requests',
      title: 'Requests',
      text: `A body is sent as \`Content-Type: application/json\`, in UTF-8, up to 2 MiB. An unknown field, an unknown or repeated parameter (only \`tag\` may be repeated) or an empty value is an error, so that a typo does not go unnoticed. \`null\` for an optional field is as good as leaving it out.\n\nAnswers may get new fields, and errors new codes: ignore what you do not know. The version is in the path: \`/api/v1\`.\n\nChecks are made in this order: address and method, key, scope, size and type of the body, its fields, a replay by \`Idempotency-Key\`, whether the link exists, its state, whether the slug is free, the quota, the scan. A request that fails spends nothing and leaves nothing behind.`,
    },
    {
      id: 'errors',
      title: 'Errors',
      text: 'Every error is the same JSON object, `Error`: a code, words for a person, the status. On 400 `details` names every bad field, up to ten of each link of a batch (`message` counts the others; a list that is too long is one fault); from 500 on `error_id` is the number to tell your administrator.',
      rows: [
        ['400 bad_request', 'A field is missing or wrong, the JSON is malformed, or the state of the link forbids it.'],
        ['401 unauthorized', 'The API key is missing, wrong or deleted. Carries `WWW-Authenticate: Bearer`.'],
        ['403 forbidden', 'The key lacks the scope.'],
        ['404 not_found', 'No such address, or no such link of yours: a link of another account looks the same.'],
        ['405 method_not_allowed', 'The address answers other methods; `Allow` names them.'],
        [
          '409 conflict',
          'The slug is taken, or the `Idempotency-Key` was used with another body, or its first request still runs (then with `Retry-After`).',
        ],
        ['413 payload_too_large', 'The body is over 2 MiB.'],
        ['415 unsupported_media_type', 'The body is not `application/json`.'],
        ['429 rate_limited', 'The quota of this hour is used up. Wait for `Retry-After`.'],
        ['500 internal_error', 'Something unexpected on our side.'],
        ['503 service_unavailable', 'Something we depend on is away for the moment. Wait for `Retry-After`.'],
      ],
      samples: [
        {
          label: 'An error',
          source: JSON.stringify(
            errorExample(400, 'destination_url must be an absolute URL that begins with http:// or https://.', {
              destination_url: 'must be an absolute URL that begins with http:// or https://',
            }),
            null,
            2,
          ),
        },
      ],
    },
    {
      id: 'retries',
      title: 'Retries',
      text: `Retry 429 and 5xx, and a connection that broke, with exponential back-off and jitter; wait at least the seconds of \`Retry-After\`. After an error from 500 on, a change may have taken effect all the same: send \`Idempotency-Key\` with every creation, and the same one with its retries. For ${LIMITS.idempotencyHours} hours it is answered with the first answer, and \`Idempotency-Replayed: true\`.`,
    },
    {
      id: 'limits',
      title: 'Limits',
      text: 'Creations are counted per account, over all its keys, in a window of one hour that the first creation opens. Each link of a batch counts. Reading, revoking and dry runs are not counted; an account that asks for more at once than its share waits its turn, and is answered 503 with `Retry-After` if that takes too long. Answers of the creation endpoints carry the count:',
      rows: [
        ...(
          [
            'X-RateLimit-Limit',
            'X-RateLimit-Used',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
            'Retry-After',
          ] as const
        ).map((name) => [name, HEADERS[name].description] as const),
        ['Creations', `${LIMITS.creationsPerHour} per hour, unless the operator of this Waypost chose another number`],
        ['Links per batch', `${LIMITS.linksPerBulkRequest}, and no more than one hour allows`],
        ['Active keys', `${LIMITS.activeKeysPerAccount} per account`],
        ['Custom slug', `${CUSTOM_SLUG_MIN} to ${CUSTOM_SLUG_MAX} characters`],
        ['Generated slug', `${GENERATED_SLUG_LENGTH} characters`],
        ['Destination', `${LIMITS.destinationUrlBytes} bytes`],
        ['Tags', `${LIMITS.tagsPerLink} per link, ${LIMITS.tagLength} characters each`],
        ['Page', `${LIMITS.pageSize} links, ${LIMITS.defaultPageSize} by default`],
        ['Analytics', `${Object.keys(PERIODS).join(', ')}; the first ${TOP_N} of each list`],
        ['Body', '2 MiB'],
      ],
    },
  ];
}

function errorExample(status: ErrorStatus, message: string, details?: Record<string, unknown>) {
  return {
    error: NAMES[status],
    message,
    status,
    ...(status >= 500 ? { error_id: '5f0c1d9e-3b7a-4c58-9d53-0a8f6f1f2b44' } : {}),
    ...(details === undefined ? {} : { details }),
  };
}

type Problem = readonly [summary: string, message: string, details?: Record<string, unknown>];

/** One response of errors, with an example for each case. */
function problem(
  status: ErrorStatus,
  description: string,
  cases: readonly Problem[],
  headers: readonly HeaderName[] = [],
): Record<string, ApiResponse> {
  const examples = cases.map(([summary, message, details], i) => [
    `${NAMES[status]}_${i + 1}`,
    { summary, value: errorExample(status, message, details) },
  ]);
  return {
    [status]: {
      description,
      ...headersOf(['X-Request-Id', ...headers]),
      content: { 'application/json': { schema: refTo('Error'), examples: Object.fromEntries(examples) } },
    },
  };
}

function headersOf(names: readonly HeaderName[]): { headers: Record<string, Ref> } {
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}

function content(schema: SchemaName, examples: readonly (readonly [summary: string, value: unknown])[]): Content {
  const named = examples.map(([summary, value], i) => [`example_${i + 1}`, { summary, value }]);
  return { 'application/json': { schema: refTo(schema), examples: Object.fromEntries(named) } };
}

function answer(
  status: 200 | 201,
  description: string,
  schema: SchemaName,
  examples: readonly (readonly [summary: string, value: unknown])[],
  headers: readonly HeaderName[] = [],
): Record<string, ApiResponse> {
  return {
    [status]: { description, ...headersOf(['X-Request-Id', ...headers]), content: content(schema, examples) },
  };
}

function parameters(...names: (keyof typeof PARAMETERS)[]): Ref[] {
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}

const QUOTA = ['X-RateLimit-Limit', 'X-RateLimit-Used', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const;

const unauthorized = problem(
  401,
  'The API key is missing or not valid.',
  [['No valid key', 'This API key is not valid.']],
  ['WWW-Authenticate'],
);
const forbidden = (scope: Scope, headers: readonly HeaderName[] = []) =>
  problem(
    403,
    scope === 'admin' ? 'The key is not that of an administrator.' : `The key lacks the scope \`${scope}\`.`,
    [
      scope === 'admin'
        ? ['Not an administrator', 'This needs an API key with the scope "admin" of an administrator.']
        : ['The scope is missing', `This needs an API key with the scope "${scope}".`],
    ],
    headers,
  );
const badQuery = (...cases: readonly Problem[]) => problem(400, 'A parameter is wrong.', cases);
const linkMissing = problem(404, 'There is no such link, or it is not yours.', [
  ['No such link', 'There is no link with the slug "aB3dE6g" among yours.'],
]);
const bodyProblems = (headers: readonly HeaderName[] = []) => ({
  ...problem(413, 'The body is over 2 MiB.', [['Too large', 'The body is over 2 MiB.']], headers),
  ...problem(
    415,
    'The body is not sent as `application/json`.',
    [['Another type', 'Send the body as Content-Type: application/json (UTF-8).']],
    headers,
  ),
});
const ourFault = (headers: readonly HeaderName[] = []) => ({
  ...problem(
    500,
    'Something unexpected went wrong on our side.',
    [['Unexpected', 'Something unexpected went wrong on our side.']],
    headers,
  ),
  ...problem(
    503,
    'Something we depend on is away for the moment. If a change may have taken effect, the message says so.',
    [['The database is away', 'The database cannot be reached right now.']],
    [...headers, 'Retry-After'],
  ),
});

const notRevocable: Problem = ['Flagged', 'The link "k7Qm2Rx" is flagged; it does not redirect and cannot be revoked.'];
const unknownParameter: Problem = [
  'An unknown parameter',
  'colour is not a known field.',
  { colour: 'is not a known field' },
];
const reusedKey: Problem = [
  'The key was used with another body',
  'This Idempotency-Key was used with another body.',
  { 'Idempotency-Key': 'was used with another body within the last 24 hours' },
];
const keyInUse: Problem = [
  'The first request still runs (with `Retry-After`)',
  'The first request with this Idempotency-Key still runs.',
];

function paths({ baseUrl, redirectBaseUrl }: Addresses): OpenApiDocument['paths'] {
  const samples = (request: SampleRequest) => ({ 'x-codeSamples': samplesOf(baseUrl, request) });
  const shown = (link: { slug: string | null }) => ({
    link,
    short_url: link.slug === null ? null : `${redirectBaseUrl}/${link.slug}`,
  });
  const unmade = { ...LINK_EXAMPLE, slug: null };
  const revoked = {
    ...LINK_EXAMPLE,
    status: 'revoked',
    revoked_at: '2026-11-21T10:15:00.000Z',
    updated_at: '2026-11-21T10:15:00.000Z',
  };
  const one = { destination_url: 'https://www.wikipedia.org/', tags: ['docs'] };
  const many = {
    links: [
      { destination_url: 'https://www.wikipedia.org/', tags: ['docs'] },
      { destination_url: FLAGGED_EXAMPLE.destination_url, tags: ['docs'] },
    ],
  };

  return {
    '/api/v1/links': {
      post: {
        operationId: 'createLink',
        tags: ['Links'],
        summary: 'Create a link',
        description:
          'Makes one short link. Its destination is scanned first: if it is flagged, the link is made, does not redirect, and the answer has a `warning`. The same destination twice gives two links.',
        security: [{ bearer: ['write'] }],
        parameters: parameters('dry_run', 'Idempotency-Key'),
        requestBody: {
          required: true,
          content: content('NewLink', [
            ['A random slug', one],
            ['Your own slug', { destination_url: 'https://www.wikipedia.org/', custom_slug: 'spring-menu' }],
          ]),
        },
        responses: {
          ...answer(
            201,
            'The link was made.',
            'Created',
            [
              ['Active', shown(LINK_EXAMPLE)],
              ['Flagged', { ...shown(FLAGGED_EXAMPLE), warning: WARNING_EXAMPLE }],
            ],
            [...QUOTA, 'Idempotency-Replayed'],
          ),
          ...answer(200, 'With `dry_run=true`: what would be made.', 'Checked', [['Dry run', shown(unmade)]], QUOTA),
          ...problem(
            400,
            'A field, a parameter or the JSON itself is wrong.',
            [
              [
                'A wrong URL and a reserved slug',
                'destination_url must be an absolute URL that begins with http:// or https://, and 1 more fault.',
                {
                  destination_url: 'must be an absolute URL that begins with http:// or https://',
                  custom_slug: 'is reserved',
                },
              ],
              ['A typo', 'customSlug is not a known field.', { customSlug: 'is not a known field' }],
            ],
            QUOTA,
          ),
          ...unauthorized,
          ...forbidden('write', QUOTA),
          ...problem(
            409,
            'The custom slug is taken, or the `Idempotency-Key` cannot be used.',
            [
              ['The slug is taken', 'The slug "spring-menu" is taken.', { taken_slugs: ['spring-menu'] }],
              reusedKey,
              keyInUse,
            ],
            [...QUOTA, 'Retry-After'],
          ),
          ...bodyProblems(QUOTA),
          ...problem(
            429,
            'The quota of this hour is used up. Nothing was created.',
            [['Used up', 'This needs 1 creation, and 0 of 300 are left this hour. Nothing was created.']],
            [...QUOTA, 'Retry-After'],
          ),
          ...ourFault(QUOTA),
        },
        ...samples({
          method: 'POST',
          path: '/api/v1/links',
          body: one,
          idempotencyKey: true,
          cli: 'waypost create https://www.wikipedia.org/ --tag docs',
        }),
      },
      get: {
        operationId: 'listLinks',
        tags: ['Links'],
        summary: 'List your links',
        description: 'The links of your account, page by page, the newest first unless you ask for another order.',
        security: [{ bearer: ['read'] }],
        parameters: parameters('page', 'limit', 'sort', 'order', 'status', 'tag', 'search'),
        responses: {
          ...answer(200, 'One page.', 'LinkPage', [
            ['A page', { data: [LINK_EXAMPLE], total: 1, page: 1, limit: 25, total_pages: 1 }],
          ]),
          ...badQuery(
            [
              'Out of range',
              'limit must be a whole number from 1 to 100.',
              { limit: 'must be a whole number from 1 to 100' },
            ],
            unknownParameter,
          ),
          ...unauthorized,
          ...forbidden('read'),
          ...ourFault(),
        },
        ...samples({
          method: 'GET',
          path: '/api/v1/links?status=active&limit=25',
          cli: 'waypost list --status active --limit 25',
        }),
      },
    },
    '/api/v1/links/bulk': {
      post: {
        operationId: 'createLinks',
        tags: ['Links'],
        summary: 'Create many links',
        description: `Makes up to ${LIMITS.linksPerBulkRequest} links, all or none: if one is wrong or one slug is taken, nothing is made. Each counts as one creation.`,
        security: [{ bearer: ['write'] }],
        parameters: parameters('dry_run', 'Idempotency-Key'),
        requestBody: { required: true, content: content('NewLinks', [['Two links', many]]) },
        responses: {
          ...answer(
            201,
            'All links were made.',
            'CreatedMany',
            [
              [
                'One of them flagged',
                { links: [shown(LINK_EXAMPLE), shown(FLAGGED_EXAMPLE)], total_created: 2, warnings: [WARNING_EXAMPLE] },
              ],
            ],
            [...QUOTA, 'Idempotency-Replayed'],
          ),
          ...answer(
            200,
            'With `dry_run=true`: what would be made.',
            'CheckedMany',
            [['Dry run', { links: [shown(unmade)], total_created: 0 }]],
            QUOTA,
          ),
          ...problem(
            400,
            'A link is wrong, a slug occurs twice, there are too many links, or more than one hour ever allows.',
            [
              [
                'Every bad field of every link is named',
                'links[1].destination_url is required, and 1 more fault.',
                {
                  'links[1].destination_url': 'is required',
                  'links[3].custom_slug': 'is the same as links[0].custom_slug',
                },
              ],
              [
                'Too many for one hour',
                '400 links are more than one hour allows (300).',
                { links: '400 links are more than the 300 of one hour: split the list' },
              ],
            ],
            QUOTA,
          ),
          ...unauthorized,
          ...forbidden('write', QUOTA),
          ...problem(
            409,
            'Custom slugs are taken, or the `Idempotency-Key` cannot be used.',
            [
              ['Slugs are taken', '2 slugs are taken.', { taken_slugs: ['spring-menu', 'summer-menu'] }],
              reusedKey,
              keyInUse,
            ],
            [...QUOTA, 'Retry-After'],
          ),
          ...bodyProblems(QUOTA),
          ...problem(
            429,
            'More links than are left this hour. Nothing was created.',
            [['Too few left', 'This needs 40 creations, and 12 of 300 are left this hour. Nothing was created.']],
            [...QUOTA, 'Retry-After'],
          ),
          ...ourFault(QUOTA),
        },
        ...samples({
          method: 'POST',
          path: '/api/v1/links/bulk',
          body: many,
          idempotencyKey: true,
          cli: 'waypost bulk links.csv\nwaypost bulk - < addresses.txt',
        }),
      },
    },
    '/api/v1/links/{slug}': {
      get: {
        operationId: 'getLink',
        tags: ['Links'],
        summary: 'Read a link',
        description: 'One link of yours, whatever its status.',
        security: [{ bearer: ['read'] }],
        parameters: parameters('slug'),
        responses: {
          ...answer(200, 'The link.', 'Link', [['Active', LINK_EXAMPLE]]),
          ...badQuery(unknownParameter),
          ...unauthorized,
          ...forbidden('read'),
          ...linkMissing,
          ...ourFault(),
        },
        ...samples({ method: 'GET', path: '/api/v1/links/aB3dE6g', cli: 'waypost get aB3dE6g' }),
      },
    },
    '/api/v1/links/{slug}/revoke': {
      post: {
        operationId: 'revokeLink',
        tags: ['Links'],
        summary: 'Revoke a link',
        description:
          'Switches a link off for good: when this is answered, nobody is sent to its destination any more. It cannot be undone, and the slug is never free again. No body is needed; one is ignored. After a lost answer, read the link: revoking it a second time is 400.',
        security: [{ bearer: ['write'] }],
        parameters: parameters('slug'),
        responses: {
          ...answer(200, 'The link, revoked.', 'Link', [['Revoked', revoked]]),
          ...problem(400, 'The link is revoked already, or flagged: flagged links are not their owner’s to revoke.', [
            ['Already revoked', 'The link "aB3dE6g" is already revoked.'],
            notRevocable,
          ]),
          ...unauthorized,
          ...forbidden('write'),
          ...linkMissing,
          ...ourFault(),
        },
        ...samples({ method: 'POST', path: '/api/v1/links/aB3dE6g/revoke', cli: 'waypost revoke aB3dE6g' }),
      },
    },
    '/api/v1/links/{slug}/analytics': {
      get: {
        operationId: 'getAnalytics',
        tags: ['Analytics'],
        summary: 'Read the clicks of a link',
        description: 'Figures over the last 7, 30 or 90 days. A click appears within seconds; allow for an hour.',
        security: [{ bearer: ['read'] }],
        parameters: parameters('slug', 'period', 'bots'),
        responses: {
          ...answer(200, 'The figures.', 'Analytics', [['A week', ANALYTICS_EXAMPLE]]),
          ...badQuery([
            'Another period',
            'period must be one of 7d, 30d, 90d.',
            { period: 'must be one of 7d, 30d, 90d' },
          ]),
          ...unauthorized,
          ...forbidden('read'),
          ...linkMissing,
          ...ourFault(),
        },
        ...samples({
          method: 'GET',
          path: '/api/v1/links/aB3dE6g/analytics?period=7d&bots=exclude',
          cli: 'waypost analytics aB3dE6g --period 7d --bots exclude',
        }),
      },
    },
    '/api/v1/admin/accounts/{email}/limit': {
      put: {
        operationId: 'setLimit',
        tags: ['Administration'],
        summary: 'Set the limit of an account',
        description: 'How many links an account may make per hour. It holds from the next request on.',
        security: [{ bearer: ['admin'] }],
        parameters: parameters('email'),
        requestBody: {
          required: true,
          content: content('Limit', [
            ['A raised limit', { creations_per_hour: 1000 }],
            ['Back to the default', { creations_per_hour: null }],
          ]),
        },
        responses: {
          ...answer(200, 'The limit as it is now.', 'AccountLimit', [
            ['Raised', { email: 'ada@example.org', creations_per_hour: 1000 }],
          ]),
          ...problem(400, 'The body is wrong.', [
            ['Nothing given', 'creations_per_hour is required.', { creations_per_hour: 'is required' }],
          ]),
          ...unauthorized,
          ...forbidden('admin'),
          ...problem(404, 'There is no such account.', [
            ['No such account', 'There is no account with the e-mail address ada@example.org.'],
          ]),
          ...bodyProblems(),
          ...ourFault(),
        },
        ...samples({
          method: 'PUT',
          path: '/api/v1/admin/accounts/ada@example.org/limit',
          body: { creations_per_hour: 1000 },
          cli: 'waypost admin set-limit --email ada@example.org --creations-per-hour 1000',
        }),
      },
    },
    '/api/v1/admin/links/{slug}/review': {
      post: {
        operationId: 'reviewLink',
        tags: ['Administration'],
        summary: 'Decide about a flagged link',
        description: 'Ends the review of a flagged link of any account.',
        security: [{ bearer: ['admin'] }],
        parameters: parameters('slug'),
        requestBody: {
          required: true,
          content: content('Review', [
            ['A wrong flag', { decision: 'clear', reason: 'A bank’s own page; the listing was an error.' }],
          ]),
        },
        responses: {
          ...answer(200, 'The link as it is now.', 'Link', [['Cleared', LINK_EXAMPLE]]),
          ...problem(400, 'The body is wrong, or the link is not flagged.', [
            ['Not flagged', 'The link "aB3dE6g" is active, not flagged: there is nothing to review.'],
            ['No reason', 'reason is required.', { reason: 'is required' }],
          ]),
          ...unauthorized,
          ...forbidden('admin'),
          ...problem(404, 'There is no such link.', [
            ['No such link', 'There is no link with the slug "aB3dE6g" among yours.'],
          ]),
          ...bodyProblems(),
          ...ourFault(),
        },
        ...samples({
          method: 'POST',
          path: '/api/v1/admin/links/k7Qm2Rx/review',
          body: { decision: 'clear', reason: 'The listing was an error.' },
          cli: 'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
        }),
      },
    },
    '/healthz': {
      get: {
        operationId: 'getHealth',
        tags: ['Health'],
        summary: 'Whether the process lives',
        description: 'For a supervisor: no answer means restart.',
        security: [],
        parameters: [],
        responses: answer(200, 'It lives.', 'Alive', [['Alive', { status: 'alive' }]]),
        ...samples({ method: 'GET', path: '/healthz', open: true }),
      },
    },
    '/readyz': {
      get: {
        operationId: 'getReadiness',
        tags: ['Health'],
        summary: 'Whether it can do its work',
        description:
          'For a load balancer: names each dependency, and whether it is well; at most a second old. Those that are not required do not make it unready.',
        security: [],
        parameters: [],
        responses: {
          ...answer(200, 'It can.', 'Readiness', [
            ['Ready', { status: 'ready', dependencies: { database: { ok: true }, scanner: { ok: true } } }],
          ]),
          503: {
            description: 'It cannot.',
            ...headersOf(['X-Request-Id']),
            content: content('Readiness', [
              [
                'Not ready',
                {
                  status: 'not_ready',
                  dependencies: { database: { ok: false }, scanner: { ok: true } },
                },
              ],
            ]),
          },
        },
        ...samples({ method: 'GET', path: '/readyz', open: true }),
      },
    },
  };
}

const ANALYTICS_EXAMPLE = {
  slug: 'aB3dE6g',
  period: '7d',
  total_clicks: 42,
  unique_visitors: 31,
  bot_clicks: 3,
  time_series: [3, 5, 0, 9, 12, 8, 5].map((clicks, i) => ({ date: `2026-11-${15 + i}`, clicks })),
  top_referrers: [
    { referrer: 'direct', count: 25 },
    { referrer: 'news.example.com', count: 17 },
  ],
  top_countries: [
    { country: 'DE', count: 30 },
    { country: 'JP', count: 10 },
  ],
  top_devices: [
    { device: 'mobile', count: 28 },
    { device: 'desktop', count: 14 },
  ],
  top_browsers: [
    { browser: 'Chrome', count: 22 },
    { browser: 'Firefox', count: 20 },
  ],
};
