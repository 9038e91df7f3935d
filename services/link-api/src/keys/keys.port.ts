import type { ApiKey } from '@waypost/domain';
import type { NotesOf } from '../audit/index.ts';
import type { Caller } from '../platform/caller.ts';

export interface ListedKey extends ApiKey {
  readonly hint: string;
  /** The stored time may be up to a minute too early. */
  readonly lastUsedAt: Date | null;
}

export interface DeletedKey extends Pick<ApiKey, 'id' | 'accountId' | 'name'> {
  readonly deletedAt: Date;
  /** The webhooks that the key created, or whose URL it set last. They continue unless they are switched off. */
  readonly webhooks: readonly { readonly id: string; readonly url: string; readonly enabled: boolean }[];
}

/** What becomes of the webhooks of a deleted key. */
export type WebhooksOfKey = 'keep' | 'switch_off';

export interface ApiKeys {
  /** Throws `too_many_keys` if the account has 20 active keys. No concurrent call exceeds this limit. */
  create(
    key: Pick<ListedKey, 'accountId' | 'name' | 'scopes' | 'hint' | 'expiresAt'> & { readonly keyHash: Buffer },
    notes: NotesOf<ApiKey>,
  ): Promise<ApiKey>;
  /** Resolves to the caller whose key has this SHA-256. Undefined if the key is unknown, deleted or expired. */
  authenticate(keyHash: Buffer): Promise<Caller | undefined>;
  list(accountId: string): Promise<readonly ListedKey[]>;
  /**
   * Takes effect at once and cannot be undone. Throws `key_not_found`, also for a key of another account. `notes` gets
   * the webhooks as they were before.
   */
  delete(
    id: string,
    from: { readonly accountId: string | undefined; readonly webhooks: WebhooksOfKey },
    notes: NotesOf<DeletedKey>,
  ): Promise<DeletedKey>;
  forget(): Promise<void>;
}
