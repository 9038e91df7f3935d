/** Deletes accounts, and erases their links and clicks later (decision 0037). */
import { type Actor, erased, type Link, redirectRecord } from '@waypost/domain';
import type { ClickPurge, LinkCache } from '@waypost/ports';
import {
  type Accounts,
  accountOf,
  notProven,
  type OwnerProof,
  proveOwner,
  type SignInDeps,
} from '../accounts/index.ts';
import { aboutAccount } from '../audit/index.ts';
import type { LinkPlace } from '../links/index.ts';
import { actorOf, type Caller } from '../platform/caller.ts';
import { invalid } from '../platform/checks.ts';
import type { AccountDeletion, AccountDeletions } from './deletions.port.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly deletions: AccountDeletions;
  readonly now: () => Date;
}

export interface DeletedAccount {
  readonly email: string;
  readonly deletedAt: Date;
}

/** Lets an administrator or operator delete an account, but not their own. Throws `account_not_found`. */
export async function deleteAccount(deps: Deps, email: string, by: Actor): Promise<DeletedAccount> {
  const account = await accountOf(deps, email);
  if (account.id === by.accountId) throw invalid({ email: 'must not be your own account' });
  return (await deleteRows(deps, { id: account.id }, by))!;
}

/**
 * `email` repeats the address. Throws `validation_failed` if it or the password is wrong. Throws `proof_needed` if the
 * account has no password and the session is not proven. Throws `credentials_wrong` if either ended meanwhile, and
 * `too_many_attempts`.
 */
export async function deleteOwnAccount(
  deps: Deps & SignInDeps,
  caller: Caller,
  { email, current }: { email: string; current: string | undefined },
  signal: AbortSignal,
): Promise<DeletedAccount> {
  const proof = await proveOwner(deps, caller, { email, current }, signal);
  const account = { id: caller.accountId, proof };
  return (await deleteRows(deps, account, actorOf(caller))) ?? notProven(deps, proof.session);
}

async function deleteRows({ deletions, now }: Deps, account: { id: string; proof?: OwnerProof }, by: Actor) {
  const deletedAt = now();
  const row = await deletions.delete(account, ({ id }) => [aboutAccount(by, 'account.deleted', id)], deletedAt);
  return row && { email: row.email, deletedAt };
}

export interface EraseDeps {
  readonly deletions: AccountDeletions;
  readonly clicks: ClickPurge;
  readonly cache: Pick<LinkCache, 'put'>;
  readonly now: () => Date;
}

const LINKS_AT_ONCE = 500;
/**
 * Later passes erase clicks that arrived late, and links of requests and imports that were still running. The time
 * counts from the first purge: before it the click store was down, and the clicks waited.
 */
const LATER_PASSES_MS = [10 * 60_000, 24 * 3_600_000];

/** After this time another process may repeat the work. Two concurrent erasures do no harm. */
export const ERASING_LEASE_MS = 60_000;

/**
 * Stops and erases the links of a deleted account, then its webhook messages and clicks. If the click store is down,
 * only clicks remain. The next claim repeats a pass that was interrupted.
 */
export async function eraseAccount(
  { deletions, clicks, cache, now }: EraseDeps,
  { accountId, purgedAt }: AccountDeletion,
  stopping: AbortSignal,
): Promise<void> {
  /** Renews the lease. If this process is stopping, it returns the lease and resolves to false. */
  const goesOn = async () => {
    const going = !stopping.aborted;
    await deletions.postpone(accountId, new Date(now().getTime() + (going ? ERASING_LEASE_MS : 0)));
    return going;
  };
  let after: LinkPlace | undefined;
  let links: readonly Link[];
  do {
    const at = now();
    links = await deletions.eraseLinks(accountId, { after, limit: LINKS_AT_ONCE }, (link) => erased(link, at));
    await cache.put(links.map(redirectRecord));
    after = links.at(-1);
    if (!(await goesOn())) return;
  } while (links.length === LINKS_AT_ONCE);
  await deletions.eraseMessages(accountId);
  await clicks.purge(accountId);
  const firstAt = purgedAt ?? now();
  const age = now().getTime() - firstAt.getTime();
  const nextPass = LATER_PASSES_MS.find((ms) => ms > age);
  if (nextPass === undefined) await deletions.finish(accountId);
  else await deletions.purged(accountId, firstAt, new Date(firstAt.getTime() + nextPass));
}
