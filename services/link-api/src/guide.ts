import { readFileSync } from 'node:fs';
import { LIMIT_ROWS, LIMITS, SCOPE_MEANINGS } from '@waypost/domain';
import { type ErrorStatus, errorBody, STATUSES } from './platform/http/errors.ts';
import { HEADERS, QUOTA_HEADERS } from './platform/http/headers.ts';
import type { Chapter } from './platform/openapi/openapi.ts';

type Row = readonly [name: string, text: string];

const ERROR_STATUSES: Readonly<Record<ErrorStatus, string>> = {
  400: 'The request is invalid: a field is missing or wrong, the JSON is malformed, or the state of the link does not allow it.',
  401: 'The API key is missing, wrong, expired or deleted. The response has the header `WWW-Authenticate: Bearer`.',
  403: 'The API key lacks the required scope, or its account is suspended.',
  404: 'The path or the resource does not exist, or the resource belongs to another account.',
  405: 'The path does not support the method. The header `Allow` lists the methods that it supports.',
  409: 'The slug is taken, the `Idempotency-Key` was used with a different body, or the first request with it is still running (then with `Retry-After`).',
  413: 'The request body is larger than 2 MiB.',
  415: 'The request body is not sent as `application/json`.',
  429: 'The quota or the number of attempts is exhausted, or your IP address sent too many requests without a valid API key or session. Retry after `Retry-After` seconds.',
  500: 'An unexpected error on the server.',
  503: 'A dependency is unavailable, or the server is handling too many requests. Retry after `Retry-After` seconds.',
};

/** A list is used because the narrow column of a table would break the names. */
const list = (...rows: readonly Row[]) => rows.map(([name, text]) => `- ${name}: ${text}\n`).join('');

const FACTS: Readonly<Record<string, string>> = {
  active_keys_per_account: String(LIMITS.activeKeysPerAccount),
  idempotency_hours: String(LIMITS.idempotencyHours),
  scopes: list(...Object.entries(SCOPE_MEANINGS).map(([scope, text]): Row => [`\`${scope}\``, text])),
  statuses: list(
    ...Object.entries(STATUSES).map(
      ([status, code]): Row => [`\`${status} ${code}\``, ERROR_STATUSES[Number(status) as ErrorStatus]],
    ),
  ),
  error: JSON.stringify(
    errorBody(400, 'destination_url must be an absolute URL that begins with http:// or https://.', {
      destination_url: 'must be an absolute URL that begins with http:// or https://',
    }),
    null,
    2,
  ),
  limits: list(
    ...[...QUOTA_HEADERS, 'Retry-After' as const].map((name): Row => [`\`${name}\``, HEADERS[name].description]),
    ...Object.entries(LIMIT_ROWS),
  ),
};

/** `{base_url}` and `{redirect_base_url}` stand for the base URLs of the API and of short links. */
export const GUIDE = readFileSync(new URL('./guide.md', import.meta.url), 'utf8')
  .trimEnd()
  .replace(/\{(\w+)\}/g, (place, name) => FACTS[name] ?? place);

export const CHAPTERS: readonly Chapter[] = [
  {
    name: 'Links',
    description: 'Create, list, get and revoke short links.',
    paths: ['links', 'check', 'facets', 'review-requests'],
  },
  {
    name: 'Account',
    description:
      'Manage your account. To create and delete API keys, use a dashboard session or an API key with the scope `admin`.',
    paths: ['account'],
  },
  { name: 'Analytics', description: 'View the clicks of your links.', paths: ['analytics'] },
  {
    name: 'Webhooks',
    description: 'Receive the events of your links at your own URL.',
    paths: ['webhooks'],
  },
  {
    name: 'Administration',
    description:
      'Manage all accounts and links. Requires an API key with the scope `admin`, of an account that is an administrator.',
    paths: ['admin'],
  },
  {
    name: 'Dashboard',
    description: 'Sign in and out. These endpoints are for the pages of the dashboard only.',
    paths: ['session', 'first-run'],
  },
  {
    name: 'Health',
    description: 'Monitor the service. No API key is required.',
    paths: ['healthz', 'readyz'],
  },
];
