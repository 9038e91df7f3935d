/** Calls the API in the same way through four clients: the SDK, the command line, MCP over HTTP and MCP over stdio. */
import { Client } from '@modelcontextprotocol/client';
import { runClient } from '@waypost/cli';
import { Waypost, WaypostError } from '@waypost/sdk';
import { call, overHttp, overStdio, type Transport } from './mcp-clients.ts';
import { DESTINATION, freshSlug } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

type Operation =
  | 'check_url'
  | 'create_short_link'
  | 'bulk_create_links'
  | 'revoke_link'
  | 'list_links'
  | 'get_analytics';
type Way<T> = (args: Json) => T;

type Outcome = Json;
type Ways<T> = Readonly<Record<Operation, Way<T>>>;
interface TestedClient {
  readonly ways: Ways<Promise<Outcome>>;
  close?(): Promise<void>;
}

const each = <T>(ways: Ways<T>, ask: (call: T) => Promise<Outcome>) =>
  Object.fromEntries(
    Object.entries(ways).map(([name, way]) => [name, async (args: Json) => ask(way(args))]),
  ) as TestedClient['ways'];

const queryOf = (args: Json) => new URLSearchParams(args);

export function rest(url: string, key: string): TestedClient {
  const client = apiClient(url, key);
  const ways: Ways<Parameters<typeof client>> = {
    check_url: (address) => ['POST', '/check', address],
    create_short_link: (link) => ['POST', '/links', link],
    bulk_create_links: (links) => ['POST', '/links/bulk', links],
    revoke_link: ({ slug }) => ['POST', `/links/${slug}/revoke`],
    list_links: (query) => ['GET', `/links?${queryOf(query)}`],
    get_analytics: ({ slug, ...query }) => [
      'GET',
      `${slug === undefined ? '' : `/links/${slug}`}/analytics?${queryOf(query)}`,
    ],
  };
  return { ways: each(ways, async ([method, where, body]) => (await client(method, `/api/v1${where}`, body)).body) };
}

function sdk(url: string, key: string): TestedClient {
  const client = new Waypost({ url, apiKey: key });
  const ways: Ways<Promise<unknown>> = {
    check_url: ({ url }) => client.checkUrl(url),
    create_short_link: (link) => client.create(link),
    bulk_create_links: ({ links }) => client.createMany(links),
    revoke_link: ({ slug }) => client.revoke(slug),
    list_links: (query) => client.list(query),
    get_analytics: ({ slug, ...query }) =>
      slug === undefined ? client.overview(query) : client.analytics(slug, query),
  };
  return {
    ways: each(ways, (call) =>
      call.catch((error: unknown) => {
        if (!(error instanceof WaypostError)) throw error;
        const { code, message, status, details } = error;
        return { error: code, message, status, ...(Object.keys(details).length > 0 && { details }) };
      }),
    ),
  };
}

export async function runCommandLine(url: string, key: string, args: readonly string[], stdin = '') {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    readStdin: async () => Buffer.from(stdin),
    columns: undefined,
    sleep: async () => undefined,
    random: () => 0,
  };
  const code = await runClient(args, { WAYPOST_API_KEY: key, WAYPOST_URL: url }, terminal);
  return { code, stdout: out.join(''), stderr: err.join('') };
}

function commandLine(url: string, key: string): TestedClient {
  const options = (args: Json) => Object.entries(args).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const ways: Ways<readonly [args: readonly string[], stdin?: string]> = {
    check_url: ({ url }) => [['check', url]],
    create_short_link: ({ destination_url, custom_slug, tags = [] }) => [
      ['create', destination_url, ...options({ slug: custom_slug }), ...tags.flatMap((tag: string) => ['--tag', tag])],
    ],
    bulk_create_links: ({ links }) => [['bulk', '-'], JSON.stringify(links)],
    revoke_link: ({ slug }) => [['revoke', slug]],
    list_links: (query) => [['list', ...options(query)]],
    get_analytics: ({ slug, ...query }) => [
      [...(slug === undefined ? ['overview'] : ['analytics', slug]), ...options(query)],
    ],
  };
  return {
    ways: each(ways, async ([args, stdin]) => {
      const { code, stdout, stderr } = await runCommandLine(url, key, [...args, '--json'], stdin);
      // `check` prints a list, since it takes several addresses.
      return [JSON.parse(code === 0 ? stdout : stderr)].flat()[0];
    }),
  };
}

async function mcp(transport: Transport): Promise<TestedClient> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  const tool = (name: Operation) => async (args: Json) => {
    const { structuredContent, content } = await call(client, name, args);
    return structuredContent ?? JSON.parse((content[0] as Json).text);
  };
  return {
    ways: {
      check_url: tool('check_url'),
      create_short_link: tool('create_short_link'),
      bulk_create_links: tool('bulk_create_links'),
      revoke_link: tool('revoke_link'),
      list_links: tool('list_links'),
      get_analytics: tool('get_analytics'),
    },
    close: () => client.close(),
  };
}

type ClientOf = (url: string, key: string) => TestedClient | Promise<TestedClient>;
export const CLIENTS: readonly (readonly [name: string, of: ClientOf])[] = [
  ['the SDK', sdk],
  ['the command line', commandLine],
  ['MCP over HTTP', (url, key) => mcp(overHttp(url, key))],
  ['MCP over stdio', (url, key) => mcp(overStdio({ HOME: '', WAYPOST_URL: url, WAYPOST_API_KEY: key }))],
];

const JOURNEY = (slug: string): readonly (readonly [Operation, Json])[] => {
  const row = (name: string) => ({ destination_url: DESTINATION, custom_slug: `${slug}-${name}`, tags: ['two'] });
  const one = { destination_url: DESTINATION, custom_slug: slug, tags: ['one', 'first'] };
  return [
    ['check_url', { url: DESTINATION }],
    ['create_short_link', one],
    ['create_short_link', one],
    ['bulk_create_links', { links: [row('a'), { destination_url: 'nowhere' }, row('b')] }],
    ['list_links', { search: slug }],
    ['bulk_create_links', { links: [row('a'), row('b')] }],
    ['list_links', { search: slug, limit: 2, sort: 'slug', order: 'asc' }],
    ['revoke_link', { slug }],
    ['revoke_link', { slug }],
    ['list_links', { status: 'revoked' }],
    ['get_analytics', { slug, period: '30d' }],
    ['get_analytics', { slug: `${slug}-none` }],
    ['get_analytics', { period: '30d', bots: 'exclude' }],
  ];
};

/**
 * Resolves to the outcome of each step with this key. Slugs and times are replaced, because they differ between
 * journeys.
 */
export async function journeyBy(of: ClientOf, url: string, key: string): Promise<Json[]> {
  const client = await of(url, key);
  const slug = freshSlug('journey');
  const outcomes: Json[] = [];
  for (const [name, args] of JOURNEY(slug)) outcomes.push(await client.ways[name](args));
  await client.close?.();
  const words = JSON.stringify(outcomes);
  return JSON.parse(words.replaceAll(slug, 'SLUG').replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"'));
}
