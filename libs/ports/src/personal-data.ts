import type { Case, Link } from '@waypost/domain';
import type { LinkPlace } from './account-deletions.ts';
import type { AccountDetails } from './accounts.ts';
import type { AuditEntry } from './audit-log.ts';

/** What is stored about a person and no other port lists; the newest first. */
export interface PersonalRecords {
  readonly account: AccountDetails;
  readonly identities: readonly { readonly issuer: string; readonly subject: string; readonly createdAt: Date }[];
  /** At most 1,000. */
  readonly cases: readonly Case[];
  /** At most 1,000 entries of the audit log, of what the account did and of what happened to it and its links. */
  readonly audit: readonly (Pick<AuditEntry, 'at' | 'action' | 'subject' | 'detail'> & {
    /** Who else acted is not told. */
    readonly actor: 'you' | 'administrator' | 'operator';
  })[];
}

export interface PersonalData {
  /** Undefined: there is no such account. */
  records(accountId: string): Promise<PersonalRecords | undefined>;
  /** All links of the account, oldest first, from the one after `after` on. */
  links(accountId: string, after: LinkPlace | undefined, limit: number): Promise<readonly Link[]>;
}
