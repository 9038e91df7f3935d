/** The tool server, by the SDK's own client: the tools, resources and prompts of a key, and what it refuses. */
import { inflateSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/client';
import decodeQr from 'qr/decode.js';
import { call, connected, type Mode, overHttp } from './mcp-clients.ts';
import { product } from './product.ts';
import { DESTINATION, expectError, freshSlug, listedUrl, newSlugs, times, visit } from './support.ts';
import { apiClient, type Json } from './waypost-process.ts';

const { waypost, api, apiKey } = product();

const clientOf = (key: string, mode?: Mode) => connected(overHttp(waypost.api, key), mode);
/** What a tool says, checked to be the same in both of its forms. */
function said({ content, structuredContent, isError }: CallToolResult): Json {
  const [first] = content;
  const text = first?.type === 'text' ? JSON.parse(first.text) : undefined;
  if (isError) expect(structuredContent).toBeUndefined();
  else expect(structuredContent).toMatchObject(text);
  return structuredContent ?? text;
}
const names = (listed: readonly { readonly name: string }[]) => listed.map(({ name }) => name).sort();

const READ = ['generate_qr', 'get_analytics', 'list_links'];
const WRITE = ['bulk_create_links', 'create_short_link', 'revoke_link'];

/** One message, as it is. */
const post = (body: unknown, headers: Record<string, string> = {}, key = apiKey()) =>
  fetch(`${waypost.api}/mcp`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const message = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 1, method, params });
/** The message that answers it, in either form. */
async function answerOf(response: Response): Promise<Json> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

describe.each<Mode>(['auto', 'legacy'])('a client in the mode %s', (mode) => {
  test('creates, lists, reads, revokes and revokes again, with the facts and errors of the REST API', async () => {
    const client = await clientOf(apiKey(), mode);
    const slug = freshSlug();

    const created = said(await call(client, 'create_short_link', { destination_url: DESTINATION, custom_slug: slug }));
    expect(created.short_url.endsWith(`/${slug}`)).toBe(true);
    expect(created.link).toEqual((await api('GET', `/api/v1/links/${slug}`)).body);
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);

    const asked = { search: slug, limit: 5, status: 'active' };
    expect(said(await call(client, 'list_links', asked))).toEqual(
      (await api('GET', `/api/v1/links?${new URLSearchParams(asked as Json)}`)).body,
    );
    expect(said(await call(client, 'get_analytics', { slug, period: '30d', bots: 'exclude' }))).toEqual(
      (await api('GET', `/api/v1/links/${slug}/analytics?period=30d&bots=exclude`)).body,
    );

    const revoked = said(await call(client, 'revoke_link', { slug }));
    expect(revoked).toEqual((await api('GET', `/api/v1/links/${slug}`)).body);
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(410);
    const again = await call(client, 'revoke_link', { slug });
    expect(again.isError).toBe(true);
    expect(said(again)).toEqual((await api('POST', `/api/v1/links/${slug}/revoke`)).body);
  });
});

test('a client is told of each bad row of a bulk, of which nothing is made, and of the progress of a good one', async () => {
  const client = await clientOf(apiKey());
  const tag = freshSlug();
  const rows = times(20, () => ({ destination_url: DESTINATION, tags: [tag] }) as Json);
  const bad = rows.with(3, { destination_url: 'nowhere', tags: [tag] }).with(7, { custom_slug: 'a', colour: 1 });
  const refused = await call(client, 'bulk_create_links', { links: bad });
  expect(refused.isError).toBe(true);
  expect(said(refused)).toEqual((await api('POST', '/api/v1/links/bulk', { links: bad })).body);
  expect(Object.keys(said(refused).details)).toContain('links[3].destination_url');
  expect(said(await call(client, 'list_links', { tag: [tag] })).total).toBe(0);

  const progress: Json[] = [];
  const made = (await client.callTool(
    { name: 'bulk_create_links', arguments: { links: rows } },
    { onprogress: (one) => progress.push(one) },
  )) as CallToolResult;
  expect(said(made)).toMatchObject({ total_created: 20 });
  expect(progress).toEqual([
    { progress: 0, total: 20 },
    { progress: 20, total: 20 },
  ]);
  expect(said(await call(client, 'list_links', { tag: [tag], limit: 100 })).data).toHaveLength(20);
});

test('a client is told when to come again, and finds a retry with the same idempotency_key answered', async () => {
  const { key } = await waypost.newKey('read,write', { limit: 1 });
  const client = await clientOf(key);
  const asked = { destination_url: DESTINATION, idempotency_key: 'once' };
  const first = said(await call(client, 'create_short_link', asked));
  expect(said(await call(client, 'create_short_link', asked))).toEqual(first);
  // Its header means the same.
  const once = { 'Idempotency-Key': 'once' };
  const { body } = await apiClient(waypost.api, key)('POST', '/api/v1/links', { destination_url: DESTINATION }, once);
  expect(body).toEqual(first);
  const reused = said(await call(client, 'create_short_link', { ...asked, tags: ['other'] }));
  expect(reused).toMatchObject({ status: 409, details: { idempotency_key: expect.any(String) } });
  const late = said(await call(client, 'create_short_link', { destination_url: DESTINATION }));
  expect(late).toMatchObject({ error: 'rate_limited', status: 429, retry_after: expect.any(Number) });
  expect(late.retry_after).toBeGreaterThan(3_000);
});

test('a client reads links as resources, page by page, and no link of another account', async () => {
  const owner = await waypost.newKey();
  const client = await clientOf(owner.key);
  const slugs = await newSlugs(apiClient(waypost.api, owner.key), 101);
  const uris = slugs.map((slug) => `waypost://links/${slug}`).sort();
  // The client goes from page to page by itself.
  const { resources } = await client.listResources();
  expect(resources.map(({ uri }) => uri).sort()).toEqual(uris);
  expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
    { uriTemplate: 'waypost://links/{slug}', mimeType: 'application/json' },
  ]);
  const { contents } = await client.readResource({ uri: uris[0]! });
  expect(JSON.parse((contents[0] as Json).text)).toMatchObject({ status: 'active' });

  const stranger = await clientOf(apiKey());
  for (const uri of [uris[0]!, 'waypost://links/', 'waypost://accounts/1', `waypost://links/${'a'.repeat(5_000)}`]) {
    await expect(stranger.readResource({ uri })).rejects.toMatchObject({
      code: -32602,
      data: { uri: uri.slice(0, 200) },
    });
  }
});

describe('tools', () => {
  test('say what they take, what they give and what they do', async () => {
    const { tools } = await (await clientOf(apiKey())).listTools();
    expect(names(tools)).toEqual([...READ, ...WRITE].sort());
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect([title, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toEqual({
        readOnlyHint: READ.includes(name),
        destructiveHint: name === 'revoke_link',
        idempotentHint: READ.includes(name) || name === 'revoke_link',
        openWorldHint: false,
      });
    }
    const create = tools.find(({ name }) => name === 'create_short_link')!;
    expect(create.inputSchema.required).toEqual(['destination_url']);
    expect(create.inputSchema.properties).toMatchObject({
      dry_run: { type: 'boolean', default: false },
      custom_slug: { type: 'string' },
    });
  });

  test('try without making, and warn of a flagged destination', async () => {
    const client = await clientOf(apiKey());
    const { total } = said(await call(client, 'list_links'));
    const tried = said(await call(client, 'create_short_link', { destination_url: DESTINATION, dry_run: true }));
    expect(tried).toMatchObject({ link: { slug: null }, short_url: null });
    expect(said(await call(client, 'list_links')).total).toBe(total);
    const flagged = said(await call(client, 'create_short_link', { destination_url: await listedUrl(waypost) }));
    expect(flagged).toMatchObject({ link: { status: 'flagged' }, warning: { threat_type: 'malware' } });
  });

  test('draw a QR code that says the short URL', async () => {
    const client = await clientOf(apiKey());
    const { link, short_url } = said(await call(client, 'create_short_link', { destination_url: DESTINATION }));
    const drawn = await call(client, 'generate_qr', { slug: link.slug });
    expect(said(drawn)).toMatchObject({ slug: link.slug, short_url, status: 'active', mime_type: 'image/png' });
    const picture = drawn.content[1] as Json;
    expect(picture).toMatchObject({ type: 'image', mimeType: 'image/png', data: said(drawn).data });
    expect(decodeQr(pixelsOf(Buffer.from(picture.data, 'base64')))).toBe(short_url);

    const svg = said(await call(client, 'generate_qr', { slug: link.slug, format: 'svg' }));
    expect(svg).toMatchObject({ mime_type: 'image/svg+xml', data: expect.stringMatching(/^<svg .*<\/svg>$/s) });
    expect(said(await call(client, 'generate_qr', { slug: 'nobodys' }))).toMatchObject({ status: 404 });
  });

  test.each<[string, string, Record<string, unknown>, string[]]>([
    ['nothing', 'create_short_link', {}, ['destination_url']],
    ['wrong types', 'create_short_link', { destination_url: 7, dry_run: 'perhaps' }, ['dry_run']],
    [
      'wrong types in the body',
      'create_short_link',
      { destination_url: 7, custom_slug: {}, tags: 'a' },
      ['custom_slug', 'destination_url', 'tags'],
    ],
    ['a typo', 'create_short_link', { destination_url: DESTINATION, customSlug: 'x' }, ['customSlug']],
    ['rows that are nothing', 'bulk_create_links', { links: [null, 7] }, ['links[0]', 'links[1]']],
    ['lists and objects', 'list_links', { page: [1], limit: {}, search: 7 }, ['limit', 'page', 'search']],
    ['a list of slugs', 'revoke_link', { slug: ['a', 'b'] }, ['slug']],
    ['an unknown argument', 'get_analytics', { slug: 'abc', colour: 1 }, ['colour']],
  ])('name what is wrong with %s', async (_what, name, args, faults) => {
    const result = await call(await clientOf(apiKey()), name, args);
    expect(result.isError).toBe(true);
    expect(said(result)).toMatchObject({ error: 'bad_request', status: 400 });
    expect(Object.keys(said(result).details).sort()).toEqual(faults);
  });
});

describe('a scope', () => {
  test.each([
    ['read', READ, ['report_on_link']],
    ['write', WRITE, ['shorten_text']],
    ['read,write', [...READ, ...WRITE], ['report_on_link', 'shorten_text']],
    ['admin', [...READ, ...WRITE], ['report_on_link', 'shorten_text']],
  ])('%s lists its tools and prompts, and others cannot be called', async (scopes, tools, prompts) => {
    const { key } = await waypost.newKey(scopes, { admin: scopes === 'admin' });
    const client = await clientOf(key);
    expect(names((await client.listTools()).tools)).toEqual([...tools].sort());
    expect(names((await client.listPrompts()).prompts)).toEqual(prompts);
    expect(client.getServerCapabilities()).toEqual({
      tools: {},
      prompts: {},
      ...(tools.includes('list_links') && { resources: {} }),
    });
    for (const name of [...READ, ...WRITE]) {
      const { status } = said(await call(client, name, { colour: 1 }));
      expect([name, status]).toEqual([name, tools.includes(name) ? 400 : 403]);
    }
  });
});

test('a prompt is a task with its arguments filled in', async () => {
  const client = await clientOf(apiKey());
  const { messages } = await client.getPrompt({ name: 'report_on_link', arguments: { slug: 'spring-menu' } });
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.stringContaining('spring-menu') } }]);
  await expect(client.getPrompt({ name: 'report_on_link' })).rejects.toThrow(/"slug"/);
  await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow(/no prompt/);
});

describe('a key', () => {
  test('that is deleted is refused with the next message', async () => {
    const { key, id } = await waypost.newKey();
    const client = await clientOf(key);
    expect((await call(client, 'list_links')).isError).toBeFalsy();
    await waypost.admin('delete-key', { id });
    await expect(call(client, 'list_links')).rejects.toThrow();
    expect((await post(message('tools/list'), {}, key)).status).toBe(401);
  });

  test('is needed for everything, and is in no answer and no line of the log', async () => {
    for (const headers of [
      { Authorization: '' },
      { Authorization: 'Bearer wp_wrong' },
      { Authorization: 'Basic eDp5' },
    ]) {
      const response = await post(message('initialize'), headers);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      expectError({ status: response.status, headers: response.headers, body: await response.json() }, 401);
    }
    const answers = [
      post(message('tools/call', { name: 'create_short_link', arguments: { destination_url: apiKey() } })),
      post(message('tools/call', { name: 'nothing', arguments: {} })),
      post(message('no/such/method')),
      post({ jsonrpc: '2.0' }),
    ];
    for (const answer of await Promise.all(answers)) expect(await answer.text()).not.toContain(apiKey());
    expect(waypost.output()).not.toContain(apiKey());
  });
});

describe('a message', () => {
  test.each([
    ['Host', { Host: 'evil.example' }],
    ['Host with a port', { Host: 'evil.example:8080' }],
    ['Host that only begins well', { Host: 'localhost.evil.example' }],
    ['Origin', { Origin: 'https://evil.example' }],
    ['Origin of nothing', { Origin: 'null' }],
  ])('of a page of another site is refused by its %s, before the key is looked at', async (_what, headers) => {
    for (const method of ['POST', 'GET']) {
      for (const authorization of [`Bearer ${apiKey()}`, 'Bearer no']) {
        const answer = await visit(waypost.api, '/mcp', {
          method,
          headers: { ...headers, Authorization: authorization },
        });
        expect(answer.status).toBe(403);
        expect(JSON.parse(answer.text)).toMatchObject({ error: 'forbidden', status: 403 });
      }
    }
  });

  test.each([{ Host: 'localhost:1' }, { Origin: 'http://localhost:8080' }, { Host: '[::1]' }])(
    'of this machine passes: %j',
    async (headers) => {
      expect((await visit(waypost.api, '/mcp', { method: 'POST', headers })).status).toBe(401);
    },
  );

  test.each(['GET', 'DELETE'])('is not sent by %s: there is no session to hear or to end', async (method) => {
    const { status, headers } = await visit(waypost.api, '/mcp', { method });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  test('that is none is refused, and none is answered with 500', async () => {
    const fields = (count: number) => Object.fromEntries(times(count, (i) => [`f${i}`, i]));
    const large = { links: Array(5_000).fill({ destination_url: 'x'.repeat(80) }) };
    const hostile: [body: unknown, status: number, headers?: Record<string, string>][] = [
      ['', 400],
      ['{', 400],
      ['null', 400],
      ['7', 400],
      ['[]', 400],
      [[message('tools/list'), message('tools/list')], 400],
      ['['.repeat(100_000), 400],
      [`{"a":${'['.repeat(100)}${']'.repeat(100)}}`, 400],
      [{ jsonrpc: '1.0', id: 1, method: 'tools/list' }, 400],
      ['x'.repeat(3 * 1024 * 1024), 413],
      [message('tools/list'), 415, { 'Content-Type': 'text/plain' }],
      [message('tools/list'), 406, { Accept: 'text/html' }],
      [message('tools/list'), 400, { 'MCP-Protocol-Version': '1999-01-01' }],
      [message('tools/call', { name: 'bulk_create_links', arguments: large }), 200],
      [message('tools/call', { name: 'constructor' }), 200],
      [message('tools/call', { name: 7 }), 200],
      [message('tools/call', { name: 'list_links', arguments: [1] }), 200],
      [message('resources/list', { cursor: '-1' }), 200],
      [message('prompts/get', { name: 'shorten_text', arguments: { text: { a: 1 } } }), 200],
      [message('no/such/method'), 200],
      [message('prompts/get', { name: 'shorten_text', arguments: fields(100_000) }), 400],
      [message('prompts/get', { name: 'shorten_text', arguments: fields(10) }), 200],
      [message('tools/call', { name: 'list_links', arguments: fields(100_000) }), 400],
      [message('tools/call', { name: 'list_links', arguments: fields(200) }), 200],
      [message('tools/list', { _meta: { a: Array(100_000).fill({}) } }), 400],
    ];
    for (const [body, status, headers] of hostile) {
      const response = await post(body, headers);
      expect([JSON.stringify(body).slice(0, 80), response.status]).toEqual([JSON.stringify(body).slice(0, 80), status]);
      const answer = await answerOf(response);
      expect(answer.error !== undefined || answer.result?.isError === true).toBe(true);
      expect(JSON.stringify(answer).length).toBeLessThan(5_000);
    }
  });

  test('needs nothing that another replica would not know: no session id is given', async () => {
    const response = await post(
      message('initialize', {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      }),
    );
    expect(response.headers.get('mcp-session-id')).toBeNull();
    expect((await answerOf(response)).result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'waypost' },
    });
    // Without an `initialize` of its own.
    expect((await answerOf(await post(message('tools/list')))).result.tools).toHaveLength(READ.length + WRITE.length);
  });

  test('that listens for changes is told that there is nothing to listen to', async () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const response = await post(message('subscriptions/listen', { _meta, notifications: { toolsListChanged: true } }), {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'subscriptions/listen',
    });
    expect(await answerOf(response)).toMatchObject({ error: { message: 'Subscription limit reached' } });
  });
});

/** Of a PNG of two colours without filters, as it is drawn here. */
function pixelsOf(png: Buffer) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const chunks: Buffer[] = [];
  let palette: Buffer = Buffer.alloc(0);
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const content = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') chunks.push(content);
    if (type === 'PLTE') palette = content;
  }
  const rows = inflateSync(Buffer.concat(chunks));
  const stride = 1 + Math.ceil(width / 8);
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = (rows[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1;
      const shade = palette.length > 0 ? palette[3 * bit]! : 255 * bit;
      data.fill(shade, 4 * (y * width + x), 4 * (y * width + x) + 3);
    }
  }
  return { width, height, data };
}
