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

const ERROR = errorBody(400, 'destination_url must be an absolute URL that begins with http:// or https://.', {
  destination_url: 'must be an absolute URL that begins with http:// or https://',
});

const ERROR_ROWS = Object.entries(STATUSES).map(
  ([status, code]): Row => [`\`${status} ${code}\``, ERROR_STATUSES[Number(status) as ErrorStatus]],
);

/** `{base_url}` and `{redirect_base_url}` stand for the base URLs of the API and of short links. */
export const GUIDE = `Use the Waypost API to create short links singly or in bulk, list and revoke them, and view their analytics. Every destination is scanned when its link is created. A flagged link is created, but it does not redirect.

Requests and responses are JSON. Short URLs begin with \`{redirect_base_url}\`.

## Authentication

Send an API key with every request: \`Authorization: Bearer <API_KEY>\`. API keys are for servers and scripts. Store them in environment variables, never in code or in a browser. A key is shown only once, when it is created. An account may have up to ${LIMITS.activeKeysPerAccount} active keys. Deleting a key takes effect immediately.

Without a valid key, the response is 401. With a key that lacks the required scope, it is 403.

${list(...Object.entries(SCOPE_MEANINGS).map(([scope, text]): Row => [`\`${scope}\``, text]))}
To create a key, run this where Waypost runs:

\`\`\`sh
npm run -s waypost -- admin create-key --email you@example.org --name laptop --scopes read,write
\`\`\`

## Command line

The command-line tool \`waypost\` provides the same operations in a terminal. In a clone of the repository, run it as \`npm run -s waypost --\`. With \`--json\` it prints the response of the API. It retries failed requests and never creates a link twice. For its commands and exit codes, run \`waypost help\`.

Set the URL and your API key:

\`\`\`sh
export WAYPOST_URL={base_url}
export WAYPOST_API_KEY=wp_…
\`\`\`

## Tool server

Language models use Waypost through MCP (Streamable HTTP) at \`{base_url}/mcp\`, with the same keys, scopes, limits and errors. The scope \`write\` permits the tools \`create_short_link\`, \`bulk_create_links\` and \`revoke_link\`. The scope \`read\` permits \`check_url\`, \`list_links\`, \`get_analytics\` and \`generate_qr\`. A tool that fails returns the error object below, with \`retry_after\` in seconds.

To add the server to Claude Code:

\`\`\`sh
claude mcp add --transport http waypost {base_url}/mcp --header "Authorization: Bearer $WAYPOST_API_KEY"
\`\`\`

## Requests

Send a request body as \`Content-Type: application/json\`, in UTF-8, up to 2 MiB. Unknown fields, unknown or repeated parameters and empty values are errors, so that typos do not go unnoticed. Only \`tag\` and \`slugs\` may be repeated. \`null\` for an optional field means the same as leaving it out.

New fields and error codes may be added within a version: ignore unknown ones. The path has the version: \`/api/v1\`.

A request is checked in this order: path and method, API key, scope, size and type of the body, and fields. Then: replay by \`Idempotency-Key\`, existence and state of the link, availability of the slug, quota, and scan. A failed request changes nothing and uses no quota.

## Errors

Every error is the same JSON object, \`Error\`, with a code, a message and the status. If the status is 400, \`details\` names every invalid field: in a batch, up to ten per link, while \`message\` counts the others. If the status is 500 or above, give \`error_id\` to your administrator when you report the error.

${list(...ERROR_ROWS)}
\`\`\`json
${JSON.stringify(ERROR, null, 2)}
\`\`\`

## Retries

Retry 429, 5xx and broken connections with exponential backoff and jitter, and wait at least \`Retry-After\` seconds. After a 5xx error, the change may still have taken effect. Therefore send an \`Idempotency-Key\` with every creation, and the same key with its retries. For ${LIMITS.idempotencyHours} hours, a retry returns the first response, with the header \`Idempotency-Replayed: true\`.

## Limits

Link creations are counted per account, across all its API keys, in a window of one hour that begins with the first creation. Each link of a batch counts. Reads, revocations and dry runs are not counted. Concurrent requests beyond an account's share wait, and get 503 with \`Retry-After\` if they wait too long. Responses of the creation endpoints have these headers:

${list(
  ...[...QUOTA_HEADERS, 'Retry-After' as const].map((name): Row => [`\`${name}\``, HEADERS[name].description]),
  ...Object.entries(LIMIT_ROWS),
)}`;

export const CHAPTERS: readonly Chapter[] = [
  { name: 'Links', description: 'Create, list, get and revoke short links.', paths: ['links', 'check', 'facets'] },
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
