import type { Database } from '@waypost/postgres';
import { slice } from '../platform/slice.ts';
import { createAccountKeyEndpoint, createKeyEndpoint } from './create.endpoint.ts';
import { deleteAnyKeyEndpoint, deleteKeyEndpoint } from './delete.endpoint.ts';
import { postgresApiKeys } from './keys.sql.ts';
import { listAccountKeysEndpoint, listKeysEndpoint } from './list.endpoint.ts';
import type { KeysPorts } from './ports.ts';

export const keys = slice({
  endpoints: [
    listKeysEndpoint,
    createKeyEndpoint,
    deleteKeyEndpoint,
    listAccountKeysEndpoint,
    createAccountKeyEndpoint,
    deleteAnyKeyEndpoint,
  ],
  open: (ports: KeysPorts) => ({ ports, forget: [() => ports.keys.forget()] }),
});

export const keyStores = (db: Database, limits: { readonly creationsPerHour: number }) => ({
  keys: postgresApiKeys(db, limits),
});

export { authentication } from './authenticate.http.ts';
export { deleteApiKey } from './delete.ts';
export { keyErrors } from './errors.http.ts';
export type { ApiKeys } from './keys.port.ts';
export { KEY, keyBody, presentKeyList } from './keys.schema.ts';
