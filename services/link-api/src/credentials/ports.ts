import type { Accounts, Identities, Passkeys, Sessions } from '../accounts/index.ts';
import type { AuditLog } from '../audit/index.ts';
import type { ApiKeys } from '../keys/index.ts';
import type { SignInAttempts } from '../platform/attempts.ts';
import type { Webhooks } from '../webhooks/index.ts';

export interface CredentialsPorts {
  readonly accounts: Pick<Accounts, 'credentials' | 'findByEmail'>;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly identities: Identities;
  readonly keys: ApiKeys;
  readonly webhooks: Webhooks;
  readonly audit: Pick<AuditLog, 'read'>;
  readonly attempts: Pick<SignInAttempts, 'count'>;
  readonly baseUrl: string;
  readonly now: () => Date;
}
