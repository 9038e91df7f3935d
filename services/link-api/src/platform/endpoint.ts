/** Declares endpoints. The router, the OpenAPI document, the API reference and the clients' types come from these. */
import type { AuditAction, DomainError, DomainErrorCode, Quota, Scope } from '@waypost/domain';
import type Joi from 'joi';
import type { Caller } from './caller.ts';
import type { Fields, ObjectOf, ValueOf } from './fields.ts';
import { faultsMessage, type Input } from './input.ts';
import type { AddressLimit, Concurrency } from './limits.ts';
import type { Origin, Place } from './place.ts';

export interface Answer {
  readonly means: string;
  readonly schema: Joi.AnySchema;
  /** JSON by default. With others, the handler returns a `Reply` with bytes and their `Content-Type`. */
  readonly mediaTypes?: readonly string[];
  /** Examples by title. `{redirect_base_url}` stands for the base URL of short links. */
  readonly examples: Readonly<Record<string, unknown>>;
}

/** A request that we send, to an address that its receiver chose. */
export interface Message {
  readonly type: string;
  readonly means: string;
  readonly schema: Joi.Schema;
  readonly example: unknown;
}

/** An error that the endpoint can throw. Without its own example, it has the one of its row in an errors.http.ts. */
export type ErrorCase =
  | DomainErrorCode
  | readonly [code: DomainErrorCode, summary: string, message: string, details?: Readonly<Record<string, unknown>>];

export function wrong(summary: string, details: Readonly<Record<string, string>>): ErrorCase {
  return ['validation_failed', summary, faultsMessage(details), details];
}

export const unknownParameter = wrong('Unknown parameter', { color: 'is not a known field' });

type Headers = Readonly<Record<string, string | string[]>>;

/** A handler returns this to answer with another status than the first declared one. */
export class Reply<T> {
  readonly status: number;
  readonly body: T;
  readonly headers: Headers;

  constructor(status: number, body: T, headers: Headers = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The key that a caller sent with a creation, so that a retry creates nothing again. */
export interface Idempotency {
  /** The caller's name for it in messages. */
  readonly name: string;
  readonly endpoint: string;
  readonly key: string;
  /** The SHA-256 of the body as canonical JSON, in hex. */
  readonly bodyHash: string;
}

export interface Call<P, Q, B> {
  /** Undefined if the endpoint needs no scope. */
  readonly caller: Caller;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Aborts when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Where the request came from. */
  readonly place: Place;
  /** Returns the quota as it was read with the caller's key. */
  quota(): Quota;
  /** The headers of the answer then show this quota. */
  showQuota(quota: Quota): void;
  /** Returns the header `Cookie`. */
  cookies(): string | undefined;
  /** What is stored of the browser that signs in. */
  origin(): Origin;
  idempotency(): Idempotency | undefined;
}

export type Answers = Readonly<Record<number, Answer>>;
type BodyOf<A extends Answers> = A extends Readonly<Record<number, { readonly schema: infer S }>> ? ValueOf<S> : never;

/** A change that the audit log notes, also if it is refused. */
export interface Audited<Request> {
  readonly action: AuditAction;
  /** Says what a refused change was about, and why it was refused: the message of `error`, if there is no `detail`. */
  refused(request: Request, error: DomainError): { readonly subject: string; readonly detail?: string };
}

interface Declared<P extends Fields, Q extends Fields, B, A extends Answers, Ports> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path below `/api/v1`. The path of an endpoint without a scope starts at the root. */
  readonly path: string;
  /**
   * An endpoint without a scope needs no key, and ignores its query. The scope `any` accepts every key. Of several, a
   * key needs each.
   */
  readonly scope?: Scope | 'any' | readonly Scope[];
  /** `needed` accepts only a session of the dashboard. `or_admin_key` also accepts a key with the scope `admin`. */
  readonly session?: 'needed' | 'or_admin_key';
  /** A session must have signed in, or proved who its owner is, within 15 minutes. A key needs no proof. */
  readonly proof?: true;
  /** Pages of this site alone may call the endpoint, without a key; GET is for all. `atMost` limits each address. */
  readonly browser?: { readonly atMost?: AddressLimit };
  /** `body` is undefined if it was not valid. */
  readonly audited?: Audited<{ readonly params: ObjectOf<P>; readonly body: NoInfer<B> | undefined }>;
  /** The concurrency limit for which requests wait. Without it, a request never waits. */
  readonly concurrency?: Concurrency;
  /** If true, the endpoint counts against the quota and takes an `Idempotency-Key`. */
  readonly creates?: true;
  /** The chapter in the API reference, if the path does not determine it. */
  readonly tag?: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: P;
  /** By default no query parameter is allowed. */
  readonly query?: Q;
  readonly body?: Input<B>;
  /** Examples of the request body, by title. */
  readonly examples?: Readonly<Record<string, NoInfer<B>>>;
  readonly answers: A;
  /** If none of these is a refused input, the document shows an unknown parameter as the example. */
  readonly errors?: readonly ErrorCase[];
  /** Explains an error status if its meaning here differs from the default in openapi.ts. */
  readonly means?: Readonly<Record<number, string>>;
  readonly cli?: string;
  /** `ports` is all that the handler may use beside the request. Its slice provides them. */
  handle(request: Call<ObjectOf<P>, ObjectOf<Q>, B>, ports: Ports): Promise<BodyOf<A> | Reply<BodyOf<A>>> | BodyOf<A>;
  /** Never set: the compiler compares parameters of methods both ways, and so would allow other ports. */
  readonly needs?: (ports: Ports) => void;
}

/** The scopes that a key needs, all of them. */
export function scopesOf({ scope }: Pick<Endpoint, 'scope'>): readonly Scope[] {
  if (scope === undefined || scope === 'any') return [];
  return typeof scope === 'string' ? [scope] : scope;
}

export interface Endpoint<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B = unknown,
  A extends Answers = Answers,
  Ports = never,
> extends Declared<P, Q, B, A, Ports> {
  readonly params: P;
  readonly query: Q;
}

const PROOF =
  'With a dashboard session, you must have signed in or confirmed your identity (`POST /account/proof`) within the last 15 minutes. Otherwise, the response is 403 with `details.proof`.';

type None = Readonly<Record<never, never>>;

export function endpoint<
  P extends Fields = None,
  Q extends Fields = None,
  B = unknown,
  A extends Answers = Answers,
  Ports = unknown,
>(declared: Declared<P, Q, B, A, Ports>): Endpoint<P, Q, B, A, Ports> {
  const proof = declared.proof && {
    description: `${declared.description} ${PROOF}`,
    errors: [...(declared.errors ?? []), 'proof_needed' as const],
  };
  return { params: {} as P, query: {} as Q, ...declared, ...proof };
}

export type EndpointWith<Ports> = Endpoint<Fields, Fields, unknown, Answers, Ports>;

/** An endpoint with the ports of its slice. */
export interface BoundEndpoint {
  readonly endpoint: Endpoint;
  handle(call: Call<unknown, unknown, unknown>): Promise<object>;
}

/** Only endpoints that need a key have the API version in their path. */
export function pathOf({ scope, path }: Endpoint): string {
  return scope === undefined ? path : `/api/v1${path}`;
}
