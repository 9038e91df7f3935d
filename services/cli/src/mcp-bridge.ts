/**
 * MCP over stdio: each request goes to `/mcp` as it is, and what comes back goes to the client. Tools, their schemas and
 * their errors are declared there alone.
 */
import { Writable } from 'node:stream';
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type JSONRPCResponse,
  ProtocolError,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { UsageError } from '@waypost/command-line';
import { WaypostError } from '@waypost/sdk';
import { errorOf, networkWords, noAnswer, parseJson } from '@waypost/sdk/request';
import { NEXT, toldError } from './error-words.ts';
import type { Connection } from './session.ts';

interface Options {
  /** Asked for with each message, so that another login needs no restart. Throws `UsageError` where there is none. */
  readonly connection: () => Pick<Connection, 'url' | 'key'>;
  readonly fetch: typeof fetch;
  readonly out: (text: string) => void;
  /** Told that there was input that is no message. */
  readonly onFault: () => void;
}

/** `/mcp` promises an answer within 5 s. */
const ANSWER_WITHIN_MS = 10_000;

/** Serves stdin until the client closes it; what is under way then is given up. */
export async function bridge({ connection, fetch, out, onFault }: Options): Promise<void> {
  const { url } = connection();
  const client = new StdioServerTransport(process.stdin, writableTo(out));
  const server = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { fetch: fetchOf(connection, fetch) });
  const underWay = new Map<JSONRPCRequest['id'], { readonly method: string; end(): void }>();

  const send = (message: JSONRPCMessage) => client.send(message).catch(() => undefined); // the client has gone
  async function answer(message: JSONRPCResponse): Promise<void> {
    const asked = message.id === undefined ? undefined : underWay.get(message.id);
    // It was cancelled, or it was answered as too late.
    if (asked === undefined) return;
    asked.end();
    const version = 'result' in message ? message.result.protocolVersion : undefined;
    if (asked.method === 'initialize' && typeof version === 'string') server.setProtocolVersion(version);
    await send(message);
  }
  async function ask(request: JSONRPCRequest): Promise<void> {
    const { id, method } = request;
    const refuse = (error: unknown) => answer(refusal(request, error));
    const stop = new AbortController();
    const tooLate = setTimeout(
      () => refuse(noAnswer(url, `nothing came for ${ANSWER_WITHIN_MS / 1000} s`)),
      ANSWER_WITHIN_MS,
    );
    const end = () => {
      underWay.delete(id);
      clearTimeout(tooLate);
      stop.abort();
    };
    underWay.set(id, { method, end });
    const onRequestStreamEnd = () => refuse(noAnswer(url, 'the connection broke'));
    await server.send(request, { requestSignal: stop.signal, onRequestStreamEnd }).catch(refuse);
  }

  server.onmessage = (message) => void (isJSONRPCResponse(message) ? answer(message) : send(message));
  client.onmessage = (message) => {
    if (isJSONRPCRequest(message)) void ask(message);
    // The server keeps no session, so that other notifications tell it nothing; a request ends with its connection.
    else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      if (typeof id === 'string' || typeof id === 'number') underWay.get(id)?.end();
    }
  };
  client.onerror = onFault;
  const closed = new Promise<void>((resolve) => {
    client.onclose = resolve;
  });
  await server.start();
  await client.start();
  await closed;
  for (const { end } of underWay.values()) end();
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

/** Rejects as the SDK of the API does, and with the error of the protocol where the server sent one. */
function fetchOf(connection: Options['connection'], send: typeof fetch): typeof fetch {
  return async (_address, init) => {
    const { url, key } = connection();
    const headers = {
      ...Object.fromEntries(new Headers(init?.headers)),
      authorization: `Bearer ${key}`,
      'user-agent': 'waypost-cli',
    };
    const response = await send(`${url}/mcp`, { ...init, headers }).catch((cause: unknown) => {
      throw noAnswer(url, networkWords(cause), cause);
    });
    if (response.ok) return response;
    const body = parseJson(await response.text());
    if (isJSONRPCErrorResponse(body)) throw new ProtocolError(body.error.code, body.error.message, body.error.data);
    throw errorOf(url, response, body);
  };
}

/** A tool that fails is a result, which a model reads; of an error of the protocol many clients tell it nothing. */
function refusal({ id, method }: JSONRPCRequest, error: unknown): JSONRPCResponse {
  if (error instanceof ProtocolError) {
    const { code, message, data } = error;
    return { jsonrpc: '2.0', id, error: { code, message, data } };
  }
  const told = toldError(asWaypostError(error));
  if (method !== 'tools/call') {
    return { jsonrpc: '2.0', id, error: { code: ProtocolErrorCode.InternalError, message: told.message, data: told } };
  }
  const text = JSON.stringify({ ...told, hint: NEXT[told.error] });
  return { jsonrpc: '2.0', id, result: { resultType: 'complete', isError: true, content: [{ type: 'text', text }] } };
}

function asWaypostError(error: unknown): WaypostError {
  if (error instanceof WaypostError) return error;
  // Nobody is logged in any more.
  if (error instanceof UsageError) return new WaypostError(error.message, { code: 'unauthorized', status: 401 });
  return new WaypostError('The answer is not that of Waypost.', { code: 'not_waypost', cause: error });
}
