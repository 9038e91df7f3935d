/** The parts of the OpenAPI document that operations share. Limits and names come from the domain, so they cannot drift. */
import {
  CUSTOM_SLUG_MAX,
  CUSTOM_SLUG_MIN,
  DEFAULT_PERIOD,
  flagMessage,
  GENERATED_SLUG_LENGTH,
  LIMITS,
  LINK_STATUSES,
  PERIODS,
  THREAT_TYPES,
  TOP_N,
} from '@waypost/domain';
import { LIST_SORTS } from '@waypost/ports';

/** The keywords of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly style?: 'form';
  readonly explode?: boolean;
  readonly example?: unknown;
}

export interface Header {
  readonly description: string;
  readonly schema: Schema;
}

export interface Ref {
  readonly $ref: string;
}

const timestamp = (description: string): Schema => ({ type: 'string', format: 'date-time', description });

const slug: Schema = {
  type: 'string',
  description: 'Names the link in the API and in its short URL. Case-sensitive, never reused.',
  examples: ['aB3dE6g'],
};

const threatTypes = THREAT_TYPES.map((type) => `\`${type}\``).join(', ');

const link: Schema = {
  type: 'object',
  description: 'A short link.',
  required: ['slug', 'destination_url', 'status', 'threat_type', 'revoked_at', 'tags', 'created_at', 'updated_at'],
  properties: {
    slug,
    destination_url: { type: 'string', format: 'iri', description: 'Where it leads, as it was sent.' },
    status: {
      type: 'string',
      enum: LINK_STATUSES,
      description: 'Only an `active` link redirects. `flagged`: its destination is suspected. `revoked` is final.',
    },
    threat_type: {
      type: ['string', 'null'],
      description: `What the destination is suspected of; null for a clean link. Today one of ${threatTypes}. Accept values that you do not know.`,
    },
    revoked_at: { ...timestamp('When it was revoked (UTC); null unless it was.'), type: ['string', 'null'] },
    tags: { type: 'array', items: { type: 'string' }, description: 'Labels given at creation, in their order.' },
    created_at: timestamp('UTC, with milliseconds.'),
    updated_at: timestamp('Equal to `created_at` until something changes; the time of revocation after a revoke.'),
  },
};

const checkedLink: Schema = {
  ...link,
  description: 'A link that a dry run did not make.',
  properties: {
    ...link.properties,
    slug: { ...slug, type: ['string', 'null'], description: 'Null where a slug would be generated.' },
  },
};

const shortUrl: Schema = { type: 'string', description: 'What to hand out.' };
const noShortUrl: Schema = { type: ['string', 'null'], description: 'Null where a slug would be generated.' };
const warning: Schema = { $ref: '#/components/schemas/Warning' };

const created = (of: 'Link' | 'CheckedLink', url: Schema, description: string): Schema => ({
  type: 'object',
  description,
  required: ['link', 'short_url'],
  properties: {
    link: { $ref: `#/components/schemas/${of}` },
    short_url: url,
    warning: { ...warning, description: 'Only if the link is flagged.' },
  },
});

const createdMany = (of: 'Link' | 'CheckedLink', url: Schema, description: string, total: string): Schema => ({
  type: 'object',
  description,
  required: ['links', 'total_created'],
  properties: {
    links: {
      type: 'array',
      description: 'In the order of the request.',
      items: {
        type: 'object',
        required: ['link', 'short_url'],
        properties: { link: { $ref: `#/components/schemas/${of}` }, short_url: url },
      },
    },
    total_created: { type: 'integer', description: total },
    warnings: { type: 'array', items: warning, description: 'One for each flagged link; absent if there is none.' },
  },
});

const newLink: Schema = {
  type: 'object',
  description: 'A link to be made. An unknown field is an error, so that a typo does not go unnoticed.',
  required: ['destination_url'],
  additionalProperties: false,
  properties: {
    destination_url: {
      type: 'string',
      format: 'iri',
      description: `An absolute http or https URL of a public host, at most ${LIMITS.destinationUrlBytes} bytes, without credentials; not one of this service. White space around it is dropped.`,
      examples: ['https://www.wikipedia.org/'],
    },
    custom_slug: {
      type: ['string', 'null'],
      minLength: CUSTOM_SLUG_MIN,
      maxLength: CUSTOM_SLUG_MAX,
      pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*$',
      description: `Your own slug: letters, digits, \`_\` and \`-\`, a letter or digit first. Some words are reserved. Without it a random one of ${GENERATED_SLUG_LENGTH} characters is made.`,
      examples: ['spring-menu'],
    },
    tags: {
      type: ['array', 'null'],
      maxItems: LIMITS.tagsPerLink,
      items: { type: 'string', minLength: 1, maxLength: LIMITS.tagLength },
      description: 'Labels. White space around each is dropped, and so are repetitions.',
      examples: [['docs', 'spring']],
    },
  },
};

const counts = (name: string, description: string): Schema => ({
  type: 'array',
  maxItems: TOP_N,
  description: `${description} At most ${TOP_N}, the highest count first.`,
  items: {
    type: 'object',
    required: [name, 'count'],
    properties: { [name]: { type: 'string' }, count: { type: 'integer', minimum: 0 } },
  },
});

const whole = (description: string): Schema => ({ type: 'integer', minimum: 0, description });

export const SCHEMAS = {
  Link: link,
  NewLink: newLink,
  NewLinks: {
    type: 'object',
    description: 'Links to be made, all or none.',
    required: ['links'],
    additionalProperties: false,
    properties: {
      links: {
        type: 'array',
        minItems: 1,
        maxItems: LIMITS.linksPerBulkRequest,
        items: { $ref: '#/components/schemas/NewLink' },
        description: 'No custom slug may occur twice.',
      },
    },
  },
  Created: created('Link', shortUrl, 'A link that was made.'),
  CreatedMany: createdMany('Link', shortUrl, 'Links that were made.', 'How many were made: all of them.'),
  CheckedLink: checkedLink,
  Checked: created('CheckedLink', noShortUrl, 'What a dry run found.'),
  CheckedMany: createdMany('CheckedLink', noShortUrl, 'What a dry run of a batch found.', 'Always 0.'),
  Warning: {
    type: 'object',
    description: 'Says that a link was flagged: it exists, and it does not redirect.',
    required: ['slug', 'destination_url', 'threat_type', 'message'],
    properties: {
      slug: { type: ['string', 'null'], description: 'Null only in a dry run, where a slug would be generated.' },
      destination_url: { type: 'string' },
      threat_type: { type: 'string', description: 'As in the link.' },
      message: { type: 'string', description: 'For a person to read.' },
    },
  },
  LinkPage: {
    type: 'object',
    description: 'One page of a list.',
    required: ['data', 'total', 'page', 'limit', 'total_pages'],
    properties: {
      data: { type: 'array', items: { $ref: '#/components/schemas/Link' }, description: 'Empty past the last page.' },
      total: whole('Links that match, on all pages.'),
      page: { type: 'integer', minimum: 1, description: 'As asked.' },
      limit: { type: 'integer', minimum: 1, maximum: LIMITS.pageSize, description: 'As asked.' },
      total_pages: whole('0 when nothing matches.'),
    },
  },
  Analytics: {
    type: 'object',
    description: 'Clicks of one link. A click is a GET that was answered with a redirect.',
    required: [
      'slug',
      'period',
      'total_clicks',
      'unique_visitors',
      'bot_clicks',
      'time_series',
      'top_referrers',
      'top_countries',
      'top_devices',
      'top_browsers',
    ],
    properties: {
      slug,
      period: { type: 'string', enum: Object.keys(PERIODS), description: 'As asked.' },
      total_clicks: whole('Clicks within the period, those of bots included unless they were left out.'),
      unique_visitors: whole('Different visitors, told apart by a keyed hash of their address.'),
      bot_clicks: whole('How many of `total_clicks` came from known bots.'),
      time_series: {
        type: 'array',
        description: 'One entry for each UTC day, zeros included, oldest first. Its sum is `total_clicks`.',
        items: {
          type: 'object',
          required: ['date', 'clicks'],
          properties: { date: { type: 'string', format: 'date' }, clicks: { type: 'integer', minimum: 0 } },
        },
      },
      top_referrers: counts('referrer', 'Host names; `direct` where there was none.'),
      top_countries: counts('country', 'ISO 3166-1 alpha-2 codes; unknown ones are left out.'),
      top_devices: counts('device', '`desktop`, `mobile` or `tablet`.'),
      top_browsers: counts('browser', 'Browsers by name.'),
    },
  },
  Error: {
    type: 'object',
    description: 'The answer to whatever could not be done.',
    required: ['error', 'message', 'status'],
    properties: {
      error: { type: 'string', description: 'The code, for a program to read. Accept codes that you do not know.' },
      message: { type: 'string', description: 'For a person to read. Its words may change.' },
      status: { type: 'integer', description: 'The HTTP status.' },
      error_id: {
        type: 'string',
        format: 'uuid',
        description: 'From status 500 on: the same number is in the log of the server.',
      },
      details: {
        type: 'object',
        additionalProperties: true,
        description:
          'Field names and what is wrong with each; in a batch `links[3].destination_url`. For a taken slug `taken_slugs`, an array.',
      },
    },
  },
  Limit: {
    type: 'object',
    description: 'A limit for one account.',
    required: ['creations_per_hour'],
    additionalProperties: false,
    properties: {
      creations_per_hour: {
        type: ['integer', 'null'],
        minimum: 0,
        maximum: 1_000_000_000,
        description: 'Null: the default of this Waypost.',
      },
    },
  },
  AccountLimit: {
    type: 'object',
    description: 'The limit of an account.',
    required: ['email', 'creations_per_hour'],
    properties: {
      email: { type: 'string' },
      creations_per_hour: { type: ['integer', 'null'], description: 'Null: the default of this Waypost.' },
    },
  },
  Review: {
    type: 'object',
    description: 'The decision on a flagged link.',
    required: ['decision', 'reason'],
    additionalProperties: false,
    properties: {
      decision: {
        type: 'string',
        enum: ['clear', 'keep'],
        description:
          '`clear` makes the link active, and the same evidence does not flag it again; `keep` leaves it and is recorded.',
      },
      reason: { type: 'string', minLength: 1, maxLength: 1000, description: 'Kept with the link. One line.' },
    },
  },
  Alive: {
    type: 'object',
    description: 'The process lives.',
    required: ['status'],
    properties: { status: { type: 'string', const: 'alive' } },
  },
  Readiness: {
    type: 'object',
    description: 'Whether the service can do its work, and whether each thing it depends on is well.',
    required: ['status', 'dependencies'],
    properties: {
      status: { type: 'string', enum: ['ready', 'not_ready'] },
      dependencies: {
        type: 'object',
        description: 'By name.',
        additionalProperties: {
          type: 'object',
          required: ['ok'],
          properties: { ok: { type: 'boolean' } },
        },
      },
    },
  },
} as const satisfies Readonly<Record<string, Schema>>;

export type SchemaName = keyof typeof SCHEMAS;

export function refTo(name: SchemaName): Ref {
  return { $ref: `#/components/schemas/${name}` };
}

export const PARAMETERS = {
  slug: {
    name: 'slug',
    in: 'path',
    required: true,
    description: 'The slug of a link of yours.',
    schema: { type: 'string' },
    example: 'aB3dE6g',
  },
  dry_run: {
    name: 'dry_run',
    in: 'query',
    description:
      '`true`: every check and the scan, but nothing is made and nothing is spent. Answers 200 instead of 201, and ignores `Idempotency-Key`.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description: `Makes a retry safe: the same key with the same body within ${LIMITS.idempotencyHours} hours is answered with the first answer, spends nothing and makes nothing. Printable ASCII; a UUID does well.`,
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
    example: '7e0b6d5e-7a0c-4a43-9c6e-0f5a6a3f2c11',
  },
  page: {
    name: 'page',
    in: 'query',
    description: 'Which page.',
    schema: { type: 'integer', minimum: 1, default: 1 },
    example: 1,
  },
  limit: {
    name: 'limit',
    in: 'query',
    description: 'Links on a page.',
    schema: { type: 'integer', minimum: 1, maximum: LIMITS.pageSize, default: LIMITS.defaultPageSize },
    example: 25,
  },
  sort: {
    name: 'sort',
    in: 'query',
    description: 'Sorts by this field; ties by slug. Text is sorted by its bytes.',
    schema: { type: 'string', enum: LIST_SORTS, default: 'created_at' },
  },
  order: {
    name: 'order',
    in: 'query',
    description: 'Ascending or descending.',
    schema: { type: 'string', enum: ['asc', 'desc'], default: 'desc' },
  },
  status: {
    name: 'status',
    in: 'query',
    description: 'Only links of this status.',
    schema: { type: 'string', enum: LINK_STATUSES },
  },
  tag: {
    name: 'tag',
    in: 'query',
    description: `Only links with exactly this tag. Repeated: with all of them, at most ${LIMITS.tagsPerLink}, as no link has more.`,
    schema: { type: 'array', maxItems: LIMITS.tagsPerLink, items: { type: 'string', minLength: 1 } },
    style: 'form',
    explode: true,
    example: ['docs'],
  },
  search: {
    name: 'search',
    in: 'query',
    description: `Only links with this text in their slug or destination, in capital or small letters. A text of more than ${LIMITS.destinationUrlBytes} characters is in none.`,
    schema: { type: 'string', minLength: 1 },
    example: 'wiki',
  },
  period: {
    name: 'period',
    in: 'query',
    description: 'The last 7, 30 or 90 UTC days, today included.',
    schema: { type: 'string', enum: Object.keys(PERIODS), default: DEFAULT_PERIOD },
  },
  bots: {
    name: 'bots',
    in: 'query',
    description: '`exclude` leaves known bots out of every figure.',
    schema: { type: 'string', enum: ['include', 'exclude'], default: 'include' },
  },
  email: {
    name: 'email',
    in: 'path',
    required: true,
    description: 'The e-mail address of the account.',
    schema: { type: 'string' },
    example: 'ada@example.org',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

const integer: Schema = { type: 'integer', minimum: 0 };

export const HEADERS = {
  'X-RateLimit-Limit': { description: 'Links that may be made per hour.', schema: integer },
  'X-RateLimit-Used': { description: 'Links made in the current hour.', schema: integer },
  'X-RateLimit-Remaining': { description: 'Links that still may be made in the current hour.', schema: integer },
  'X-RateLimit-Reset': {
    description:
      'When the current hour ends, in Unix seconds, the same in each answer of that hour. With none open: an hour from now.',
    schema: integer,
  },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer', minimum: 1 } },
  'Idempotency-Replayed': {
    description: 'This is the answer to an earlier request with the same key.',
    schema: { type: 'string', const: 'true' },
  },
  'WWW-Authenticate': { description: 'The scheme to use.', schema: { type: 'string', const: 'Bearer' } },
  Allow: { description: 'The methods that this address answers.', schema: { type: 'string' } },
  'X-Request-Id': {
    description:
      'Names the request in the log of the server. Yours, if you sent one of 1 to 64 letters, digits, `.`, `_` or `-`.',
    schema: { type: 'string' },
  },
} as const satisfies Readonly<Record<string, Header>>;

export type HeaderName = keyof typeof HEADERS;

export const LINK_EXAMPLE = {
  slug: 'aB3dE6g',
  destination_url: 'https://www.wikipedia.org/',
  status: 'active',
  threat_type: null,
  revoked_at: null,
  tags: ['docs'],
  created_at: '2026-11-21T09:30:00.000Z',
  updated_at: '2026-11-21T09:30:00.000Z',
};

export const FLAGGED_EXAMPLE = {
  ...LINK_EXAMPLE,
  slug: 'k7Qm2Rx',
  destination_url: 'https://account-check.example.net/',
  status: 'flagged',
  threat_type: 'phishing',
};

export const WARNING_EXAMPLE = {
  slug: FLAGGED_EXAMPLE.slug,
  destination_url: FLAGGED_EXAMPLE.destination_url,
  threat_type: 'phishing',
  message: flagMessage('phishing'),
};
