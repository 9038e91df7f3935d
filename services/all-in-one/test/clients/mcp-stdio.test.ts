import fs from 'node:fs';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from '@jest/globals';
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { newFolder, serve } from '@waypost/test-support/afterwards';
import { call, connected, type Mode, overHttp, overStdio } from '../mcp-clients.ts';
import { product } from '../product.ts';
import { CLIENT, ended, startProgram } from '../programs.ts';
import { DESTINATION, freshSlug, times } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, apiKey } = product();
const home = newFolder();

const transportOf = (environment: Record<string, string>) => overStdio({ WAYPOST_URL: waypost.api, ...environment });
const clientOf = (key: string, mode?: Mode) => connected(transportOf({ WAYPOST_API_KEY: key }), mode);
function messagesOf(transport: StdioClientTransport): Json[] {
  const heard: Json[] = [];
  const { onmessage } = transport;
  transport.onmessage = (message) => {
    heard.push(message);
    onmessage?.(message);
  };
  return heard;
}
function refused({ content, isError }: CallToolResult): Json {
  const [first] = content;
  expect(isError).toBe(true);
  return first?.type === 'text' ? JSON.parse(first.text) : undefined;
}

describe.each<Mode>(['auto', 'legacy'])('a client in the mode %s', (mode) => {
  test('gets the same answers as over HTTP', async () => {
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

test('a client receives the progress of a bulk', async () => {
  const transport = transportOf({ WAYPOST_API_KEY: apiKey() });
  const client = await connected(transport, 'legacy');
  const heard = messagesOf(transport);
  const links = times(20, () => ({ destination_url: DESTINATION }));
  const request = { name: 'bulk_create_links', arguments: { links } };
  const result = (await client.callTool(request, { onprogress: () => undefined })) as CallToolResult;
  expect(result.structuredContent).toMatchObject({ total_created: 20 });
  // The SDK's client drops notifications that arrive together with the result, so the test reads them itself.
  const progress = heard.filter(({ method }) => method === 'notifications/progress');
  expect(progress.map(({ params }) => params)).toMatchObject([
    { progress: 0, total: 20 },
    { progress: 20, total: 20 },
  ]);
});

test('a client whose key was deleted learns that from each tool, and what to do', async () => {
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

test('a client gets an error when nobody answers', async () => {
  const url = await serve(async (request, response) => {
    const body = await text(request);
    // The proxy forwards the handshake and drops every later call.
    if (body.includes('tools/call')) return void request.socket.destroy();
    const { headers, method } = request;
    const answer = await fetch(`${waypost.api}/mcp`, { method: method!, headers: headers as Json, body });
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
  });
  const client = await connected(transportOf({ WAYPOST_API_KEY: apiKey(), WAYPOST_URL: url }));
  expect(refused(await call(client, 'list_links'))).toMatchObject({ error: 'no_answer', status: 0 });
});

test.each<Mode>(['auto', 'legacy'])(
  'a client that starts before Waypost works when Waypost does: mode %s',
  async (mode) => {
    let isAway = true;
    const url = await serve(async (request, response) => {
      if (isAway) return void request.socket.destroy();
      const { headers, method } = request;
      const answer = await fetch(`${waypost.api}/mcp`, {
        method: method!,
        headers: headers as Json,
        body: await text(request),
      });
      response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
    });
    const client = await connected(transportOf({ WAYPOST_API_KEY: apiKey(), WAYPOST_URL: url }), mode);
    expect(refused(await call(client, 'list_links'))).toMatchObject({ error: 'no_answer', status: 0 });
    await expect(client.listTools()).rejects.toThrow();
    isAway = false;
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    expect((await call(client, 'list_links')).isError).toBeFalsy();
  },
);

test('a new login takes effect without a restart', async () => {
  const folder = path.join(home, 'waypost');
  const login = (key: string) => {
    const profiles = { current: 'default', profiles: { default: { url: waypost.api, key } } };
    fs.writeFileSync(path.join(folder, 'profiles.json'), JSON.stringify(profiles), { mode: 0o600 });
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

test('a client that cancels a call gets no answer to it', async () => {
  const client = await clientOf(apiKey(), 'legacy');
  const stop = new AbortController();
  const links = times(500, () => ({ destination_url: DESTINATION }));
  const taken = client.callTool({ name: 'bulk_create_links', arguments: { links } }, { signal: stop.signal });
  stop.abort();
  await expect(taken).rejects.toThrow();
  expect((await call(client, 'list_links')).isError).toBeFalsy();
});

/** Runs the server with a stdin that has the messages and then ends. */
const piped = (url: string, ...messages: Json[]) =>
  ended(
    startProgram(CLIENT, ['mcp'], home, { WAYPOST_API_KEY: apiKey(), WAYPOST_URL: url }),
    messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
  );

test('requests are answered although stdin ends right after them', async () => {
  const slug = freshSlug();
  const { code, stdout } = await piped(
    waypost.api,
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
    },
    { id: 2, method: 'tools/list' },
    {
      id: 3,
      method: 'tools/call',
      params: { name: 'create_short_link', arguments: { destination_url: DESTINATION, custom_slug: slug } },
    },
  );
  const answers = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect([code, ...answers.map(({ id }) => id).sort()]).toEqual([0, 1, 2, 3]);
  expect(answers.find(({ id }) => id === 3).result.structuredContent.link.slug).toBe(slug);
});

test('a request without an answer is refused and keeps no process after stdin ended', async () => {
  const silent = await serve(() => undefined);
  const { code, stdout } = await piped(silent, { id: 1, method: 'tools/call', params: { name: 'list_links' } });
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { id: 1, result: { isError: true } }]);
  expect(stdout).toContain('no response within 10 s');
});

test('no message contains the key, even if the model sent it; without a key it does not start', async () => {
  const transport = transportOf({ WAYPOST_API_KEY: apiKey() });
  const client = await connected(transport, 'legacy');
  const heard = messagesOf(transport);
  const result = await call(client, 'list_links', { [apiKey()]: apiKey(), search: apiKey() });
  expect(result.isError).toBe(true);
  expect(heard.length).toBeGreaterThan(0);
  expect(JSON.stringify(heard)).not.toContain(apiKey());

  const none = transportOf({ WAYPOST_API_KEY: '', XDG_CONFIG_HOME: path.join(home, 'nowhere') });
  const message = text(none.stderr as Readable);
  await expect(connected(none, 'legacy')).rejects.toThrow();
  expect(await message).toContain('or log in: waypost login');
});
