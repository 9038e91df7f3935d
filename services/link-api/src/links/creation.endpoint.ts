/** POST /links and /links/bulk share this code. They differ only in the shape of request and response. */
import { hasCode, type Link } from '@waypost/domain';
import { type Call, Reply } from '../platform/endpoint.ts';
import { oneOf } from '../platform/fields.ts';
import { type CheckedRequest, createLinks, tryLinks } from './create.ts';
import { tooManyRows } from './dry-run-rows.ts';
import { DRY_RUNS } from './limits.ts';
import type { ShownLink } from './links.schema.ts';
import type { LinksPorts } from './ports.ts';

export const creationQuery = {
  dry_run: oneOf(['true', 'false'])
    .optional()
    .default('false')
    .description(
      'Whether to validate and scan without creating anything or using quota. The response is 200 instead of 201, and `Idempotency-Key` is ignored.',
    ),
};

export const DRY_RUNS_EXCEEDED = ['too_many_attempts', 'Too many dry runs', tooManyRows] as const;

/** Answers 201, or 200 for a dry run. `present` also makes the response that is stored for a replay. */
export async function create<T>(
  { caller, query, signal, quota, showQuota, idempotency }: Call<unknown, { readonly dry_run: string }, unknown>,
  deps: LinksPorts,
  requested: Pick<CheckedRequest, 'links' | 'isBatch'>,
  present: (links: readonly ShownLink[], total: number) => T,
): Promise<Reply<T>> {
  const ownerId = caller.accountId;
  const request = { ownerId, quota: quota(), ...requested };
  const key = idempotency();
  if (query.dry_run === 'true') {
    deps.spendDryRunRows(ownerId, requested.links.length);
    const release = await deps.slotsOf(DRY_RUNS).take(ownerId, signal);
    return new Reply(200, present(await tryLinks(deps, request).finally(release), 0));
  }
  const result = await createLinks(deps, {
    ...request,
    present: (links: readonly Link[]) => present(links, links.length),
    ...(key === undefined ? {} : { idempotency: key }),
  }).catch(async (error: unknown) => {
    // The quota may have changed since authentication, so the headers show the current one.
    if (hasCode(error, 'quota_exceeded')) showQuota(await deps.links.quota(ownerId, deps.now()));
    throw error;
  });
  if ('replayed' in result) return new Reply(201, result.replayed as T, { 'Idempotency-Replayed': 'true' });
  for (const { status } of result.links) deps.createdLinks.inc({ status });
  showQuota(result.quota);
  return new Reply(201, result.answer);
}
