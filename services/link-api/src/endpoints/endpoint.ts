/**
 * The declaration of an endpoint: source of the router, the OpenAPI document, the API reference and the clients'
 * types.
 */
import type { AuditAction, DomainErrorCode, Quota, Scope } from '@waypost/domain';
import type { Caller } from '@waypost/ports';
import type Joi from 'joi';
import type { EndpointDeps } from '../deps.ts';
import type { Idempotency } from '../use-cases/create-links.ts';
import type { Fields, ObjectOf, ValueOf } from './fields.ts';
import { faultsMessage, type Input } from './input.ts';

export interface Answer {
  /** When this answer comes. */
  readonly means: string;
  readonly schema: Joi.AnySchema;
  /** By title. `{redirect_base_url}` stands for the address of the short links. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/** An error of the domain, with an example if that of http/errors.ts does not fit. */
export type ErrorCase =
  | DomainErrorCode
  | readonly [code: DomainErrorCode, summary: string, message: string, details?: Readonly<Record<string, unknown>>];

/** An example of refused input. */
export function wrong(summary: string, details: Readonly<Record<string, string>>): ErrorCase {
  return ['validation_failed', summary, faultsMessage(details), details];
}

export const unknownParameter = wrong('An unknown parameter', { colour: 'is not a known field' });

/** An answer other than the first declared one. */
export class Reply<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: T, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

export interface Asked<P, Q, B> {
  /** Undefined if the endpoint needs no scope. */
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Aborts once nobody waits for the answer. */
  readonly gone: AbortSignal;
  /** The quota as read with the caller's key. */
  quota(): Quota;
  /** In the headers of the answer, instead of what they say so far. */
  showQuota(quota: Quota): void;
  /** Undefined without an `Idempotency-Key`. */
  idempotency(): Idempotency | undefined;
}

type Answers = Readonly<Record<number, Answer>>;
type BodyOf<A extends Answers> = A extends Readonly<Record<number, { readonly schema: infer S }>> ? ValueOf<S> : never;

type Tag = 'Links' | 'Analytics' | 'Account' | 'Webhooks' | 'Administration' | 'Health';

interface Declared<P extends Fields, Q extends Fields, B, A extends Answers> {
  /** The operation's id in the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to `/api/v1`; without a scope, to the root. */
  readonly path: string;
  /** An endpoint without a scope needs no key; `any`: any key does. */
  readonly scope?: Scope | 'any';
  /** A session of the dashboard is needed: a key is not enough, unless it has the scope `admin`. */
  readonly session?: 'needed' | 'or_admin_key';
  /** The change that an administrator asks for: a refusal is noted in the audit log, too. */
  readonly audited?: AuditAction;
  /** The account's share in which a request waits its turn; without one it never waits. */
  readonly share?: 'reads' | 'analytics' | 'creations';
  /** Counts against the quota, and takes an `Idempotency-Key`. */
  readonly creates?: true;
  /** Its chapter in the document, where that does not follow from the path. */
  readonly tag?: Tag;
  readonly summary: string;
  readonly description: string;
  /** Of the path; none unless they are given. */
  readonly params?: P;
  /** No parameter is known unless they are given. Undefined: whatever is given is ignored. */
  readonly query?: Q | undefined;
  /** The body is ignored unless it is given. */
  readonly body?: Input<B>;
  /** Examples of the body, by title. */
  readonly examples?: Readonly<Record<string, NoInfer<B>>>;
  readonly answers: A;
  /** Without an example of refused input, an unknown parameter is one. */
  readonly errors?: readonly ErrorCase[];
  /** What an error status means here, if it differs from http/openapi.ts. */
  readonly means?: Readonly<Record<number, string>>;
  /** A command that does the same. */
  readonly cli?: string;
  handle(
    asked: Asked<ObjectOf<P>, ObjectOf<Q>, B>,
    deps: EndpointDeps,
  ): Promise<BodyOf<A> | Reply<BodyOf<A>>> | BodyOf<A>;
}

export interface Endpoint<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B = unknown,
  A extends Answers = Answers,
> extends Declared<P, Q, B, A> {
  readonly params: P;
  readonly query: Q | undefined;
}

type None = Readonly<Record<never, never>>;

export function endpoint<P extends Fields = None, Q extends Fields = None, B = unknown, A extends Answers = Answers>(
  declared: Declared<P, Q, B, A>,
): Endpoint<P, Q, B, A> {
  return { params: {} as P, query: {} as Q, ...declared };
}

/** By the first step of the path. */
const TAGS: Readonly<Record<string, Tag>> = {
  account: 'Account',
  admin: 'Administration',
  healthz: 'Health',
  readyz: 'Health',
  webhooks: 'Webhooks',
};

export function tagOf({ tag, path }: Endpoint): Tag {
  return tag ?? TAGS[path.split('/')[1]!] ?? 'Links';
}

/** Endpoints that need a key have a version in their path. */
export function pathOf({ scope, path }: Endpoint): string {
  return scope === undefined ? path : `/api/v1${path}`;
}
