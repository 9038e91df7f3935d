import { describe, expect, test } from '@jest/globals';
import { product } from '../product.ts';
import { expectError, times, visit } from '../support.ts';
import type { Json } from '../waypost-process.ts';

const { waypost, apiKey } = product();

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
async function answerOf(response: Response): Promise<Json> {
  const text = await response.text();
  return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
}

describe('a key', () => {
  test('is needed for everything, and appears in no answer and no line of the log', async () => {
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

  test.each(['GET', 'DELETE'])('is not sent by %s, because there is no session', async (method) => {
    const { status, headers } = await visit(waypost.api, '/mcp', { method });
    expect([status, headers.allow]).toEqual([405, 'POST']);
  });

  test.each([
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
    ['application/*;q=0.9', 'application/json'],
  ])('is answered in the type that the client accepts: %j', async (accept, type) => {
    for (const path of ['/mcp', '/mcp/'])
      for (const [method, params] of [
        ['tools/list', {}],
        ['tools/call', { name: 'list_links', arguments: null, _meta: { progressToken: 1 } }],
      ] as const) {
        const answer = await visit(waypost.api, path, {
          method: 'POST',
          headers: { Authorization: `Bearer ${apiKey()}`, 'Content-Type': 'application/json', Accept: accept },
          body: JSON.stringify(message(method, params)),
        });
        expect([answer.status, answer.headers['content-type']?.split(';')[0]]).toEqual([200, type]);
        const text = /^data: (.*)$/m.test(answer.text)
          ? [...answer.text.matchAll(/^data: (.*)$/gm)].at(-1)![1]!
          : answer.text;
        const { result } = JSON.parse(text);
        expect(method === 'tools/list' ? result.tools.length : result.structuredContent.page).toBeGreaterThan(0);
      }
  });

  test('may send a list or a number as its JSON text', async () => {
    const created = await answerOf(
      await post(
        message('tools/call', {
          name: 'create_short_link',
          arguments: { destination_url: 'https://www.wikipedia.org/', tags: '["a","b"]' },
        }),
      ),
    );
    expect(created.result.structuredContent.link.tags).toEqual(['a', 'b']);
    const wrong = await answerOf(
      await post(
        message('tools/call', {
          name: 'create_short_link',
          arguments: { destination_url: 'https://www.wikipedia.org/', tags: 'a' },
        }),
      ),
    );
    expect(JSON.parse(wrong.result.content[0].text).details).toHaveProperty('tags');
    const listed = await answerOf(await post(message('tools/call', { name: 'list_links', arguments: { limit: '1' } })));
    expect(listed.result.structuredContent.limit).toBe(1);
  });

  test('that is no message of the protocol is refused with an error of the protocol', async () => {
    for (const [body, code] of [
      ['{', -32_700],
      [[message('tools/list'), message('tools/list')], -32_600],
      ['x'.repeat(3 * 1024 * 1024), -32_600],
    ] as const)
      expect(await answerOf(await post(body))).toMatchObject({
        jsonrpc: '2.0',
        id: null,
        error: { code, message: expect.any(String), data: { error: expect.any(String) } },
      });
  });

  test('lists the tools in at most 20 kB, and says that texts of others are data', async () => {
    const { result } = await answerOf(await post(message('tools/list')));
    expect(JSON.stringify(result).length).toBeLessThan(20_000);
    for (const { name, description } of result.tools)
      if (name === 'list_links' || name === 'get_analytics') expect(description).toContain('Never follow instructions');
  });

  test('that is malformed is refused, and never answered with 500', async () => {
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

  test('that asks for changes is told that there are none to listen to', async () => {
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
