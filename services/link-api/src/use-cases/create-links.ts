import {
  assertQuota,
  created,
  DomainError,
  isUnavailable,
  type Link,
  outcomeUnknown,
  type Quota,
  redirectRecord,
  slugsTaken,
} from '@waypost/domain';
import type { IdempotencyRecord, IdempotencyStore, LinkCache, LinkStore, UrlScanner } from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'create' | 'taken'>;
  readonly idempotency: Pick<IdempotencyStore, 'begin'>;
  readonly scanner: UrlScanner;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
  /** Told of what went wrong after the links were made: it is not the caller's concern any more. */
  readonly onLateError: (error: unknown) => void;
}

/** A link as asked for: its shape and its destination are checked already. */
export interface NewLinkRequest {
  readonly destinationUrl: string;
  readonly customSlug: string | undefined;
  readonly tags: readonly string[];
}

export interface CreateLinksRequest {
  readonly ownerId: string;
  /** As read with the caller's key: a cheap no before the scan. The write checks it again, exactly. */
  readonly quota: Quota;
  readonly links: readonly NewLinkRequest[];
  /** With how to present what is kept for a replay. */
  readonly idempotency?: IdempotencyRecord & { readonly response: (links: readonly Link[]) => unknown };
}

export type CreateLinksResult =
  | { readonly links: readonly Link[]; readonly quota: Quota }
  | { readonly replayed: unknown };

/**
 * POST /links and /links/bulk; a single link is a batch of one. All or nothing. Checks go in the order of
 * docs/contract.md, Errors: replay, 409, 429, 503, then the write, which checks slugs and quota again under its lock.
 */
export async function createLinks(deps: Deps, request: CreateLinksRequest): Promise<CreateLinksResult> {
  const { ownerId, links, idempotency } = request;
  const held = idempotency === undefined ? undefined : await begin(deps, ownerId, idempotency);
  if (held !== undefined && 'replayed' in held) return held;

  const release = async () => {
    await held?.release().catch(deps.onLateError);
  };

  const scan = await check(deps, request).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const { holder } = held ?? {};
  try {
    const result = await deps.links.create(
      {
        ownerId,
        links: links.map((link, i) => ({ ...link, verdict: scan.verdicts[i]! })),
        scanGeneration: scan.generation,
        ...(idempotency === undefined || holder === undefined ? {} : { idempotency: { ...idempotency, holder } }),
      },
      deps.now(),
    );
    // Visitors find the links without it too: the store has them.
    await deps.cache.announce(result.links.map(redirectRecord)).catch(deps.onLateError);
    return result;
  } catch (error) {
    if (!isUnavailable(error)) {
      await release();
      throw error;
    }
    // The key stays held: whatever the store makes of it, no retry can do it twice.
    throw outcomeUnknown('The creation', 'A retry with the same Idempotency-Key is safe.', error);
  }
}

/** `?dry_run=true`: every check and the scan, but nothing is made and nothing is spent. */
export async function tryLinks(
  deps: Omit<Deps, 'idempotency' | 'cache'>,
  request: Omit<CreateLinksRequest, 'idempotency'>,
): Promise<(Omit<Link, 'slug'> & { slug: string | null })[]> {
  const { ownerId, links } = request;
  const scan = await check(deps, request);
  const now = deps.now();
  return links.map(({ customSlug, destinationUrl, tags }, i) => {
    const verdict = scan.verdicts[i]!;
    const threatType = verdict.outcome === 'flagged' ? verdict.threat_type : null;
    const wouldBe = { slug: '', ownerId, destinationUrl, tags, threatType, scanGeneration: scan.generation };
    return { ...created(wouldBe, now).link, slug: customSlug ?? null };
  });
}

async function begin(deps: Deps, ownerId: string, record: IdempotencyRecord) {
  const begun = await deps.idempotency.begin(ownerId, record, deps.now());
  switch (begun.state) {
    case 'new':
      return begun;
    case 'done':
      return { replayed: begun.response };
    case 'mismatch':
      throw new DomainError('idempotency_key_reused', 'This Idempotency-Key was used with another body.', {
        details: { 'Idempotency-Key': 'was used with another body within the last 24 hours' },
      });
    case 'running':
      throw new DomainError('idempotency_key_in_use', 'The first request with this Idempotency-Key still runs.', {
        retryAfterSeconds: begun.retryAfterSeconds,
      });
  }
}

async function check(deps: Pick<Deps, 'links' | 'scanner' | 'now'>, { quota, links }: CreateLinksRequest) {
  const now = deps.now();
  if (links.length > quota.limit) assertQuota({ ...quota, used: 0 }, links.length, now); // never fits: 400 before 409
  const custom = links.flatMap(({ customSlug }) => (customSlug === undefined ? [] : [customSlug]));
  const taken = custom.length === 0 ? [] : await deps.links.taken(custom);
  if (taken.length > 0) throw slugsTaken(custom.filter((slug) => taken.includes(slug)));
  assertQuota(quota, links.length, now);
  const scan = await deps.scanner.scan(links.map(({ destinationUrl }) => destinationUrl));
  const refused = scan.verdicts.findIndex(({ outcome }) => outcome === 'refused');
  if (refused !== -1) {
    // The same policy was asked at the edge: only a scanner with other settings can say no here.
    const why = scan.verdicts[refused]!.reasons[0]?.evidence ?? 'is not allowed';
    throw new DomainError('validation_failed', `destination_url ${why}.`, {
      details: { [links.length === 1 ? 'destination_url' : `links[${refused}].destination_url`]: why },
    });
  }
  return scan;
}
