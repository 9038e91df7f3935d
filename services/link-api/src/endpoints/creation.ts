/** What POST /links and /links/bulk share: they differ only in the shape of requests and answers. */
import { hasCode, type Link } from '@waypost/domain';
import type { EndpointDeps } from '../deps.ts';
import { type CheckedRequest, createLinks, tryLinks } from '../use-cases/create-links.ts';
import { type Asked, Reply } from './endpoint.ts';
import { oneOf } from './fields.ts';
import type { Shown } from './link-bodies.ts';

export const creationQuery = {
  dry_run: oneOf(['true', 'false'])
    .optional()
    .default('false')
    .description(
      '`true`: every check and the scan, but nothing is made and nothing is spent. Answers 200 instead of 201, and ignores `Idempotency-Key`.',
    ),
};

/** Answers 201, and 200 to a dry run. `present` also makes the answer that is stored for a replay. */
export async function create<T>(
  { caller, query, gone, quota, showQuota, idempotency }: Asked<unknown, { readonly dry_run: string }, unknown>,
  deps: EndpointDeps,
  wanted: Pick<CheckedRequest, 'links' | 'isBatch'>,
  present: (links: readonly Shown[], made: number) => T,
): Promise<Reply<T>> {
  const ownerId = caller.accountId;
  const request = { ownerId, quota: quota(), ...wanted };
  const key = idempotency();
  if (query.dry_run === 'true') {
    const release = await deps.turns.dryRuns.take(ownerId, gone);
    return new Reply(200, present(await tryLinks(deps, request).finally(release), 0));
  }
  const result = await createLinks(deps, {
    ...request,
    present: (made: readonly Link[]) => present(made, made.length),
    ...(key === undefined ? {} : { idempotency: key }),
  }).catch(async (error: unknown) => {
    // The quota as it is now, not as it was at authentication.
    if (hasCode(error, 'quota_exceeded')) showQuota(await deps.links.quota(ownerId, deps.now()));
    throw error;
  });
  // The JSON that `present` made for the first request.
  if ('replayed' in result) return new Reply(201, result.replayed as T, { 'Idempotency-Replayed': 'true' });
  for (const { status } of result.links) deps.counts.linksCreated.inc({ status });
  showQuota(result.quota);
  return new Reply(201, result.answer);
}
