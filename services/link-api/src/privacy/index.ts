import type { DataSource } from 'typeorm';
import { bound, type EndpointWith, type Slice } from '../platform/slice.ts';
import { postgresAccountDeletions } from './account-deletions.sql.ts';
import { deleteAccountEndpoint, deleteOwnAccountEndpoint } from './delete.endpoint.ts';
import { eraseAccounts } from './erase-accounts.job.ts';
import { exportAccountEndpoint } from './export.endpoint.ts';
import type { PrivacyPorts } from './ports.ts';

export const privacyEndpoints: readonly EndpointWith<PrivacyPorts>[] = [
  deleteOwnAccountEndpoint,
  exportAccountEndpoint,
  deleteAccountEndpoint,
];

export const privacy = (ports: PrivacyPorts): Slice => ({
  endpoints: bound(ports, privacyEndpoints),
  jobs: [() => eraseAccounts(ports)],
});

export const privacyStores = (db: DataSource, wakeOutbox: () => void) => ({
  deletions: postgresAccountDeletions(db, wakeOutbox),
});
