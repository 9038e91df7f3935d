import type { Accounts } from '../accounts/index.ts';
import type { AuditLog } from '../audit/index.ts';
import type { ApiKeys } from './keys.port.ts';

export interface KeysPorts {
  readonly keys: ApiKeys;
  readonly accounts: Pick<Accounts, 'findByEmail'>;
  readonly audit: Pick<AuditLog, 'read'>;
  readonly now: () => Date;
}
