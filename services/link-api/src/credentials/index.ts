import { bound, type EndpointWith, type Slice } from '../platform/slice.ts';
import { credentialEndpoints as all } from './credentials.endpoint.ts';
import type { CredentialsPorts } from './ports.ts';

export const credentialEndpoints: readonly EndpointWith<CredentialsPorts>[] = all;

export const credentials = (ports: CredentialsPorts): Slice => ({ endpoints: bound(ports, credentialEndpoints) });

export { presentCredentials } from './credentials.endpoint.ts';
export type { CredentialsPorts } from './ports.ts';
