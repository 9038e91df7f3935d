export type { AuditEntry, AuditLog } from './audit-log.port.ts';
export { type AuditNote, aboutAccount, type NotesOf } from './note.ts';
