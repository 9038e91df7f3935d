/** `waypost mcp`, by the SDK's own client: what `/mcp` offers, over stdin and stdout. */
import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { newFolder, serve } from '@waypost/test-support/afterwards';
import { call, connected, type Mode, overHttp, overStdio } from './mcp-clients.ts';
import { product } from './product.ts';
import { DESTINATION, freshSlug, times } from './support.ts';
import type { Json } from './waypost-process.ts';

const { waypost, apiKey } = product();
const home = newFolder();

const transportOf = (environment: Record<string, string>) => overStdio({ WAYPOST_URL: waypost.api, ...environment });
const clientOf = (key: string, mode?: Mode) => connected(transportOf({ WAYPOST_API_KEY: key }), mode);
/** All that comes from now on. */
function messagesOf(transport: StdioClientTransport): Json[] {
  const heard: Json[] = [];
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    heard.push(message);
    onmessage?.(message);
  };
  return heard;
}
/** The error of a tool. */
function refused({ content, isError }: CallToolResult): Json {
  const [first] = content;
  expect(isError).toBe(true);
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

describe.each<Mode>(['auto', 'legacy'])('a client in the mode %s', (mode) => {
  test('finds what it finds over HTTP', async () => {
    const [client, byHttp] = await Promise.all([
      clientOf(apiKey(), mode),
      connected(overHttp(waypost.api, apiKey()), mode),
    ]);
    expect(await client.listTools()).toEqual(await byHttp.listTools());
    expect(await client.listPrompts()).toEqual(await byHttp.listPrompts());
    expect(await client.listResourceTemplates()).toEqual(await byHttp.listResourceTemplates());
    expect(client.getServerCapabilities()).toEqual(byHttp.getServerCapabilities());
    expect(client.getInstructions()).toEqual(byHttp.getInstructions());
    expect(client.getNegotiatedProtocolVersion()).toEqual(byHttp.getNegotiatedProtocolVersion());

    const slug = freshSlug();
    const created = await call(client, 'create_short_link', { destination_url: DESTINATION, custom_slug: slug });
    expect(created.structuredContent).toMatchObject({ link: { slug, status: 'active' } });
    const uri = `waypost://links/${slug}`;
    expect(await client.readResource({ uri })).toEqual(await byHttp.readResource({ uri }));
    const wrong = ['create_short_link', { destination_url: 7, colour: 1 }] as const;
    expect(await call(client, ...wrong)).toEqual(await call(byHttp, ...wrong));
    const unknown = await client.callTool({ name: 'nothing' }).catch((error) => error);
    expect(unknown).toEqual(await byHttp.callTool({ name: 'nothing' }).catch((error) => error));
  });
});

test('a client is told of the progress of a bulk', async () => {
  const transport = transportOf({ WAYPOST_API_KEY: apiKey() });
  const client = await connected(transport, 'legacy');
  const heard = messagesOf(transport);
  const links = times(20, () => ({ destination_url: DESTINATION }));
  const asked = { name: 'bulk_create_links', arguments: { links } };
  const made = (await client.callTool(asked, { onprogress: () => undefined })) as CallToolResult;
  expect(made.structuredContent).toMatchObject({ total_created: 20 });
  // The client itself drops what comes together with the result.
  const progress = heard.filter(({ method }) => method === 'notifications/progress');
  expect(progress.map(({ params }) => params)).toMatchObject([
    { progress: 0, total: 20 },
    { progress: 20, total: 20 },
  ]);
});

test('a client with a key that is deleted is told so by each tool, and what to do', async () => {
  const { key, id } = await waypost.newKey();
  const client = await clientOf(key);
  expect((await call(client, 'list_links')).isError).toBeFalsy();
  await waypost.admin('delete-key', { id });
  expect(refused(await call(client, 'list_links'))).toEqual({
    error: 'unauthorized',
    message: 'This API key is not valid.',
    status: 401,
    hint: expect.stringContaining('waypost login'),
  });
  await expect(client.listTools()).rejects.toThrow('This API key is not valid.');
});

test('a client is told when nobody answers', async () => {
  const url = await serve(async (request, response) => {
    const body = await text(request);
    // The handshake is answered, and nothing after it.
    if (body.includes('tools/call')) return void request.socket.destroy();
    const { headers, method } = request;
    const answer = await fetch(`${waypost.api}/mcp`, { method: method!, headers: headers as Json, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  const client = await connected(transportOf({ WAYPOST_API_KEY: apiKey(), WAYPOST_URL: url }));
  expect(refused(await call(client, 'list_links'))).toMatchObject({ error: 'no_answer', status: 0 });
});

test('another login needs no restart', async () => {
  const folder = path.join(home, 'waypost');
  const login = (key: string) => {
    const kept = { current: 'default', profiles: { default: { url: waypost.api, key } } };
    fs.writeFileSync(path.join(folder, 'profiles.json'), JSON.stringify(kept), { mode: 0o600 });
  };
  fs.mkdirSync(folder);
  const [first, second] = [await waypost.newKey(), await waypost.newKey()];
  login(first.key);
  const transport = transportOf({ XDG_CONFIG_HOME: home, WAYPOST_URL: '' });
  const client = await connected(transport, 'legacy');
  await waypost.admin('delete-key', { id: first.id });
  expect(refused(await call(client, 'list_links'))).toMatchObject({ status: 401 });
  login(second.key);
  expect((await call(client, 'list_links')).structuredContent).toMatchObject({ total: 0 });
  fs.rmSync(path.join(folder, 'profiles.json'));
  expect(refused(await call(client, 'list_links')).message).toContain('waypost login');
});

test('a client that takes back a call gets no answer to it', async () => {
  const client = await clientOf(apiKey(), 'legacy');
  const stop = new AbortController();
  const links = times(500, () => ({ destination_url: DESTINATION }));
  const taken = client.callTool({ name: 'bulk_create_links', arguments: { links } }, { signal: stop.signal });
  stop.abort();
  await expect(taken).rejects.toThrow();
  expect((await call(client, 'list_links')).isError).toBeFalsy();
});

test('no message holds the key, even where the model sent it; without one it does not start', async () => {
  const transport = transportOf({ WAYPOST_API_KEY: apiKey() });
  const client = await connected(transport, 'legacy');
  const heard = messagesOf(transport);
  const result = await call(client, 'list_links', { [apiKey()]: apiKey(), search: apiKey() });
  expect(result.isError).toBe(true);
  expect(heard.length).toBeGreaterThan(0);
  expect(JSON.stringify(heard)).not.toContain(apiKey());

  const none = transportOf({ WAYPOST_API_KEY: '', XDG_CONFIG_HOME: path.join(home, 'nowhere') });
  const said = text(none.stderr as Readable);
  await expect(connected(none, 'legacy')).rejects.toThrow();
  expect(await said).toContain('log in once: waypost login');
});
