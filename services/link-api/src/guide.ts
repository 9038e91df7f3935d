import { LIMIT_ROWS, LIMITS, SCOPE_MEANINGS } from '@waypost/domain';
import { errorBody, STATUSES } from './platform/http/errors.ts';
import { HEADERS, QUOTA_HEADERS } from './platform/http/headers.ts';
import type { Chapter } from './platform/openapi/openapi.ts';

type Row = readonly [name: string, text: string];

/** A list is used because the narrow column of a table would break the names. */
const list = (...rows: readonly Row[]) => rows.map(([name, text]) => `- ${name}: ${text}\n`).join('');

const ERROR = errorBody(400, 'destination_url must be an absolute URL that begins with http:// or https://.', {
  destination_url: 'must be an absolute URL that begins with http:// or https://',
});

/** `{base_url}` and `{redirect_base_url}` stand for the base URLs of the API and of short links. */
export const GUIDE = `Make short links one by one or many at once, list and revoke them, and read their clicks. Every destination is scanned when its link is made; a flagged link is made, but it does not redirect.

Requests and answers are JSON. Short links are served from \`{redirect_base_url}\`.

## Authentication

Every request carries an API key: \`Authorization: Bearer <API_KEY>\`. A key is for servers and scripts: keep it in an environment variable, not in code and not in a browser. It is shown once, when it is made; an account may have ${LIMITS.activeKeysPerAccount}. A deleted key is refused from the next request on.

Without a valid key the answer is 401; with a key that lacks the scope it is 403.

${list(...Object.entries(SCOPE_MEANINGS).map(([scope, text]): Row => [`\`${scope}\``, text]))}
Make a key, where Waypost runs:

\`\`\`sh
npm run -s waypost -- admin create-key --email you@example.org --name laptop --scopes read,write
\`\`\`

## Command line

The program \`waypost\` does all of this from a terminal; in a clone it is \`npm run -s waypost --\`. With \`--json\` it prints the answer of the API. It retries for you, and never makes a link twice. \`waypost help\` has its commands and exit codes.

Tell it where, and who you are:

\`\`\`sh
export WAYPOST_URL={base_url}
export WAYPOST_API_KEY=wp_…
\`\`\`

## Tool server

Models use Waypost through MCP (Streamable HTTP) at \`{base_url}/mcp\`, with the same keys, scopes, limits and errors. Tools: \`create_short_link\`, \`bulk_create_links\` and \`revoke_link\` with \`write\`; \`check_url\`, \`list_links\`, \`get_analytics\` and \`generate_qr\` with \`read\`. A tool that fails gives the error below as its result, with \`retry_after\` in seconds.

Add it to a client:

\`\`\`sh
claude mcp add --transport http waypost {base_url}/mcp --header "Authorization: Bearer $WAYPOST_API_KEY"
\`\`\`

## Requests

A body is sent as \`Content-Type: application/json\`, in UTF-8, up to 2 MiB. An unknown field, an unknown or repeated parameter (only \`tag\` may be repeated) or an empty value is an error, so that a typo does not go unnoticed. \`null\` for an optional field is as good as leaving it out.

Answers may get new fields, and errors new codes: ignore what you do not know. The version is in the path: \`/api/v1\`.

Checks are made in this order: address and method, key, scope, size and type of the body, its fields, a replay by \`Idempotency-Key\`, whether the link exists, its state, whether the slug is free, the quota, the scan. A request that fails spends nothing and leaves nothing behind.

## Errors

Every error is the same JSON object, \`Error\`: a code, words for a person, the status. On 400 \`details\` names every bad field, up to ten of each link of a batch (\`message\` counts the others; a list that is too long is one fault); from 500 on \`error_id\` is the number to tell your administrator.

${list(...Object.entries(STATUSES).map(([status, [code, words]]): Row => [`\`${status} ${code}\``, words]))}
\`\`\`json
${JSON.stringify(ERROR, null, 2)}
\`\`\`

## Retries

Retry 429 and 5xx, and a connection that broke, with exponential back-off and jitter; wait at least the seconds of \`Retry-After\`. After an error from 500 on, a change may have taken effect all the same: send \`Idempotency-Key\` with every creation, and the same one with its retries. For ${LIMITS.idempotencyHours} hours it is answered with the first answer, and \`Idempotency-Replayed: true\`.

## Limits

Creations are counted per account, over all its keys, in a window of one hour that the first creation opens. Each link of a batch counts. Reading, revoking and dry runs are not counted; an account that asks for more at once than its share waits its turn, and is answered 503 with \`Retry-After\` if that takes too long. Answers of the creation endpoints carry the count:

${list(
  ...[...QUOTA_HEADERS, 'Retry-After' as const].map((name): Row => [`\`${name}\``, HEADERS[name].description]),
  ...Object.entries(LIMIT_ROWS),
)}`;

export const CHAPTERS: readonly Chapter[] = [
  { name: 'Links', description: 'Making links, reading and revoking them.', paths: ['links', 'check', 'facets'] },
  {
    name: 'Account',
    description:
      'Your account. Its keys are made and deleted with a session of the dashboard, or with a key that has the scope `admin`.',
    paths: ['account'],
  },
  { name: 'Analytics', description: 'Clicks, within seconds after they happen.', paths: ['analytics'] },
  {
    name: 'Webhooks',
    description: 'Where the events of your links are sent, and what became of each message.',
    paths: ['webhooks'],
  },
  {
    name: 'Administration',
    description: 'For a key with the scope `admin` of an account that is an administrator.',
    paths: ['admin'],
  },
  {
    name: 'Dashboard',
    description: "For the dashboard's own pages: signing in and out.",
    paths: ['session', 'first-run'],
  },
  {
    name: 'Health',
    description: 'For those who monitor the service. No key is needed.',
    paths: ['healthz', 'readyz'],
  },
];
