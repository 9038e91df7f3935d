import type { Accounts } from '../accounts/index.ts';
import type { AuditLog } from '../audit/index.ts';
import type { SignInAttempts } from '../platform/attempts.ts';
import type { Deps } from './get.ts';

export interface CredentialsPorts extends Deps {
  readonly accounts: Pick<Accounts, 'own' | 'findByEmail'>;
  readonly audit: Pick<AuditLog, 'read'>;
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly baseUrl: string;
}
