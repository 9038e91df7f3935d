import type { Link, LinkChange } from '@waypost/domain';
import type { OwnerProof } from '../accounts/index.ts';
import type { NotesOf } from '../audit/index.ts';
import type { LinkPlace } from '../links/index.ts';

export interface AccountDeletion {
  readonly accountId: string;
  /** When its clicks were purged for the first time. */
  readonly purgedAt: Date | null;
}

export interface AccountDeletions {
  /**
   * Deletes the account, its keys, sessions, passkeys, identities and webhooks, and the texts of its cases, in one
   * transaction. Its keys and sessions fail from the next request on. Throws `account_not_found`. Resolves to undefined
   * and changes nothing if the session of `proof` has ended or the password has changed.
   */
  delete(
    account: { id: string; proof?: OwnerProof | undefined },
    notes: NotesOf<{ readonly id: string }>,
    at: Date,
  ): Promise<{ readonly email: string } | undefined>;
  /** Returns a deletion that has work to do, new deletions first. No other process gets it before `leaseUntil`. */
  claim(now: Date, leaseUntil: Date): Promise<AccountDeletion | undefined>;
  /**
   * Changes the next links of a deleted account and queues their events, in one transaction. Also deletes their
   * verdicts, reviews, imported clicks and texts of cases. Resolves to the changed links, oldest first.
   */
  eraseLinks(
    accountId: string,
    page: { readonly after: LinkPlace | undefined; readonly limit: number },
    change: (current: Link) => LinkChange | undefined,
  ): Promise<readonly Link[]>;
  eraseMessages(accountId: string): Promise<void>;
  postpone(accountId: string, until: Date): Promise<void>;
  /** Stores when the clicks were purged for the first time, and postpones the next pass. */
  purged(accountId: string, firstAt: Date, until: Date): Promise<void>;
  finish(accountId: string): Promise<void>;
}
