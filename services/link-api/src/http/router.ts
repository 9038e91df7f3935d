/** Routes, made from what the endpoints declare. */
import { type RequestHandler, Router } from 'express';
import type { LinkApiDeps } from '../deps.ts';
import { pathOf } from '../endpoints/endpoint.ts';
import { goneSignal } from './answer-in-time.ts';
import { authenticate, callerOf, notSuspended } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { IDEMPOTENCY_HEADER } from './idempotency.ts';
import { quotaHeaders, setQuotaHeaders } from './quota-headers.ts';
import { route } from './route.ts';
import type { ServedEndpoint } from './serving.ts';

type Deps = Pick<LinkApiDeps, 'keys' | 'sessions' | 'baseUrl' | 'now'>;

export function router(served: readonly ServedEndpoint[], deps: Deps): Router {
  const known = authenticate(deps.keys, deps);

  /** In the order of docs/contract.md, Errors. */
  const stepsOf = ({ endpoint: { scope, creates, share, body }, permit, turn }: ServedEndpoint): RequestHandler[] => [
    ...(scope === undefined ? [] : [known]),
    ...(creates ? [quotaHeaders(deps.now)] : []),
    ...(scope === undefined ? [] : [notSuspended, permitted(permit)]),
    ...(share === undefined ? [] : [inTurn(turn)]),
    ...(body === undefined ? [] : [jsonBody()]),
  ];

  const made = Router({ caseSensitive: true, strict: true });
  for (const [path, methods] of Map.groupBy(served, ({ endpoint }) => pathOf(endpoint))) {
    const steps = methods.map(
      (each) => [each.endpoint.method.toLowerCase(), [...stepsOf(each), answer(each)]] as const,
    );
    route(made, path, Object.fromEntries(steps));
  }
  return made;
}

function answer(served: ServedEndpoint): RequestHandler {
  return async (request, response) => {
    const reply = await served.answer({
      caller: callerOf(response),
      params: request.params,
      query: request.query,
      body: request.body,
      idempotencyKey: { name: IDEMPOTENCY_HEADER, value: request.get(IDEMPOTENCY_HEADER) },
      gone: goneSignal(response),
      showQuota: (quota) => setQuotaHeaders(response, quota),
    });
    response.status(reply.status).set(reply.headers).json(reply.body);
  };
}

function permitted(permit: ServedEndpoint['permit']): RequestHandler {
  return (_request, response, next) => {
    permit(callerOf(response));
    next();
  };
}

/** The rest of the request has a turn of its account, which ends with the answer. */
function inTurn(turn: ServedEndpoint['turn']): RequestHandler {
  return async (_request, response, next) => {
    response.once('close', await turn(callerOf(response), goneSignal(response)));
    next();
  };
}
