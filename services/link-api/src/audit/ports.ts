import type { AuditLog } from './audit-log.port.ts';

export interface AuditPorts {
  readonly audit: AuditLog;
}
