/**
 * What a message to the tool server does. The SDK speaks the protocol, in all its revisions. A server is made for each
 * message: what it offers depends on the key, and no replica knows the clients of another.
 */
import {
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
import { hasCode } from '@waypost/domain';
import type { Caller } from '@waypost/ports';
import { errorFields, type Logger } from '@waypost/telemetry';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { getLinkEndpoint } from '../endpoints/get-link.ts';
import { listLinksEndpoint } from '../endpoints/list-links.ts';
import { ANSWER_WITHIN_MS, tookTooLong } from '../http/answer-in-time.ts';
import { hasScope } from '../http/authenticate.ts';
import type { ToldError } from '../http/errors.ts';
import { API_VERSION } from '../http/openapi.ts';
import type { ServedEndpoint } from '../http/serving.ts';
import { contentOf, generateQrEndpoint } from './generate-qr.ts';
import { PROMPTS } from './prompts.ts';
import { contentsOf, LINK_TEMPLATE, type LinkPage, listed, pageOf, slugOf } from './resources.ts';
import { type Asked, type Tool, toolsOf } from './tools.ts';

/** Before the whole message is answered 503, so that who called a tool is told as such. */
const CALL_WITHIN_MS = ANSWER_WITHIN_MS - 200;

/** As much of a URI that a caller made up is repeated. */
const URI_LENGTH = 200;

const INSTRUCTIONS =
  'Short links that keep their promises. Every destination is scanned when its link is made: a flagged link exists, but it does not redirect. A tool that fails answers JSON: `error`, `message` and `status` say what is wrong, `details` names each wrong argument, `retry_after` is in seconds. Try again only after `retry_after`, and a creation only with the same `idempotency_key`.';

export interface Message {
  readonly caller: Caller;
  /** The body is apart from it. */
  readonly request: Request;
  readonly body: unknown;
  /** The arguments of a call of a tool, which are not in the body. */
  readonly given: Readonly<Record<string, unknown>>;
  tellError(error: unknown): ToldError;
}

interface Offered {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly link: ServedEndpoint;
  readonly links: ServedEndpoint;
}

export function toolServer(
  endpoints: readonly Endpoint[],
  serve: (endpoint: Endpoint) => ServedEndpoint,
  logger: Logger,
): (message: Message) => Promise<Response> {
  const offered = {
    tools: toolsOf([...endpoints, generateQrEndpoint].map(serve)),
    link: serve(getLinkEndpoint),
    links: serve(listLinksEndpoint),
  };
  return (message) => {
    const handler = createMcpHandler(() => serverFor(message, offered), {
      maxSubscriptions: 0, // what it offers does not change
      onerror: (error) => logger.debug('tool server', errorFields(error)),
    });
    return handler.fetch(message.request, { parsedBody: message.body });
  };
}

/** Of `McpServer` a model would hear that a tool beyond its scope is not there, and of faults in other words than the API's. */
function serverFor(message: Message, offered: Offered): Server {
  const mayRead = hasScope(message.caller, 'read');
  const server = new Server(
    { name: 'waypost', title: 'Waypost', version: API_VERSION },
    { capabilities: { tools: {}, prompts: {}, ...(mayRead && { resources: {} }) }, instructions: INSTRUCTIONS },
  );
  offerTools(server, message, offered);
  offerPrompts(server, message);
  if (mayRead) offerLinks(server, message, offered);
  return server;
}

function offerTools(server: Server, { caller, given, tellError }: Message, { tools }: Offered): void {
  server.setRequestHandler('tools/list', () => ({
    tools: [...tools.values()].filter(({ served }) => served.isPermitted(caller)).map(({ listed }) => listed),
  }));
  server.setRequestHandler('tools/call', async ({ params: { name } }, { mcpReq }) => {
    const tool = tools.get(name);
    if (tool === undefined) throw invalid(`There is no tool of this name. There are ${[...tools.keys()].join(', ')}.`);
    const progressToken = mcpReq._meta?.progressToken;
    const total = Array.isArray(given.links) ? given.links.length : 1;
    const report = async (progress: number) => {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total };
      // It fails when the client has gone, which is no failure of the tool.
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    };
    try {
      await report(0);
      const body = await ask(tool.served, caller, tool.asked(given), mcpReq.signal);
      await report(total);
      return { content: contentOf(body), structuredContent: { ...body } };
    } catch (error) {
      return { isError: true, content: [{ type: 'text', text: JSON.stringify(told(tellError(error))) }] };
    }
  });
}

function offerPrompts(server: Server, { caller }: Message): void {
  const prompts = PROMPTS.filter(({ scope }) => hasScope(caller, scope));
  server.setRequestHandler('prompts/list', () => ({ prompts: prompts.map(({ listed }) => listed) }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: given = {} } }) => {
    const prompt = prompts.find(({ listed }) => listed.name === name);
    if (prompt === undefined) throw invalid('There is no prompt of this name.');
    const missing = prompt.listed.arguments.find((argument) => argument.required && given[argument.name] === undefined);
    if (missing !== undefined) throw invalid(`The prompt needs the argument "${missing.name}".`);
    return { messages: [{ role: 'user', content: { type: 'text', text: prompt.text(given) } }] };
  });
}

function offerLinks(server: Server, { caller, tellError }: Message, { link, links }: Offered): void {
  const refuse = (error: unknown): never => {
    const { status, message, ...more } = told(tellError(error));
    const code = status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
    throw new ProtocolError(code, message, { status, ...more });
  };
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [LINK_TEMPLATE] }));
  server.setRequestHandler('resources/list', async ({ params }, { mcpReq }) => {
    const page = await ask(links, caller, pageOf(params?.cursor), mcpReq.signal).catch(refuse);
    return listed(page as LinkPage);
  });
  server.setRequestHandler('resources/read', async ({ params: { uri } }, { mcpReq }) => {
    const notFound = () => new ResourceNotFoundError(uri.slice(0, URI_LENGTH));
    const slug = slugOf(uri);
    if (slug === undefined) throw notFound();
    const body = await ask(link, caller, { params: { slug } }, mcpReq.signal).catch((error: unknown) => {
      throw hasCode(error, 'link_not_found') ? notFound() : refuse(error);
    });
    return contentsOf(uri, body);
  });
}

/** As the router lets a request pass, and within the time of an answer. */
async function ask(
  { endpoint, permit, turn, answer }: ServedEndpoint,
  caller: Caller,
  { params = {}, query = {}, body, idempotencyKey }: Partial<Asked>,
  left: AbortSignal,
): Promise<object> {
  const gone = AbortSignal.any([left, AbortSignal.timeout(CALL_WITHIN_MS)]);
  const work = async () => {
    permit(caller);
    const end = await turn(caller, gone);
    try {
      return (await answer({ caller, params, query, body, idempotencyKey, gone, showQuota: () => undefined })).body;
    } finally {
      end();
    }
  };
  const late = new Promise<never>((_resolve, reject) => {
    gone.addEventListener('abort', () => reject(tookTooLong(endpoint.method)), { once: true });
  });
  return Promise.race([work(), late]);
}

/** For a model to act on: the error of the API, with what is a header there. */
function told({ body, retryAfter }: ToldError) {
  return retryAfter === undefined ? body : { ...body, retry_after: retryAfter };
}

function invalid(words: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, words);
}
