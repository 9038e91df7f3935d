/** A slice is one feature. It declares its endpoints, and `open` returns what else it brings, from its ports. */
import type { Router } from 'express';
import type { BoundEndpoint, Endpoint, EndpointWith, Message, Reply } from './endpoint.ts';
import type { Authentication } from './http/authentication.ts';
import type { EndpointHandler } from './http/endpoint-handler.ts';
import type { ReportError } from './http/errors.ts';

export const bound = <Ports>(ports: Ports, endpoints: readonly EndpointWith<NoInfer<Ports>>[]): BoundEndpoint[] =>
  endpoints.map((endpoint) => ({
    endpoint,
    handle: async (call) => (await endpoint.handle(call as never, ports)) as object | Reply<object>,
  }));

/** What the platform gives to a slice that has other routes than its endpoints. */
export interface Http {
  /** The endpoints of all slices. */
  readonly endpoints: readonly EndpointHandler[];
  readonly authentication: Authentication;
  readonly reportError: ReportError;
}

export interface Running {
  stop(): Promise<void>;
}

export interface Slice {
  readonly endpoints?: readonly BoundEndpoint[];
  readonly routes?: (http: Http) => Router;
  /** Paths whose rest is a secret, so that no log has it. */
  readonly secretPaths?: readonly string[];
  /** Each starts a consumer or a job. */
  readonly jobs?: readonly (() => Promise<Running> | Running)[];
  /** Each deletes what has expired. They are called every hour. */
  readonly forget?: readonly ((now: Date) => Promise<void>)[];
}

interface Declared<Own, Ports> {
  readonly endpoints?: readonly EndpointWith<NoInfer<Own>>[];
  readonly messages?: readonly Message[];
  /** `ports` are all that the endpoints may use. */
  open(ports: Ports): Omit<Slice, 'endpoints'> & { readonly ports?: Own };
}

export function slice<Own, Ports>({ endpoints = [], messages = [], open }: Declared<Own, Ports>) {
  return {
    endpoints: endpoints as readonly Endpoint[],
    messages,
    open: (ports: Ports): Slice => {
      const { ports: own, ...others } = open(ports);
      return { ...others, endpoints: bound(own as Own, endpoints) };
    },
  };
}
