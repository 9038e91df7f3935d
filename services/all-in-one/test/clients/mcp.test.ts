import { describe, expect, test } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { call, connected, type Mode, overHttp } from '../mcp-clients.ts';
import { product } from '../product.ts';
import { textIn } from '../qr-reader.ts';
import { DESTINATION, freshSlug, listedUrl, newSlugs, times, visit } from '../support.ts';
import { apiClient, type Json } from '../waypost-process.ts';

const { waypost, api, apiKey } = product();

const clientOf = (key: string, mode?: Mode) => connected(overHttp(waypost.api, key), mode);
/** Returns the content of a tool's answer. Its text and its structured form must be equal. */
function contentOf({ content, structuredContent, isError }: CallToolResult): Json {
  const [first] = content;
  const text = first?.type === 'text' ? JSON.parse(first.text) : undefined;
  if (isError) expect(structuredContent).toBeUndefined();
  else expect(structuredContent).toMatchObject(text);
  return structuredContent ?? text;
}
const names = (listed: readonly { readonly name: string }[]) => listed.map(({ name }) => name).sort();

const READ = ['check_url', 'generate_qr', 'get_analytics', 'list_links'];
const WRITE = ['bulk_create_links', 'create_short_link', 'revoke_link', 'update_link'];

describe.each<Mode>(['auto', 'legacy'])('a client in the mode %s', (mode) => {
  test('creates, lists, reads, revokes and revokes again, with the facts and errors of the REST API', async () => {
    const client = await clientOf(apiKey(), mode);
    const slug = freshSlug();

    const created = contentOf(
      await call(client, 'create_short_link', { destination_url: DESTINATION, custom_slug: slug }),
    );
    expect(created.short_url.endsWith(`/${slug}`)).toBe(true);
    expect(created.link).toEqual((await api('GET', `/api/v1/links/${slug}`)).body);
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(302);

    const query = { search: slug, limit: 5, status: 'active' };
    expect(contentOf(await call(client, 'list_links', query))).toEqual(
      (await api('GET', `/api/v1/links?${new URLSearchParams(query as Json)}`)).body,
    );
    expect(contentOf(await call(client, 'get_analytics', { slug, period: '30d', bots: 'exclude' }))).toEqual(
      (await api('GET', `/api/v1/links/${slug}/analytics?period=30d&bots=exclude`)).body,
    );
    const overview = contentOf(await call(client, 'get_analytics', { slug: null, period: '30d' }));
    expect(overview).toEqual((await api('GET', '/api/v1/analytics?period=30d')).body);
    expect(overview).not.toHaveProperty('slug');

    const edit = { slug, title: 'Menu', note: null, tags: null, ends_at: null };
    const updated = contentOf(await call(client, 'update_link', edit));
    expect(updated).toMatchObject({ title: 'Menu', note: null });
    expect(updated).toEqual((await api('GET', `/api/v1/links/${slug}`)).body);
    const revoked = contentOf(await call(client, 'revoke_link', { slug }));
    expect(revoked).toEqual((await api('GET', `/api/v1/links/${slug}`)).body);
    expect((await visit(waypost.redirect, `/${slug}`)).status).toBe(410);
    const again = await call(client, 'revoke_link', { slug });
    expect(again.isError).toBe(true);
    expect(contentOf(again)).toEqual((await api('POST', `/api/v1/links/${slug}/revoke`)).body);
  });
});

test('a client learns of each bad row of a bulk, which creates nothing, and of progress', async () => {
  const client = await clientOf(apiKey());
  const tag = freshSlug();
  const rows = times(20, () => ({ destination_url: DESTINATION, tags: [tag] }) as Json);
  const bad = rows.with(3, { destination_url: 'nowhere', tags: [tag] }).with(7, { custom_slug: 'a', colour: 1 });
  const refused = await call(client, 'bulk_create_links', { links: bad });
  expect(refused.isError).toBe(true);
  expect(contentOf(refused)).toEqual((await api('POST', '/api/v1/links/bulk', { links: bad })).body);
  expect(Object.keys(contentOf(refused).details)).toContain('links[3].destination_url');
  expect(contentOf(await call(client, 'list_links', { tag: [tag] })).total).toBe(0);

  const progress: Json[] = [];
  const result = (await client.callTool(
    { name: 'bulk_create_links', arguments: { links: rows } },
    { onprogress: (one) => progress.push(one) },
  )) as CallToolResult;
  expect(contentOf(result)).toMatchObject({ total_created: 20 });
  expect(progress).toEqual([
    { progress: 0, total: 20 },
    { progress: 20, total: 20 },
  ]);
  expect(contentOf(await call(client, 'list_links', { tag: [tag], limit: 100 })).data).toHaveLength(20);
});

test('a client learns when to retry, and a retry with the same idempotency_key gets the same answer', async () => {
  const { key } = await waypost.newKey('read,write', { limit: 1 });
  const client = await clientOf(key);
  const link = { destination_url: DESTINATION, idempotency_key: 'once' };
  const first = contentOf(await call(client, 'create_short_link', link));
  expect(contentOf(await call(client, 'create_short_link', link))).toEqual(first);
  // The header must name the same request as the field idempotency_key.
  const once = { 'Idempotency-Key': 'once' };
  const { body } = await apiClient(waypost.api, key)('POST', '/api/v1/links', { destination_url: DESTINATION }, once);
  expect(body).toEqual(first);
  const reused = contentOf(await call(client, 'create_short_link', { ...link, tags: ['other'] }));
  expect(reused).toMatchObject({ status: 409, details: { idempotency_key: expect.any(String) } });
  const late = contentOf(await call(client, 'create_short_link', { destination_url: DESTINATION }));
  expect(late).toMatchObject({ error: 'rate_limited', status: 429, retry_after: expect.any(Number) });
  expect(late.retry_after).toBeGreaterThan(3_000);
});

test('a client reads its links as resources, page by page, and none of another account', async () => {
  const owner = await waypost.newKey();
  const client = await clientOf(owner.key);
  const slugs = await newSlugs(apiClient(waypost.api, owner.key), 101);
  const uris = slugs.map((slug) => `waypost://links/${slug}`).sort();
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
  test('state their arguments, results and effects', async () => {
    const { tools } = await (await clientOf(apiKey())).listTools();
    expect(names(tools)).toEqual([...READ, ...WRITE].sort());
    for (const { name, title, description, inputSchema, outputSchema, annotations } of tools) {
      expect([title, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\S/)]);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      if (name === 'generate_qr') expect(outputSchema).toBeUndefined();
      else expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toEqual({
        readOnlyHint: READ.includes(name),
        destructiveHint: ['revoke_link', 'update_link'].includes(name),
        idempotentHint: READ.includes(name) || ['revoke_link', 'update_link'].includes(name),
        openWorldHint: false,
      });
    }
    expect(tools.find(({ name }) => name === 'get_analytics')!.inputSchema.required).toEqual([]);
    const create = tools.find(({ name }) => name === 'create_short_link')!;
    expect(create.inputSchema.required).toEqual(['destination_url']);
    expect(create.inputSchema.properties).toMatchObject({
      dry_run: { type: 'boolean', default: false },
      custom_slug: { type: 'string' },
    });
  });

  test('try a link without creating it, and warn of a flagged destination', async () => {
    const client = await clientOf(apiKey());
    const { total } = contentOf(await call(client, 'list_links'));
    const tried = contentOf(await call(client, 'create_short_link', { destination_url: DESTINATION, dry_run: true }));
    expect(tried).toMatchObject({ link: { slug: null }, short_url: null });
    expect(contentOf(await call(client, 'list_links')).total).toBe(total);
    const flagged = contentOf(await call(client, 'create_short_link', { destination_url: await listedUrl(waypost) }));
    expect(flagged).toMatchObject({ link: { status: 'flagged' }, warning: { threat_type: 'malware' } });
  });

  test('draw a QR code that contains the short URL', async () => {
    const client = await clientOf(apiKey());
    const { link, short_url } = contentOf(await call(client, 'create_short_link', { destination_url: DESTINATION }));
    for (const format of [{}, { format: null }, { format: 'png' }]) {
      const [picture, ...others] = (await call(client, 'generate_qr', { slug: link.slug, ...format })).content;
      expect([picture, others]).toEqual([{ type: 'image', mimeType: 'image/png', data: expect.any(String) }, []]);
      expect(textIn(Buffer.from((picture as Json).data, 'base64'))).toBe(short_url);
    }
    const { content } = await call(client, 'generate_qr', { slug: link.slug, format: 'svg' });
    expect(content).toEqual([{ type: 'text', text: expect.stringMatching(/^<svg .*<\/svg>$/s) }]);
    expect(contentOf(await call(client, 'generate_qr', { slug: 'nobodys' }))).toMatchObject({ status: 404 });
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
    expect(contentOf(result)).toMatchObject({ error: 'bad_request', status: 400 });
    expect(Object.keys(contentOf(result).details).sort()).toEqual(faults);
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
      const { status } = contentOf(await call(client, name, { colour: 1 }));
      expect([name, status]).toEqual([name, tools.includes(name) ? 400 : 403]);
    }
  });
});

test('a prompt is a task that contains its arguments', async () => {
  const client = await clientOf(apiKey());
  const { messages } = await client.getPrompt({ name: 'report_on_link', arguments: { slug: 'spring-menu' } });
  expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: expect.stringContaining('spring-menu') } }]);
  await expect(client.getPrompt({ name: 'report_on_link' })).rejects.toThrow(/"slug"/);
  await expect(client.getPrompt({ name: 'nothing' })).rejects.toThrow(/no prompt/);
});
