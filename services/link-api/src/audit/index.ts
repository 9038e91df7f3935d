import type { DataSource } from 'typeorm';
import { bound, type EndpointWith, type Slice } from '../platform/slice.ts';
import { postgresAuditLog } from './audit-log.sql.ts';
import { listAuditEndpoint } from './list.endpoint.ts';
import type { AuditPorts } from './ports.ts';

export const auditEndpoints: readonly EndpointWith<AuditPorts>[] = [listAuditEndpoint];

export const audit = (ports: AuditPorts): Slice => ({ endpoints: bound(ports, auditEndpoints) });

export const auditStores = (db: DataSource) => ({ audit: postgresAuditLog(db) });

export type { AuditEntry, AuditLog } from './audit-log.port.ts';
export { storeNotes } from './audit-log.sql.ts';
export { type AuditNote, aboutAccount, type NotesOf } from './note.ts';
