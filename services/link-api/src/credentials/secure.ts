import { type Actor, DomainError } from '@waypost/domain';
import { deletePasskey, removeIdentity } from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import { deleteApiKey } from '../keys/index.ts';
import { deleteWebhook } from '../webhooks/index.ts';
import { credentialsOf, type Deps } from './get.ts';

export interface Removal {
  /** Ids of passkeys, identities, keys and webhooks. */
  readonly ids: readonly string[];
  readonly password: boolean;
}

/**
 * Ends all sessions and the sign-in link of an account, and removes credentials. A repetition after a failure removes
 * what is left. Throws `credential_not_found`, before anything is done, if an id is none of the account.
 */
export async function secureAccount(deps: Deps, accountId: string, removal: Removal, by: Actor): Promise<void> {
  const { passkeys, identities, keys, webhooks } = await credentialsOf(deps, accountId);
  const removals = new Map<string, () => Promise<unknown>>([
    ...passkeys.map(({ id }) => [id, () => deletePasskey(deps, accountId, id, by)] as const),
    ...identities.map(({ id }) => [id, () => removeIdentity(deps, accountId, id, by)] as const),
    ...keys.map(({ id }) => [id, () => deleteApiKey(deps, id, { accountId }, by)] as const),
    ...webhooks.map(({ id }) => [id, () => deleteWebhook(deps, accountId, id, by)] as const),
  ]);
  const unknown = removal.ids.flatMap((id, i) =>
    removals.has(id)
      ? []
      : [[`remove[${i}]`, 'is not a passkey, identity, API key or webhook of this account'] as const],
  );
  if (unknown.length > 0)
    throw new DomainError(
      'credential_not_found',
      'The account has no credential or webhook with one of the IDs in `remove`. Nothing was changed.',
      { details: Object.fromEntries(unknown) },
    );
  const detail = removal.password ? 'All sessions ended and the password was removed.' : 'All sessions ended.';
  await deps.sessions.secure(accountId, removal, () => [aboutAccount(by, 'account.secured', accountId, detail)]);
  for (const id of removal.ids) await removals.get(id)!().catch(unlessGone);
}

/** A concurrent request was faster. */
function unlessGone(error: unknown): void {
  if (!(error instanceof DomainError && error.code.endsWith('_not_found'))) throw error;
}
