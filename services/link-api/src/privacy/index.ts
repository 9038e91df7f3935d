import type { Database } from '@waypost/postgres';
import { slice } from '../platform/slice.ts';
import { postgresAccountDeletions } from './account-deletions.sql.ts';
import { deleteAccountEndpoint, deleteOwnAccountEndpoint } from './delete.endpoint.ts';
import { eraseAccounts } from './erase-accounts.job.ts';
import { exportAccountEndpoint } from './export.endpoint.ts';
import type { PrivacyPorts } from './ports.ts';

export const privacy = slice({
  endpoints: [deleteOwnAccountEndpoint, exportAccountEndpoint, deleteAccountEndpoint],
  open: (ports: PrivacyPorts) => ({ ports, jobs: [() => eraseAccounts(ports)] }),
});

export const privacyStores = (db: Database, wakeOutbox: () => void) => ({
  deletions: postgresAccountDeletions(db, wakeOutbox),
});
