import {
  assertQuota,
  created,
  DomainError,
  endProblem,
  flaggedAs,
  generateSlug,
  isUnavailable,
  type Link,
  type NewLink,
  outcomeUnknown,
  type Quota,
  redirectRecord,
  slugsTaken,
} from '@waypost/domain';
import type { LinkCache, ScanResult, UrlScanner } from '@waypost/ports';
import type { Idempotency } from '../platform/endpoint.ts';
import { throwIfAny } from '../platform/input.ts';
import type { IdempotencyStore, LinkStore, NewLinks } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'insert' | 'taken'>;
  readonly idempotency: Pick<IdempotencyStore, 'begin'>;
  readonly scanner: UrlScanner;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Reports failures after the commit, which do not change the response. */
  readonly onLateError: (error: unknown) => void;
}

/** A link of the request, after its shape and destination were checked. */
export interface NewLinkRequest extends Pick<NewLink, 'title' | 'note' | 'endsAt'> {
  readonly destinationUrl: string;
  readonly customSlug: string | undefined;
  readonly tags: readonly string[];
}

export interface CheckedRequest {
  readonly ownerId: string;
  /** The quota as it was read with the caller's key. It allows an early refusal; the write checks the quota again. */
  readonly quota: Quota;
  readonly links: readonly NewLinkRequest[];
  /** True if the caller sent a list. Messages then name fields as `links[3]`. */
  readonly isBatch: boolean;
}

export interface CreateLinksRequest<Answer> extends CheckedRequest {
  /** Makes the response, which is also stored with the idempotency key for a replay. */
  readonly present: (links: readonly Link[]) => Answer;
  readonly idempotency?: Idempotency;
}

/** There are 58^7 slugs. Even with a thousand million links, only one draw in two thousand collides. */
const DRAWS = 8;

/**
 * Serves POST /links and /links/bulk, and creates all links or none. The order of the checks is in docs/contract.md,
 * Errors: replay, 409, 429, 503. The write checks slugs and quota again under its lock.
 */
export async function createLinks<Answer>(deps: Deps, request: CreateLinksRequest<Answer>) {
  const { ownerId, idempotency } = request;
  const lease = idempotency === undefined ? undefined : await begin(deps, ownerId, idempotency);
  if (lease !== undefined && 'replayed' in lease) return lease;

  const release = async () => {
    await lease?.release().catch(deps.onLateError);
  };

  const scan = await check(deps, request).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  try {
    const result = await insert(deps, request, scan, lease?.holder);
    // If this fails, redirectors that cached "not found" for a slug still find the link soon after.
    await deps.cache.announce(result.links.map(redirectRecord)).catch(deps.onLateError);
    return result;
  } catch (error) {
    if (!isUnavailable(error)) {
      await release();
      throw error;
    }
    // The key stays reserved. A retry cannot create the links twice, even if the store has them.
    throw outcomeUnknown(
      'The creation',
      idempotency === undefined
        ? 'Check whether the link exists before you retry.'
        : `A retry with the same ${idempotency.name} is safe.`,
      error,
    );
  }
}

/** Runs every check and the scan for `?dry_run=true`, but creates nothing and uses no quota. */
export async function tryLinks(
  deps: Omit<Deps, 'idempotency' | 'cache'>,
  request: CheckedRequest,
): Promise<(Omit<Link, 'slug'> & { slug: string | null })[]> {
  const scan = await check(deps, request);
  const candidates = newLinks(deps, request, scan, deps.now());
  return candidates.map(({ link }, i) => ({ ...link, slug: request.links[i]!.customSlug ?? null }));
}

/** Draws new slugs if a generated slug is taken. A custom slug that is taken is an error. */
async function insert<Answer>(
  deps: Deps,
  request: CreateLinksRequest<Answer>,
  scan: ScanResult,
  holder: string | undefined,
) {
  const { ownerId, idempotency, present } = request;
  const now = deps.now();
  for (let draw = 1; draw <= DRAWS; draw++) {
    const candidates = newLinks(deps, request, scan, now);
    const links = candidates.map(({ link }) => link);
    const answer = present(links);
    const keep = idempotency === undefined || holder === undefined ? {} : { keep: { ...idempotency, holder, answer } };
    const insertion = await deps.links.insert({ ownerId, links: candidates, ...keep }, now);
    if ('quota' in insertion) return { links, answer, quota: insertion.quota };
    assertFree(request, insertion.taken);
  }
  throw new Error(`no free slug was found in ${DRAWS} attempts`);
}

function newLinks(
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  { ownerId, links }: CheckedRequest,
  { generation: scanGeneration, verdicts }: ScanResult,
  now: Date,
): NewLinks['links'] {
  return links.map(({ customSlug, ...words }, i) => {
    const verdict = verdicts[i]!;
    const slug = customSlug ?? generateSlug(randomBytes);
    const threatType = flaggedAs(verdict);
    const link = { ...words, slug, ownerId, threatType, scanGeneration };
    return { ...created(link, now), verdict };
  });
}

function assertFree({ links }: CheckedRequest, taken: readonly string[]): void {
  const conflicts = links.flatMap(({ customSlug }) => customSlug ?? []).filter((slug) => taken.includes(slug));
  if (conflicts.length > 0) throw slugsTaken(conflicts);
}

async function begin(deps: Deps, ownerId: string, { name, ...record }: Idempotency) {
  const attempt = await deps.idempotency.begin(ownerId, record, deps.now());
  switch (attempt.state) {
    case 'new':
      return attempt;
    case 'done':
      return { replayed: attempt.response };
    case 'mismatch':
      throw new DomainError('idempotency_key_reused', `This ${name} was already used with a different body.`, {
        details: { [name]: 'was used with a different body within the last 24 hours' },
      });
    case 'running':
      throw new DomainError('idempotency_key_in_use', `The first request with this ${name} is still running.`, {
        retryAfterSeconds: attempt.retryAfterSeconds,
      });
  }
}

async function check(deps: Pick<Deps, 'links' | 'scanner' | 'now'>, request: CheckedRequest) {
  const { quota, links, isBatch } = request;
  const now = deps.now();
  const fieldOf = (field: string) => (row: number) => (isBatch ? `links[${row}].${field}` : field);
  // After the replay of a response, because the end may have come since.
  const ends = links.map(({ endsAt }) => endsAt && endProblem(endsAt, now));
  throwIfAny('validation_failed', ends, fieldOf('ends_at'));
  // This request can never succeed, so it gets 400 before the checks that answer 409.
  if (links.length > quota.limit) assertQuota({ ...quota, used: 0 }, links.length, now);
  const custom = links.flatMap(({ customSlug }) => customSlug ?? []);
  if (custom.length > 0) assertFree(request, await deps.links.taken(custom));
  assertQuota(quota, links.length, now);
  const scan = await deps.scanner.scan(links.map(({ destinationUrl }) => destinationUrl));
  // The endpoint applied the same policy, so only a scanner with different settings can refuse here.
  const refusals = scan.verdicts.map(
    ({ outcome, reasons }) => outcome === 'refused' && (reasons[0]?.evidence || 'is not allowed'),
  );
  throwIfAny('validation_failed', refusals, fieldOf('destination_url'));
  return scan;
}
