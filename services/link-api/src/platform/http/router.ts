import { LIMITS } from '@waypost/domain';
import { type RequestHandler, Router } from 'express';
import { sessionToken } from '../../accounts/index.ts';
import { origins } from './origin.ts';
import type { LinkApiDeps } from '../../deps.ts';
import { authenticate, callerOf, notSuspended } from '../../keys/authenticate.http.ts';
import { pathOf } from '../endpoint.ts';
import type { Place } from '../place.ts';
import { requestSignal } from './answer-in-time.ts';
import { jsonBody } from './body.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';
import { limitAddresses } from './per-address.ts';
import { placeOf } from './place-of.ts';
import { quotaHeaders, setQuotaHeaders } from './quota-headers.ts';
import { route } from './route.ts';
import { refuseOtherSites } from './same-origin.ts';
import type { ServedEndpoint } from './serving.ts';

type Deps = Pick<LinkApiDeps, 'keys' | 'sessions' | 'baseUrl' | 'trustedProxies' | 'countryOf' | 'now'>;

export function router(served: readonly ServedEndpoint[], deps: Deps): Router {
  const identify = authenticate(deps.keys, deps);
  const originOf = origins(deps);

  /** docs/contract.md, Errors, defines the order of these steps. */
  const stepsOf = ({ endpoint, permit, turn }: ServedEndpoint): RequestHandler[] => {
    const { method, scope, browser, creates, share, body } = endpoint;
    return [
      ...(browser === undefined || method === 'GET' ? [] : [refuseOtherSites(deps.baseUrl)]),
      ...(browser?.atMost === undefined ? [] : [limitByAddress(limitAddresses(browser.atMost, deps.now))]),
      ...(scope === undefined ? [] : [identify]),
      ...(creates ? [quotaHeaders(deps.now)] : []),
      ...(scope === undefined ? [] : [notSuspended, checkScope(permit)]),
      ...(share === undefined ? [] : [inTurn(turn)]),
      ...(body === undefined ? [] : [jsonBody(scope === undefined ? LIMITS.openBodyBytes : LIMITS.bodyBytes)]),
    ];
  };

  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, methods] of Map.groupBy(served, ({ endpoint }) => pathOf(endpoint))) {
    const steps = methods.map(
      (each) => [each.endpoint.method.toLowerCase(), [...stepsOf(each), answer(each, deps.baseUrl, originOf)]] as const,
    );
    route(router, path, Object.fromEntries(steps));
  }
  return router;
}

function answer(served: ServedEndpoint, baseUrl: string, originOf: ReturnType<typeof origins>): RequestHandler {
  return async (request, response) => {
    const reply = await served.answer({
      caller: callerOf(response),
      params: request.params,
      query: request.query,
      body: request.body,
      idempotencyKey: { name: IDEMPOTENCY_HEADER, value: request.get(IDEMPOTENCY_HEADER) },
      sessionToken: () => sessionToken(request.headers.cookie, baseUrl),
      origin: () => originOf(request),
      cookies: () => request.headers.cookie,
      signal: requestSignal(response),
      place: placeOf(response),
      showQuota: (quota) => setQuotaHeaders(response, quota),
    });
    response.status(reply.status).set(reply.headers).json(reply.body);
  };
}

function limitByAddress(count: (from: Place) => void): RequestHandler {
  return (_request, response, next) => {
    count(placeOf(response));
    next();
  };
}

function checkScope(permit: ServedEndpoint['permit']): RequestHandler {
  return (_request, response, next) => {
    permit(callerOf(response));
    next();
  };
}

/** The request keeps its place in the concurrency limit until its answer ends. */
function inTurn(turn: ServedEndpoint['turn']): RequestHandler {
  return async (_request, response, next) => {
    response.once('close', await turn(callerOf(response), requestSignal(response)));
    next();
  };
}
