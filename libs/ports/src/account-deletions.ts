import type { Actor, Link, LinkChange } from '@waypost/domain';

/** An account that was deleted, while its links and their clicks are erased. */
export interface AccountDeletion {
  readonly accountId: string;
  readonly deletedAt: Date;
}

/** Where a page of an account's links ends, by their creation. */
export interface LinkPlace {
  readonly createdAt: Date;
  readonly slug: string;
}

/** That its owner asked: with `session`, a token's hash, and this password (null: the account has none). */
export interface OwnerProof {
  readonly session: Buffer;
  readonly passwordHash: string | null;
}

export interface AccountDeletions {
  /**
   * Deletes the account with its keys, sessions, passkeys, identities, webhooks, and what its cases say; notes it in the
   * audit log. All in one transaction: whoever asks next with a key or a session is unknown. Throws `account_not_found`.
   * Undefined, with nothing changed, if `proof` does not hold any more: the session has ended or the password is another.
   */
  delete(
    account: { id: string; proof?: OwnerProof | undefined } | { email: string },
    by: Actor,
    at: Date,
  ): Promise<{ readonly email: string } | undefined>;
  /** A deletion whose links are to be erased now, a new one first; to nobody else before `leaseUntil`. */
  claim(now: Date, leaseUntil: Date): Promise<AccountDeletion | undefined>;
  /**
   * Changes the next links of a deleted account in one transaction with their events, and drops the verdicts, reviews,
   * imported clicks and texts of cases about them. Resolves to those links as they are now, oldest first.
   */
  eraseLinks(
    accountId: string,
    page: { readonly after: LinkPlace | undefined; readonly limit: number },
    change: (current: Link) => LinkChange | undefined,
  ): Promise<readonly Link[]>;
  /** Deletes the messages to webhooks of a deleted account. */
  eraseMessages(accountId: string): Promise<void>;
  /** To be claimed again at that time. */
  postpone(accountId: string, until: Date): Promise<void>;
  /** Forgets the deletion: nothing is left to erase. */
  finish(accountId: string): Promise<void>;
}
