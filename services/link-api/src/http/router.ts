/** Routes, made from what the endpoints declare. */
import type { ClickFigures } from '@waypost/domain';
import { sharedAnswers, type Turns, turns } from '@waypost/resilience';
import { cachedReadiness } from '@waypost/telemetry';
import { type RequestHandler, Router } from 'express';
import type { EndpointDeps, LinkApiDeps } from '../deps.ts';
import { type Endpoint, pathOf, Reply } from '../endpoints/endpoint.ts';
import { input, readBody, readQuery } from '../endpoints/input.ts';
import { FIGURES_KEPT } from '../use-cases/get-analytics.ts';
import { goneSignal } from './answer-in-time.ts';
import { authenticate, callerOf, requireAdmin, requireScope } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { methodNotAllowed } from './errors.ts';
import { idempotencyOf } from './idempotency.ts';
import { quotaHeaders, quotaOf, setQuotaHeaders } from './quota-headers.ts';

/**
 * One account's share: whatever it asks at once, others find connections, lanes of the click store and the scanner free.
 * What is more waits its turn within the time of an answer, and is never 429. A revoke never waits.
 */
const SHARES = {
  reads: { running: 4, waiting: 500 },
  analytics: { running: 2, waiting: 500 },
  /** With the reading of the body, whose memory it bounds. */
  creations: { running: 8, waiting: 500 },
  dryRuns: { running: 1, waiting: 500 },
} as const;

export function router(endpoints: readonly Endpoint[], given: LinkApiDeps): Router {
  const deps: EndpointDeps = {
    ...given,
    dryRuns: turns(SHARES.dryRuns),
    figures: sharedAnswers<ClickFigures>(FIGURES_KEPT),
    readiness: cachedReadiness(given.health),
  };
  const shares = {
    reads: inTurn(turns(SHARES.reads)),
    analytics: inTurn(turns(SHARES.analytics)),
    creations: inTurn(turns(SHARES.creations)),
  };
  const known = authenticate(deps.keys);

  /** In the order of docs/contract.md, Errors. */
  const stepsOf = ({ scope, creates, share, body }: Endpoint): RequestHandler[] => [
    ...(scope === undefined ? [] : [known]),
    ...(creates ? [quotaHeaders(deps.now)] : []),
    ...(scope === undefined ? [] : [scope === 'admin' ? requireAdmin : requireScope(scope)]),
    ...(share === undefined ? [] : [shares[share]]),
    ...(body === undefined ? [] : [jsonBody]),
  ];

  const made = Router({ caseSensitive: true, strict: true });
  for (const [path, methods] of Map.groupBy(endpoints, pathOf)) {
    const route = made.route(path);
    for (const endpoint of methods) {
      const method = endpoint.method.toLowerCase() as Lowercase<Endpoint['method']>;
      route[method](...stepsOf(endpoint), answer(endpoint, deps));
    }
    const names = methods.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const allow = names.sort().join(', ');
    route.all((_request, response) => methodNotAllowed(response, allow));
  }
  return made;
}

function answer(endpoint: Endpoint, deps: EndpointDeps): RequestHandler {
  const params = input(endpoint.params);
  const query = endpoint.query && input(endpoint.query);
  const [status] = Object.keys(endpoint.answers);
  return async (request, response) => {
    const caller = callerOf(response);
    const result = await endpoint.handle(
      {
        caller,
        params: readQuery(params, request.params),
        query: query ? readQuery(query, request.query) : {},
        body: endpoint.body && readBody(endpoint.body, request.body),
        gone: goneSignal(response),
        quota: () => quotaOf(caller, deps.now()),
        showQuota: (quota) => setQuotaHeaders(response, quota),
        idempotency: () => idempotencyOf(request, endpoint.path.slice(1)),
      },
      deps,
    );
    const reply = result instanceof Reply ? result : new Reply(Number(status), result);
    response.status(reply.status).set(reply.headers).json(reply.body);
  };
}

/** The rest of the request has a turn of its account, which ends with the answer. */
function inTurn(of: Turns): RequestHandler {
  return async (_request, response, next) => {
    response.once('close', await of.take(callerOf(response).accountId, goneSignal(response)));
    next();
  };
}
