import { slice } from '../platform/slice.ts';
import { getCredentialsEndpoint } from './get.endpoint.ts';
import { getAccountCredentialsEndpoint } from './get-any.endpoint.ts';
import type { CredentialsPorts } from './ports.ts';
import { secureAccountEndpoint } from './secure.endpoint.ts';
import { secureAnyAccountEndpoint } from './secure-any.endpoint.ts';

export const credentials = slice({
  endpoints: [getCredentialsEndpoint, secureAccountEndpoint, getAccountCredentialsEndpoint, secureAnyAccountEndpoint],
  open: (ports: CredentialsPorts) => ({ ports }),
});

export { presentCredentials } from './credentials.schema.ts';
export { credentialErrors } from './errors.http.ts';
export type { CredentialsPorts } from './ports.ts';
