/** Deleting an account, and erasing what it had (decision 0037). */
import { type Actor, erased, type Link, redirectRecord } from '@waypost/domain';
import type {
  AccountDeletion,
  AccountDeletions,
  Accounts,
  Caller,
  ClickPurge,
  LinkCache,
  LinkPlace,
  OwnerProof,
} from '@waypost/ports';
import { accountOf, invalid } from './accounts.ts';
import { actorOf } from './actor.ts';
import { notProven, proveOwner, type SignInDeps } from './sign-in.ts';

interface Deps {
  readonly accounts: Accounts;
  readonly deletions: AccountDeletions;
  readonly now: () => Date;
}

export interface DeletedAccount {
  readonly email: string;
  readonly deletedAt: Date;
}

/** By an administrator or an operator; nobody deletes their own account so. Throws `account_not_found`. */
export async function deleteAccount(deps: Deps, email: string, by: Actor): Promise<DeletedAccount> {
  const account = await accountOf(deps, email);
  if (account.id === by.accountId) throw invalid({ email: 'is your own account' });
  return (await deleted(deps, { id: account.id }, by))!;
}

/**
 * By its owner, with a session. `email`, its own, tells that it is meant. Throws `validation_failed` for a wrong address
 * or password, `credentials_wrong` if the session ended meanwhile, and `too_many_attempts`.
 */
export async function deleteOwnAccount(
  deps: Deps & SignInDeps,
  caller: Caller,
  { email, current }: { email: string; current: string | undefined },
  gone: AbortSignal,
): Promise<DeletedAccount> {
  const proof = await proveOwner(deps, caller, { email, current }, gone);
  const account = { id: caller.accountId, proof };
  return (await deleted(deps, account, actorOf(caller))) ?? notProven(deps, proof.session);
}

async function deleted({ deletions, now }: Deps, account: { id: string; proof?: OwnerProof }, by: Actor) {
  const deletedAt = now();
  const gone = await deletions.delete(account, by, deletedAt);
  return gone && { email: gone.email, deletedAt };
}

export interface EraseDeps {
  readonly deletions: AccountDeletions;
  readonly clicks: ClickPurge;
  readonly cache: Pick<LinkCache, 'put'>;
  readonly now: () => Date;
}

const LINKS_AT_ONCE = 500;
/** One mutation of the click store for so many links. */
const PURGED_AT_ONCE = 4_000;
/**
 * So long after the deletion everything is gone through once more: clicks that were on their way, and links of a request or
 * an import that was under way.
 */
const LATER_PASSES_MS = [10 * 60_000, 24 * 3_600_000];

/** How long a process that erases is waited for. Of two at once, each repeats what the other did. */
export const ERASING_LEASE_MS = 60_000;

/**
 * Stops and erases the links of a deleted account, and its messages, then purges the clicks: all else goes also while the
 * click store is away. Whoever claims a pass that was cut off repeats nothing of it but looking; one that is stopped can
 * be claimed at once.
 */
export async function eraseAccount(
  { deletions, clicks, cache, now }: EraseDeps,
  { accountId, deletedAt }: AccountDeletion,
  stopping: AbortSignal,
): Promise<void> {
  const age = now().getTime() - deletedAt.getTime();
  /** Renews the lease, or gives it back: false, if this process stops. */
  const goesOn = async () => {
    const going = !stopping.aborted;
    await deletions.postpone(accountId, new Date(now().getTime() + (going ? ERASING_LEASE_MS : 0)));
    return going;
  };
  const slugs: string[] = [];
  let after: LinkPlace | undefined;
  let links: readonly Link[];
  do {
    const at = now();
    links = await deletions.eraseLinks(accountId, { after, limit: LINKS_AT_ONCE }, (link) => erased(link, at));
    await cache.put(links.map(redirectRecord));
    for (const { slug } of links) slugs.push(slug);
    after = links.at(-1);
    if (!(await goesOn())) return;
  } while (links.length === LINKS_AT_ONCE);
  await deletions.eraseMessages(accountId);
  for (let from = 0; from < slugs.length; from += PURGED_AT_ONCE) {
    await clicks.purge(slugs.slice(from, from + PURGED_AT_ONCE));
    if (!(await goesOn())) return;
  }
  const nextPass = LATER_PASSES_MS.find((ms) => ms > age);
  if (nextPass === undefined) await deletions.finish(accountId);
  else await deletions.postpone(accountId, new Date(deletedAt.getTime() + nextPass));
}
