/** The tool server at `/mcp` speaks MCP over Streamable HTTP, without sessions. */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { UrlPolicy } from '@waypost/domain';
import type { Logger } from '@waypost/telemetry';
import {
  type ErrorRequestHandler,
  type Request as HttpRequest,
  type Response as HttpResponse,
  type RequestHandler,
  Router,
} from 'express';
import { requestSignal } from '../platform/http/answer-in-time.ts';
import { callerOf, identifyCaller, notSuspended } from '../platform/http/authentication.ts';
import { INVALID_JSON, jsonBody } from '../platform/http/body.ts';
import { discardBody } from '../platform/http/discard-body.ts';
import { HttpError } from '../platform/http/errors.ts';
import { ownHostsOnly } from '../platform/http/own-hosts.ts';
import { route } from '../platform/http/route.ts';
import { isObject } from '../platform/input.ts';
import type { Concurrency, SlotsOf } from '../platform/limits.ts';
import type { Http } from '../platform/slice.ts';
import type { Message, toolServer } from './server.ts';

const PATHS = ['/mcp', '/mcp/'];

/** Smaller messages are read at once, so a revoke never waits. Larger ones wait, which limits their memory. */
const SMALL_BYTES = 16 * 1024;
const LARGE_MESSAGES: Concurrency = { running: 8, waiting: 500 };

export interface ToolsPorts {
  readonly urlPolicy: UrlPolicy;
  readonly logger: Logger;
  readonly slotsOf: SlotsOf;
}

export function mcp({ endpoints, authentication, reportError }: Http, ports: ToolsPorts): Router {
  const { urlPolicy, logger, slotsOf } = ports;
  const inSlot: RequestHandler = async (request, response, next) => {
    if (!isSmall(request)) {
      response.once('close', await slotsOf(LARGE_MESSAGES).take(callerOf(response).accountId, requestSignal(response)));
    }
    next();
  };

  // The SDK costs 90 ms and 35 MB, so it is loaded with the first message.
  let server: Promise<ReturnType<typeof toolServer>> | undefined;
  const answer: RequestHandler = async (request, response) => {
    if (Array.isArray(request.body))
      throw new HttpError(400, 'Batches are not supported. Send one message per request.');
    if (hasManyFields(request.body)) throw new HttpError(400, `A message may have at most ${MAX_FIELDS} fields.`);
    server ??= import('./server.ts').then((module) => module.toolServer(endpoints, logger));
    const answerMessage = await server;
    const message = {
      caller: callerOf(response),
      request: webRequest(request, requestSignal(response)),
      ...withoutArguments(request.body),
      reportError: (error: unknown) => reportError(error, response),
    };
    await send(await inAcceptedType(await answerMessage(message), request), response);
  };

  /** A client shows its person the errors of JSON-RPC. Those of the key come before, as in the REST API. */
  const inProtocol: ErrorRequestHandler = (error, request, response, next) => {
    if (!(error instanceof HttpError) || !OF_THE_MESSAGE.has(error.status)) return next(error);
    discardBody(request, response);
    const { body } = reportError(error, response);
    const code = error.message === INVALID_JSON ? JSON_RPC.parseError : JSON_RPC.invalidRequest;
    response
      .status(error.status)
      .json({ jsonrpc: '2.0', id: null, error: { code, message: body.message, data: body } });
  };

  const router = Router({ caseSensitive: true, strict: true });
  router.all(PATHS, ownHostsOnly(urlPolicy.ownHosts));
  route(router, PATHS, { post: [identifyCaller(authentication, false), notSuspended, inSlot, jsonBody(), answer] });
  router.use(PATHS, inProtocol);
  return router;
}

const OF_THE_MESSAGE: ReadonlySet<number> = new Set([400, 413, 415]);
const JSON_RPC = { parseError: -32_700, invalidRequest: -32_600 } as const;

/** The SDK checks each field several times and reports every fault, so more fields would cost much time. */
const MAX_FIELDS = 256;

/** Removes the arguments of a tool call, because the SDK would check each entry of each list in them. */
export function withoutArguments(body: unknown): Pick<Message, 'body' | 'input'> {
  if (!isObject(body) || body.method !== 'tools/call' || !isObject(body.params)) return { body, input: {} };
  const { arguments: sent, ...params } = body.params;
  const input = sent ?? {}; // some clients send null for a tool without arguments
  return isObject(input) ? { body: { ...body, params }, input } : { body, input: {} };
}

export function hasManyFields(message: unknown): boolean {
  let count = 0;
  const isOver = (value: unknown, deep = true): boolean => {
    if (typeof value !== 'object' || value === null) return false;
    count += Object.keys(value).length;
    if (count > MAX_FIELDS) return true;
    return deep && Object.entries(value).some(([name, inner]) => isOver(inner, name !== 'arguments'));
  };
  return isOver(message);
}

function isSmall({ headers }: HttpRequest): boolean {
  const isAsLong = headers['transfer-encoding'] === undefined && headers['content-encoding'] === undefined;
  return isAsLong && Number(headers['content-length'] ?? 0) <= SMALL_BYTES;
}

const [JSON_TYPE, STREAM_TYPE] = ['application/json', 'text/event-stream'];
const BOTH_TYPES = `${JSON_TYPE}, ${STREAM_TYPE}`;

/** MCP reads only these headers. The API key is not passed on. */
const HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

function webRequest(request: HttpRequest, signal: AbortSignal): Request {
  const headers = HEADERS.flatMap((name): [string, string][] => {
    const value = request.get(name);
    return value === undefined ? [] : [[name, value]];
  });
  // Its comparison is literal, so it would refuse clients that name one type, any type or none.
  if (request.accepts(JSON_TYPE, STREAM_TYPE) !== false) headers.push(['accept', BOTH_TYPES]);
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal });
}

/** Returns the answer in the type that the client takes. An answer to one message is one event, after its progress. */
async function inAcceptedType(answer: Response, request: HttpRequest): Promise<Response> {
  const type = answer.headers.get('content-type')?.split(';')[0];
  const named = request.get('accept') ?? '';
  if (type === STREAM_TYPE && !named.includes(STREAM_TYPE)) {
    const last = (await answer.text()).split('\n').findLast((line) => line.startsWith(DATA));
    return Response.json(last === undefined ? null : JSON.parse(last.slice(DATA.length)), { status: answer.status });
  }
  if (type === JSON_TYPE && answer.ok && request.accepts(JSON_TYPE) === false) {
    const headers = { 'Content-Type': STREAM_TYPE };
    return new Response(`event: message\n${DATA}${await answer.text()}\n\n`, { status: answer.status, headers });
  }
  return answer;
}

const DATA = 'data: ';

async function send(answer: Response, response: HttpResponse): Promise<void> {
  response.status(answer.status);
  for (const [name, value] of answer.headers) {
    if (!response.hasHeader(name)) response.setHeader(name, value);
  }
  if (answer.body === null) response.end();
  // The stream fails when the client disconnects. Nobody needs an error then.
  else await pipeline(Readable.fromWeb(answer.body), response).catch(() => response.destroy());
}
