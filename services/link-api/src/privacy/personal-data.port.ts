import type { Link } from '@waypost/domain';
import type { AuditEntry } from '../audit/index.ts';
import type { Case } from '../moderation/index.ts';
import type { AccountDetails } from '../accounts/accounts.port.ts';
import type { LinkPlace } from './deletions.port.ts';

/** Data about a person that no other port returns, newest first. */
export interface PersonalRecords {
  readonly account: AccountDetails;
  /** At most 1,000 cases. */
  readonly cases: readonly Case[];
  /** At most 1,000 entries of the audit log: actions of the account, and actions on the account and its links. */
  readonly audit: readonly (Pick<AuditEntry, 'at' | 'action' | 'subject' | 'detail'> & {
    readonly actor: 'you' | 'administrator' | 'operator' | 'somebody';
  })[];
}

export interface PersonalData {
  records(accountId: string): Promise<PersonalRecords | undefined>;
  /** Returns links of the account that follow `after`, oldest first. */
  links(accountId: string, after: LinkPlace | undefined, limit: number): Promise<readonly Link[]>;
}
