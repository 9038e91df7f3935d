/** Runs the steps of every request over HTTP or MCP: scope, concurrency limit, input, handler. */
import { type Actor, type AuditAction, DomainError, isUnavailable, permits } from '@waypost/domain';
import { actorOf, type Caller, hasScope, isProven, proofNeeded } from '../caller.ts';
import { type BoundEndpoint, type Call, type Endpoint, Reply, scopesOf } from '../endpoint.ts';
import { input, isObject, readBody, readQuery } from '../input.ts';
import type { SlotsOf } from '../limits.ts';
import type { ApiCounts } from '../metrics.ts';
import { SESSION_IS_NEEDED, SESSION_OR_ADMIN_IS_NEEDED, scopeIsMissing } from './authentication.ts';
import { HttpError, STATUSES } from './errors.ts';
import { type GivenKey, idempotencyOf } from './idempotency.ts';
import { quotaOf } from './quota-headers.ts';

type AnyCall = Call<unknown, unknown, unknown>;

const NO_FIELDS = input({});

/** A call before its input is checked. */
export interface EndpointRequest extends Omit<AnyCall, 'params' | 'query' | 'body' | 'quota' | 'idempotency'> {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly idempotencyKey: GivenKey | undefined;
}

export interface EndpointHandler {
  readonly endpoint: Endpoint;
  isPermitted(caller: Caller): boolean;
  /** Throws 403 if the caller lacks the scope, and `proof_needed`. */
  permit(caller: Caller): void;
  slot(caller: Caller, signal: AbortSignal): Promise<() => void>;
  answer(request: EndpointRequest): Promise<Reply<object>>;
}

export interface RefusedChange {
  readonly by: Actor;
  readonly action: AuditAction;
  readonly subject: string;
  readonly detail: string;
}

export interface EndpointHandlerDeps {
  readonly counts: Pick<ApiCounts, 'operations'>;
  readonly slotsOf: SlotsOf;
  /** Notes in the audit log that a change was refused. */
  readonly noteRefusal: (refused: RefusedChange) => Promise<void>;
  readonly now: () => Date;
}

export function endpointHandlers(deps: EndpointHandlerDeps): (bound: BoundEndpoint) => EndpointHandler {
  return ({ endpoint, handle }) => {
    const { session, concurrency, audited } = endpoint;
    const scopes = scopesOf(endpoint);
    const params = input(endpoint.params);
    const query = input(endpoint.query);
    const [status] = Object.keys(endpoint.answers);
    const problemOf = (caller: Caller): string | undefined => {
      if (!scopes.every((scope) => hasScope(caller, scope))) return scopeIsMissing(scopes);
      if (session === undefined || caller.session !== undefined) return undefined;
      if (session === 'needed') return SESSION_IS_NEEDED;
      return permits(caller.scopes, 'admin') ? undefined : SESSION_OR_ADMIN_IS_NEEDED;
    };
    const bodyOf = (sent: unknown): unknown => {
      if (endpoint.body !== undefined) return readBody(endpoint.body, sent);
      // Who sends `dry_run` believes that nothing changes.
      if (isObject(sent)) readBody(NO_FIELDS, sent);
      return undefined;
    };
    const callOf = (request: EndpointRequest): AnyCall => ({
      ...request,
      params: readQuery(params, request.params),
      query: endpoint.scope === undefined ? {} : readQuery(query, request.query),
      body: bodyOf(request.body),
      quota: () => quotaOf(request.caller, deps.now()),
      idempotency: () => idempotencyOf(request.idempotencyKey, request.body, endpoint.path.slice(1)),
    });
    const noteRefusal = async (request: EndpointRequest, body: unknown, error: unknown) => {
      if (audited === undefined || !(error instanceof DomainError) || isUnavailable(error)) return;
      const change = { params: readQuery(params, request.params), body };
      const { subject, detail = error.message } = audited.refused(change, error);
      const refused = { by: actorOf(request.caller), action: audited.action };
      await deps.noteRefusal({ ...refused, subject: withoutNul(subject), detail: withoutNul(detail) });
    };
    return {
      endpoint,
      isPermitted: (caller) => problemOf(caller) === undefined,
      permit: (caller) => {
        const problem = problemOf(caller);
        if (problem !== undefined) throw new HttpError(403, problem);
        if (endpoint.proof && !isProven(caller, deps.now())) throw proofNeeded();
      },
      slot: async ({ accountId }, signal) =>
        concurrency === undefined ? () => undefined : deps.slotsOf(concurrency).take(accountId, signal),
      answer: async (request) => {
        let body: unknown;
        try {
          const call = callOf(request);
          body = call.body;
          const result = await handle(call);
          deps.counts.operations.inc({ operation: endpoint.id, outcome: 'done' });
          return result instanceof Reply ? result : new Reply<object>(Number(status), result);
        } catch (error) {
          deps.counts.operations.inc({ operation: endpoint.id, outcome: outcomeOf(error) });
          await noteRefusal(request, body, error);
          throw error;
        }
      },
    };
  };
}

function outcomeOf(error: unknown): string {
  if (error instanceof DomainError) return error.code;
  return error instanceof HttpError ? STATUSES[error.status] : 'internal_error';
}

/** PostgreSQL cannot store the character NUL. */
const withoutNul = (text: string) => text.replaceAll('\0', '\ufffd');
