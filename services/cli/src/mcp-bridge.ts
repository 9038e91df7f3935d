/** Forwards MCP messages from stdin to `/mcp`. Only `/mcp` declares tools, schemas and errors. */
import { Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  LATEST_PROTOCOL_VERSION,
  ProtocolError,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { UsageError } from '@waypost/command-line';
import { WaypostError } from '@waypost/sdk';
import { errorOf, networkWords, noAnswer, parseJson } from '@waypost/sdk/request';
import { errorJson, NEXT } from './error-words.ts';
import type { Profile } from './profiles.ts';
import { version } from './program.ts';

interface Options {
  /** Called for each message, so a new login needs no restart. Throws `UsageError` if there is no connection. */
  readonly connection: () => Profile;
  readonly fetchFor: (url: string) => typeof fetch;
  readonly out: (text: string) => void;
  readonly onFault: () => void;
}

/** This is twice the 5 s within which `/mcp` promises an answer. */
const ANSWER_WITHIN_MS = 10_000;

/** Serves stdin until the client closes it, and ends when the last pending request is answered or too late. */
export async function bridge({ connection, fetchFor, out, onFault }: Options): Promise<void> {
  const { url } = connection();
  const client = new StdioServerTransport(process.stdin, writableTo(out));
  const server = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: fetchOf(connection, fetchFor) });
  const pending = new Map<JSONRPCRequest['id'], { readonly method: string; end(): void }>();
  let onIdle = () => {};
  // The transport closes when stdin ends, for example that of `waypost mcp < FILE`. Closed, it sends no answer.
  const close = client.close.bind(client);
  client.close = async () => {
    if (pending.size > 0) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
    }
    await close();
  };

  // A client that has disconnected needs no answer.
  const send = (message: JSONRPCMessage) => client.send(message).catch(() => undefined);
  async function answer(message: JSONRPCResponse): Promise<void> {
    const request = message.id === undefined ? undefined : pending.get(message.id);
    // The request was cancelled or has timed out.
    if (request === undefined) return;
    request.end();
    const version = 'result' in message ? message.result.protocolVersion : undefined;
    if (request.method === 'initialize' && typeof version === 'string') server.setProtocolVersion(version);
    await send(message);
  }
  async function ask(request: JSONRPCRequest): Promise<void> {
    const { id, method } = request;
    const refuse = (error: unknown) => answer(refusal(request, error));
    const stop = new AbortController();
    const tooLate = setTimeout(
      () => refuse(noAnswer(url, `no response within ${ANSWER_WITHIN_MS / 1000} s`)),
      ANSWER_WITHIN_MS,
    );
    const end = () => {
      pending.delete(id);
      clearTimeout(tooLate);
      stop.abort();
      if (pending.size === 0) onIdle();
    };
    pending.set(id, { method, end });
    const onRequestStreamEnd = () => refuse(noAnswer(url, 'the connection was closed'));
    await server.send(request, { requestSignal: stop.signal, onRequestStreamEnd }).catch(refuse);
  }

  server.onmessage = (message) => void (isJSONRPCResponse(message) ? answer(message) : send(message));
  client.onmessage = (message) => {
    if (isJSONRPCRequest(message)) void ask(message);
    // The server keeps no session, so a cancellation only needs to close the connection of its request.
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') pending.get(id)?.end();
    }
  };
  client.onerror = onFault;
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await server.start();
  await client.start();
  await closed;
}

function writableTo(out: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write: (text, _encoding, done) => {
      out(text);
      done();
    },
  });
}

/** Rejects with the same errors as the SDK, or with the MCP error if the server sent one. */
function fetchOf(connection: Options['connection'], fetchFor: Options['fetchFor']): typeof fetch {
  return async (_address, init) => {
    const { url, key } = connection();
    const headers = {
      ...Object.fromEntries(new Headers(init?.headers)),
      authorization: `Bearer ${key}`,
      'user-agent': 'waypost-cli',
    };
    const response = await fetchFor(url)(`${url}/mcp`, { ...init, headers }).catch((cause: unknown) => {
      throw noAnswer(url, networkWords(cause), cause);
    });
    if (response.ok) return response;
    const body = parseJson(await response.text());
    if (isJSONRPCErrorResponse(body)) throw new ProtocolError(body.error.code, body.error.message, body.error.data);
    throw errorOf(url, response, body);
  };
}

/** Clients drop a server that cannot be initialized, so this succeeds alone. Each later call says what is wrong. */
function initializedAlone({ id, params }: JSONRPCRequest): JSONRPCResponse {
  const requested = String(params?.protocolVersion);
  const protocolVersion = SUPPORTED_PROTOCOL_VERSIONS.includes(requested) ? requested : LATEST_PROTOCOL_VERSION;
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  return {
    jsonrpc: '2.0',
    id,
    result: { protocolVersion, capabilities, serverInfo: { name: 'waypost', title: 'Waypost', version: version() } },
  };
}

/** Returns a tool's failure as a result, because many clients do not show MCP errors to the model. */
function refusal(request: JSONRPCRequest, error: unknown): JSONRPCResponse {
  const { id, method } = request;
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, data } };
  }
  const json = errorJson(asWaypostError(error));
  if (method === 'initialize' && json.error === 'no_answer') return initializedAlone(request);
  if (method !== 'tools/call') {
    return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message: json.message, data: json } };
  }
  const text = JSON.stringify({ ...json, hint: NEXT[json.error] });
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', isError: true, content: [{ type: 'text', text }] } };
}

function asWaypostError(error: unknown): WaypostError {
  if (error instanceof WaypostError) return error;
  // A `UsageError` here means that the user has logged out.
  if (error instanceof UsageError) return new WaypostError(error.message, { code: 'unauthorized', status: 401 });
  return new WaypostError('The response is not from Waypost.', { code: 'not_waypost', cause: error });
}
