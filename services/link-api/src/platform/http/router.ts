import { LIMITS } from '@waypost/domain';
import { type RequestHandler, Router } from 'express';
import { pathOf } from '../endpoint.ts';
import type { Place } from '../place.ts';
import { requestSignal } from './answer-in-time.ts';
import { type Authentication, callerOf, identifyCaller, notSuspended } from './authentication.ts';
import { jsonBody, strayBody } from './body.ts';
import type { EndpointHandler } from './endpoint-handler.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';
import { type OriginPorts, origins } from './origin.ts';
import { limitAddresses } from './per-address.ts';
import { placeOf } from './place-of.ts';
import { quotaHeaders, setQuotaHeaders } from './quota-headers.ts';
import { route } from './route.ts';
import { refuseOtherSites } from './same-origin.ts';

export interface RouterDeps extends OriginPorts {
  readonly authentication: Authentication;
  readonly baseUrl: string;
  readonly now: () => Date;
}

export function router(handlers: readonly EndpointHandler[], deps: RouterDeps): Router {
  const identify = identifyCaller(deps.authentication, true);
  const originOf = origins(deps);

  /** docs/contract.md, Errors, defines the order of these steps. */
  const stepsOf = (handler: EndpointHandler): RequestHandler[] => {
    const { method, scope, browser, creates, body } = handler.endpoint;
    return [
      ...(browser === undefined || method === 'GET' ? [] : [refuseOtherSites(deps.baseUrl)]),
      ...(browser?.atMost === undefined ? [] : [limitByAddress(limitAddresses(browser.atMost, deps.now))]),
      ...(scope === undefined ? [] : [identify]),
      ...(creates ? [quotaHeaders(deps.now)] : []),
      ...(scope === undefined ? [] : [notSuspended, admit(handler)]),
      ...(body === undefined ? [] : [jsonBody(scope === undefined ? LIMITS.openBodyBytes : LIMITS.bodyBytes)]),
      ...(body === undefined && method !== 'GET' ? [strayBody] : []),
    ];
  };

  const router = Router({ caseSensitive: true, strict: true });
  const paths = Map.groupBy(handlers, ({ endpoint }) => pathOf(endpoint));
  for (const [path, methods] of [...paths].sort(([one], [other]) => (sortKey(one) < sortKey(other) ? -1 : 1))) {
    const steps = methods.map(
      (each) => [each.endpoint.method.toLowerCase(), [...stepsOf(each), answer(each, originOf)]] as const,
    );
    route(router, path, Object.fromEntries(steps));
  }
  return router;
}

/** A parameter takes any word, so it comes after the words of other paths: `/links/:slug` after `/links/clicks`. */
const sortKey = (path: string) => path.replace(/:\w+/g, '\uffff');

function answer(handler: EndpointHandler, originOf: ReturnType<typeof origins>): RequestHandler {
  return async (request, response) => {
    const work = handler.answer({
      caller: callerOf(response),
      params: request.params,
      query: request.query,
      body: request.body,
      idempotencyKey: { name: IDEMPOTENCY_HEADER, value: request.get(IDEMPOTENCY_HEADER) },
      origin: () => originOf(request),
      cookies: () => request.headers.cookie,
      signal: requestSignal(response),
      place: placeOf(response),
      showQuota: (quota) => setQuotaHeaders(response, quota),
    });
    response.locals.work = work;
    const reply = await work;
    response.status(reply.status).set(reply.headers);
    if (reply.body instanceof Uint8Array) response.send(reply.body);
    else response.json(reply.body);
  };
}

function limitByAddress(count: (from: Place) => void): RequestHandler {
  return (_request, response, next) => {
    count(placeOf(response));
    next();
  };
}

/**
 * The request keeps its slot until its response is closed and its work has ended. The work goes on after a 503, and the
 * next request would add to it.
 */
function admit({ permit, slot }: EndpointHandler): RequestHandler {
  return async (_request, response, next) => {
    const caller = callerOf(response);
    permit(caller);
    const release = await slot(caller, requestSignal(response));
    response.once('close', () => Promise.resolve(response.locals.work).then(release, release));
    next();
  };
}
