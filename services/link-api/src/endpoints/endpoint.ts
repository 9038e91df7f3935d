/** What an endpoint declares. The router, the OpenAPI document, the reference page and the clients' types are made from it. */
import type { DomainErrorCode, Quota, Scope } from '@waypost/domain';
import type { Caller, IdempotencyRecord } from '@waypost/ports';
import type Joi from 'joi';
import type { EndpointDeps } from '../deps.ts';
import type { Fields, ObjectOf, ValueOf } from './fields.ts';
import { faultsMessage, type Input } from './input.ts';

export interface Answer {
  /** When it comes. */
  readonly means: string;
  readonly schema: Joi.AnySchema;
  /** By what each shows. `{redirect_base_url}` stands for the address of the short links. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/** An error of the domain; with an example, where that of http/errors.ts does not fit. */
export type ErrorCase =
  | DomainErrorCode
  | readonly [code: DomainErrorCode, summary: string, message: string, details?: Readonly<Record<string, unknown>>];

/** An input that is refused. */
export function wrong(summary: string, details: Readonly<Record<string, string>>): ErrorCase {
  return ['validation_failed', summary, faultsMessage(details), details];
}

export const unknownParameter = wrong('An unknown parameter', { colour: 'is not a known field' });

/** An answer other than the first that is declared. */
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
  /** Undefined where no scope is needed. */
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Nobody waits for the answer any more. */
  readonly gone: AbortSignal;
  /** As read with the caller's key. */
  quota(): Quota;
  /** In the headers of the answer. */
  showQuota(quota: Quota): void;
  /** Undefined without an `Idempotency-Key`. */
  idempotency(): IdempotencyRecord | undefined;
}

type Answers = Readonly<Record<number, Answer>>;
type BodyOf<A extends Answers> = A extends Readonly<Record<number, { readonly schema: infer S }>> ? ValueOf<S> : never;

export interface Endpoint<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B = unknown,
  A extends Answers = Answers,
> {
  /** Of the operation, in the OpenAPI document. */
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below `/api/v1`; without a scope, below the root. */
  readonly path: string;
  /** Without one, no key is needed. */
  readonly scope?: Scope;
  /** Of its account, in which a request waits its turn; without one it never waits. */
  readonly share?: 'reads' | 'analytics' | 'creations';
  /** Counts against the quota, and takes an `Idempotency-Key`. */
  readonly creates?: true;
  readonly tag: 'Links' | 'Analytics' | 'Administration' | 'Health';
  readonly summary: string;
  readonly description: string;
  readonly params: P;
  /** As `body`. */
  readonly query: Q | undefined;
  /** Undefined: it is not looked at. */
  readonly body: Input<B> | undefined;
  /** Of the body, by what each shows. */
  readonly examples?: Readonly<Record<string, NoInfer<B>>>;
  readonly answers: A;
  readonly errors: readonly ErrorCase[];
  /** What an error status means here, where that is not what http/openapi.ts says. */
  readonly means?: Readonly<Record<number, string>>;
  /** A request with the first example as its body, and the command that does the same. */
  readonly sample: { readonly path: string; readonly cli?: string };
  handle(
    asked: Asked<ObjectOf<P>, ObjectOf<Q>, B>,
    deps: EndpointDeps,
  ): Promise<BodyOf<A> | Reply<BodyOf<A>>> | BodyOf<A>;
}

export function endpoint<P extends Fields, Q extends Fields, B, A extends Answers>(
  declared: Endpoint<P, Q, B, A>,
): Endpoint<P, Q, B, A> {
  return declared;
}

export const none = {} as const;

/** What needs a key has a version in its path. */
export function pathOf({ scope, path }: Endpoint): string {
  return scope === undefined ? path : `/api/v1${path}`;
}
