import { bound, type EndpointWith, type Slice } from '../platform/slice.ts';
import { getCredentialsEndpoint } from './get.endpoint.ts';
import { getAccountCredentialsEndpoint } from './get-any.endpoint.ts';
import type { CredentialsPorts } from './ports.ts';
import { secureAccountEndpoint } from './secure.endpoint.ts';
import { secureAnyAccountEndpoint } from './secure-any.endpoint.ts';

export const credentialEndpoints: readonly EndpointWith<CredentialsPorts>[] = [
  getCredentialsEndpoint,
  secureAccountEndpoint,
  getAccountCredentialsEndpoint,
  secureAnyAccountEndpoint,
];

export const credentials = (ports: CredentialsPorts): Slice => ({ endpoints: bound(ports, credentialEndpoints) });

export { presentCredentials } from './credentials.schema.ts';
export type { CredentialsPorts } from './ports.ts';
