/** What a request to an endpoint passes, whichever way it comes in: scope, a turn of its account, its input, its work. */
import { type ClickFigures, DomainError, hasCode, isUnavailable, permits, type Quota } from '@waypost/domain';
import type { Caller } from '@waypost/ports';
import { sharedAnswers } from '@waypost/resilience';
import { cachedReadiness } from '@waypost/telemetry';
import type { EndpointDeps } from '../deps.ts';
import { type Endpoint, Reply } from '../endpoints/endpoint.ts';
import { input, readBody, readQuery } from '../endpoints/input.ts';
import { actorOf } from '../use-cases/actor.ts';
import { FIGURES_KEPT } from '../use-cases/get-analytics.ts';
import { hasScope, SESSION_IS_NEEDED, SESSION_OR_ADMIN_IS_NEEDED, scopeIsMissing } from './authenticate.ts';
import { HttpError, STATUSES } from './errors.ts';
import { type GivenKey, idempotencyOf } from './idempotency.ts';
import { quotaOf } from './quota-headers.ts';

/** As it came in: nothing of it is checked. */
export interface EndpointRequest {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey: GivenKey | undefined;
  /** Nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  showQuota(quota: Quota): void;
}

export interface ServedEndpoint {
  readonly endpoint: Endpoint;
  isPermitted(caller: Caller): boolean;
  /** Throws 403 if it is not. */
  permit(caller: Caller): void;
  /** Resolves to what ends the turn. */
  turn(caller: Caller, gone: AbortSignal): Promise<() => void>;
  answer(request: EndpointRequest): Promise<Reply<object>>;
}

export function serving(given: Omit<EndpointDeps, 'figures' | 'readiness'>): (endpoint: Endpoint) => ServedEndpoint {
  const deps: EndpointDeps = {
    ...given,
    figures: sharedAnswers<ClickFigures>(FIGURES_KEPT),
    readiness: cachedReadiness(given.health),
  };

  return (endpoint) => {
    const { scope, session, share, audited } = endpoint;
    const params = input(endpoint.params);
    const query = endpoint.query && input(endpoint.query);
    const [status] = Object.keys(endpoint.answers);
    const problemOf = (caller: Caller): string | undefined => {
      if (scope !== undefined && scope !== 'any' && !hasScope(caller, scope)) return scopeIsMissing(scope);
      if (session === undefined || caller.session !== undefined) return undefined;
      if (session === 'needed') return SESSION_IS_NEEDED;
      return permits(caller.scopes, 'admin') ? undefined : SESSION_OR_ADMIN_IS_NEEDED;
    };
    const handled = async (request: EndpointRequest) => {
      const { caller } = request;
      const asked = {
        caller,
        params: readQuery(params, request.params),
        query: query ? readQuery(query, request.query) : {},
        body: endpoint.body && readBody(endpoint.body, request.body),
        gone: request.gone,
        quota: () => quotaOf(caller, deps.now()),
        showQuota: request.showQuota,
        idempotency: () => idempotencyOf(request.idempotencyKey, request.body, endpoint.path.slice(1)),
      };
      return endpoint.handle(asked, deps);
    };
    const noteRefusal = async ({ caller, params: asked, body }: EndpointRequest, error: unknown) => {
      if (audited === undefined || !(error instanceof DomainError) || isUnavailable(error)) return;
      const refused = { by: actorOf(caller), action: audited };
      // No deletion of an account would take back the address of one that is gone.
      if (hasCode(error, 'account_not_found'))
        return deps.audit.refused({ ...refused, subject: '', detail: 'There is no account with this e-mail address.' });
      // The address of an account that is there is noted as such, so that its deletion finds it.
      const subject = hasCode(error, 'account_exists')
        ? (body as { readonly email: string }).email
        : String(Object.values(readQuery(params, asked)).at(-1) ?? '');
      await deps.audit.refused({ ...refused, subject: withoutNul(subject), detail: withoutNul(error.message) });
    };
    return {
      endpoint,
      isPermitted: (caller) => problemOf(caller) === undefined,
      permit: (caller) => {
        const problem = problemOf(caller);
        if (problem !== undefined) throw new HttpError(403, problem);
      },
      turn: async ({ accountId }, gone) =>
        share === undefined ? () => undefined : deps.turns[share].take(accountId, gone),
      answer: async (request) => {
        const result = await handled(request).catch(async (error: unknown) => {
          deps.counts.operations.inc({ operation: endpoint.id, outcome: outcomeOf(error) });
          await noteRefusal(request, error);
          throw error;
        });
        deps.counts.operations.inc({ operation: endpoint.id, outcome: 'done' });
        return result instanceof Reply ? result : new Reply<object>(Number(status), result);
      },
    };
  };
}

/** For metrics. */
function outcomeOf(error: unknown): string {
  if (error instanceof DomainError) return error.code;
  return error instanceof HttpError ? STATUSES[error.status][0] : 'internal_error';
}

/** PostgreSQL stores none. */
const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd');
