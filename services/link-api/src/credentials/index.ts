import { slice } from '../platform/slice.ts';
import { getAccountCredentialsEndpoint, getCredentialsEndpoint } from './get.endpoint.ts';
import type { CredentialsPorts } from './ports.ts';
import { secureAccountEndpoint, secureAnyAccountEndpoint } from './secure.endpoint.ts';

export const credentials = slice({
  endpoints: [getCredentialsEndpoint, secureAccountEndpoint, getAccountCredentialsEndpoint, secureAnyAccountEndpoint],
  open: (ports: CredentialsPorts) => ({ ports }),
});

export { CREDENTIALS, credentialFields, presentCredentials } from './credentials.schema.ts';
export { credentialErrors } from './errors.http.ts';
export type { CredentialsPorts } from './ports.ts';
