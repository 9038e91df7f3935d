/** Runs the steps of every request over HTTP or MCP: scope, concurrency limit, input, handler. */
import {
  type AccountFigures,
  type ClickFigures,
  DomainError,
  hasCode,
  isUnavailable,
  permits,
  type Quota,
} from '@waypost/domain';
import { sharedAnswers } from '@waypost/resilience';
import { cachedReadiness } from '@waypost/telemetry';
import { type Origin, UNKNOWN_ORIGIN } from '../../accounts/index.ts';
import { FIGURES_KEPT } from '../../analytics/index.ts';
import type { EndpointDeps } from '../../deps.ts';
import { SESSION_IS_NEEDED, SESSION_OR_ADMIN_IS_NEEDED, scopeIsMissing } from '../../keys/authenticate.http.ts';
import { actorOf, type Caller, hasScope, isProven, proofNeeded } from '../caller.ts';
import { type Endpoint, Reply, scopesOf } from '../endpoint.ts';
import { input, readBody, readQuery } from '../input.ts';
import { NOWHERE, type Place } from '../place.ts';
import { HttpError, STATUSES } from './errors.ts';
import { type GivenKey, idempotencyOf } from './idempotency.ts';
import { quotaOf } from './quota-headers.ts';

export interface EndpointRequest {
  readonly caller: Caller;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey: GivenKey | undefined;
  readonly sessionToken?: () => string | undefined;
  readonly cookies?: () => string | undefined;
  readonly origin?: () => Origin;
  readonly signal: AbortSignal;
  readonly place?: Place;
  showQuota(quota: Quota): void;
}

export interface ServedEndpoint {
  readonly endpoint: Endpoint;
  isPermitted(caller: Caller): boolean;
  /** Throws 403 if the caller lacks the scope, and `proof_needed`. */
  permit(caller: Caller): void;
  turn(caller: Caller, signal: AbortSignal): Promise<() => void>;
  answer(request: EndpointRequest): Promise<Reply<object>>;
}

export function serving(
  ports: Omit<EndpointDeps, 'figures' | 'figuresOfAccounts' | 'readiness'>,
): (endpoint: Endpoint) => ServedEndpoint {
  const deps: EndpointDeps = {
    ...ports,
    figures: sharedAnswers<ClickFigures>(FIGURES_KEPT),
    figuresOfAccounts: sharedAnswers<AccountFigures>(FIGURES_KEPT),
    readiness: cachedReadiness(ports.health),
  };

  return (endpoint) => {
    const { session, share, audited } = endpoint;
    const scopes = scopesOf(endpoint);
    const params = input(endpoint.params);
    const query = endpoint.query && input(endpoint.query);
    const [status] = Object.keys(endpoint.answers);
    const problemOf = (caller: Caller): string | undefined => {
      if (!scopes.every((scope) => hasScope(caller, scope))) return scopeIsMissing(scopes);
      if (session === undefined || caller.session !== undefined) return undefined;
      if (session === 'needed') return SESSION_IS_NEEDED;
      return permits(caller.scopes, 'admin') ? undefined : SESSION_OR_ADMIN_IS_NEEDED;
    };
    const handle = async (request: EndpointRequest) => {
      const { caller } = request;
      const call = {
        caller,
        params: readQuery(params, request.params),
        query: query ? readQuery(query, request.query) : {},
        body: endpoint.body && readBody(endpoint.body, request.body),
        signal: request.signal,
        place: request.place ?? NOWHERE,
        quota: () => quotaOf(caller, deps.now()),
        showQuota: request.showQuota,
        sessionToken: request.sessionToken ?? (() => undefined),
        cookies: request.cookies ?? (() => undefined),
        origin: request.origin ?? (() => UNKNOWN_ORIGIN),
        idempotency: () => idempotencyOf(request.idempotencyKey, request.body, endpoint.path.slice(1)),
      };
      return endpoint.handle(call, deps);
    };
    const noteRefusal = async ({ caller, params: inPath, body }: EndpointRequest, error: unknown) => {
      if (audited === undefined || !(error instanceof DomainError) || isUnavailable(error)) return;
      const refused = { by: actorOf(caller), action: audited };
      // The address is not noted: no account has it, so no deletion of an account would ever erase it.
      if (hasCode(error, 'account_not_found'))
        return deps.audit.refused({ ...refused, subject: '', detail: 'There is no account with this e-mail address.' });
      // The address of an existing account is stored as an address, so that deleting the account erases it.
      const subject = hasCode(error, 'account_exists')
        ? (body as { readonly email: string }).email
        : String(Object.values(readQuery(params, inPath)).at(-1) ?? '');
      await deps.audit.refused({ ...refused, subject: withoutNul(subject), detail: withoutNul(error.message) });
    };
    return {
      endpoint,
      isPermitted: (caller) => problemOf(caller) === undefined,
      permit: (caller) => {
        const problem = problemOf(caller);
        if (problem !== undefined) throw new HttpError(403, problem);
        if (endpoint.proof && !isProven(caller, deps.now())) throw proofNeeded();
      },
      turn: async ({ accountId }, signal) =>
        share === undefined ? () => undefined : deps.turns[share].take(accountId, signal),
      answer: async (request) => {
        const result = await handle(request).catch(async (error: unknown) => {
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

function outcomeOf(error: unknown): string {
  if (error instanceof DomainError) return error.code;
  return error instanceof HttpError ? STATUSES[error.status][0] : 'internal_error';
}

/** PostgreSQL cannot store the character NUL. */
const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd');
