/** The same request as curl, as a command and as TypeScript. */

export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript';
  readonly label: 'curl' | 'waypost' | 'TypeScript';
  readonly source: string;
}

export interface SampleRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly body?: unknown;
  readonly idempotencyKey?: boolean;
  /** Without a key: a health check, or what needs a session. */
  readonly open?: boolean;
  /** The command that does the same, if there is one. */
  readonly cli?: string | undefined;
}

export function samplesOf(baseUrl: string, request: SampleRequest): CodeSample[] {
  return [
    { lang: 'Shell', label: 'curl', source: curl(baseUrl, request) },
    ...(request.cli === undefined ? [] : [{ lang: 'Shell', label: 'waypost', source: request.cli } as const]),
    { lang: 'TypeScript', label: 'TypeScript', source: typescript(baseUrl, request) },
  ];
}

function curl(baseUrl: string, { method, path, body, idempotencyKey, open }: SampleRequest): string {
  const words = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} ${inShell(baseUrl + path)}`,
    ...(open ? [] : ['-H "Authorization: Bearer $WAYPOST_API_KEY"']),
    ...(idempotencyKey ? ['-H "Idempotency-Key: $(uuidgen)"'] : []),
    ...(body === undefined ? [] : ['-H "Content-Type: application/json"', `-d ${inShell(JSON.stringify(body))}`]),
  ];
  return words.join(' \\\n  ');
}

function typescript(baseUrl: string, { method, path, body, idempotencyKey, open }: SampleRequest): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the reader's template
    ...(open ? [] : ['Authorization: `Bearer ${process.env.WAYPOST_API_KEY}`']),
    ...(idempotencyKey ? ['"Idempotency-Key": crypto.randomUUID()'] : []),
    ...(body === undefined ? [] : ['"Content-Type": "application/json"']),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`method: "${method}"`]),
    ...(headers.length === 0 ? [] : [`headers: {\n${headers.map((header) => `    ${header},\n`).join('')}  }`]),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(body)})`]),
  ];
  const init = options.length === 0 ? '' : `, {\n${options.map((option) => `  ${option},\n`).join('')}}`;
  return `const response = await fetch(${JSON.stringify(baseUrl + path)}${init});
const answer = await response.json();
if (!response.ok) throw new Error(answer.message);`;
}

/** JSON as a TypeScript literal: without quotes around the keys, which are identifiers here. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replace(/^( *)"(\w+)":/gm, '$1$2:')
    .replaceAll('\n', '\n  ');
}

/** Quotes a text as one word of a POSIX shell. */
function inShell(text: string): string {
  return /^[\w@%+:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
