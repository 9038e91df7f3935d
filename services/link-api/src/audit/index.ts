import type { Database } from '@waypost/postgres';
import { slice } from '../platform/slice.ts';
import { postgresAuditLog } from './audit-log.sql.ts';
import { listAuditEndpoint } from './list.endpoint.ts';
import type { AuditPorts } from './ports.ts';

export const audit = slice({ endpoints: [listAuditEndpoint], open: (ports: AuditPorts) => ({ ports }) });

export const auditStores = (db: Database) => ({ audit: postgresAuditLog(db) });

export type { AuditEntry, AuditLog } from './audit-log.port.ts';
export { storeNotes } from './audit-log.sql.ts';
export { type AuditNote, aboutAccount, type NotesOf } from './note.ts';
