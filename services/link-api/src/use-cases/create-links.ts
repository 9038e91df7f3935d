import {
  assertQuota,
  created,
  DomainError,
  flaggedAs,
  generateSlug,
  isUnavailable,
  type Link,
  outcomeUnknown,
  type Quota,
  redirectRecord,
  slugsTaken,
} from '@waypost/domain';
import type {
  IdempotencyRecord,
  IdempotencyStore,
  LinkCache,
  LinkStore,
  NewLinks,
  ScanResult,
  UrlScanner,
} from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'insert' | 'taken'>;
  readonly idempotency: Pick<IdempotencyStore, 'begin'>;
  readonly scanner: UrlScanner;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
  /** A cryptographic source, for generated slugs. */
  readonly randomBytes: (size: number) => Uint8Array;
  /** Reports failures after the commit, which no longer concern the caller. */
  readonly onLateError: (error: unknown) => void;
}

/** A requested link, whose shape and destination are already checked. */
export interface NewLinkRequest {
  readonly destinationUrl: string;
  readonly customSlug: string | undefined;
  readonly tags: readonly string[];
}

export interface CheckedRequest {
  readonly ownerId: string;
  /** The quota as read with the caller's key, to refuse early, before the scan. The write checks it again, exactly. */
  readonly quota: Quota;
  readonly links: readonly NewLinkRequest[];
  /** Whether the caller sent a list, for the names of fields in messages. */
  readonly isBatch: boolean;
}

export interface Idempotency extends IdempotencyRecord {
  /** What the caller calls it, for messages. */
  readonly name: string;
}

export interface CreateLinksRequest<Answer> extends CheckedRequest {
  /** Makes the answer, which is stored with the idempotency key for a replay. */
  readonly present: (links: readonly Link[]) => Answer;
  readonly idempotency?: Idempotency;
}

export type CreateLinksResult<Answer> =
  | { readonly answer: Answer; readonly quota: Quota; readonly links: readonly Link[] }
  | { readonly replayed: unknown };

/** There are 58^7 slugs: even with a thousand million links, only one draw in two thousand collides. */
const DRAWS = 8;

/**
 * POST /links and /links/bulk; a single link is a batch of one. All or nothing. Checks run in the order of
 * docs/contract.md, Errors: replay, 409, 429, 503, then the write, which checks slugs and quota again under its lock.
 */
export async function createLinks<Answer>(
  deps: Deps,
  request: CreateLinksRequest<Answer>,
): Promise<CreateLinksResult<Answer>> {
  const { ownerId, idempotency } = request;
  const held = idempotency === undefined ? undefined : await begin(deps, ownerId, idempotency);
  if (held !== undefined && 'replayed' in held) return held;

  const release = async () => {
    await held?.release().catch(deps.onLateError);
  };

  const scan = await check(deps, request).catch(async (error: unknown) => {
    await release();
    throw error;
  });
  try {
    const result = await insert(deps, request, scan, held?.holder);
    // If this fails, who asked for a slug before it was there finds the link some moments later.
    await deps.cache.announce(result.links.map(redirectRecord)).catch(deps.onLateError);
    return result;
  } catch (error) {
    if (!isUnavailable(error)) {
      await release();
      throw error;
    }
    // The key stays held: whatever the store does, no retry can create the links twice.
    throw outcomeUnknown(
      'The creation',
      idempotency === undefined
        ? 'Look for it before you try again.'
        : `A retry with the same ${idempotency.name} is safe.`,
      error,
    );
  }
}

/** `?dry_run=true`: runs every check and the scan, but creates and spends nothing. */
export async function tryLinks(
  deps: Omit<Deps, 'idempotency' | 'cache'>,
  request: CheckedRequest,
): Promise<(Omit<Link, 'slug'> & { slug: string | null })[]> {
  const scan = await check(deps, request);
  const wouldBe = newLinks(deps, request, scan, deps.now());
  return wouldBe.map(({ link }, i) => ({ ...link, slug: request.links[i]!.customSlug ?? null }));
}

/** Redraws generated slugs if one is taken; only the caller can change a custom slug. */
async function insert<Answer>(
  deps: Deps,
  request: CreateLinksRequest<Answer>,
  scan: ScanResult,
  holder: string | undefined,
) {
  const { ownerId, idempotency, present } = request;
  const now = deps.now();
  for (let draw = 1; draw <= DRAWS; draw++) {
    const made = newLinks(deps, request, scan, now);
    const links = made.map(({ link }) => link);
    const answer = present(links);
    const keep = idempotency === undefined || holder === undefined ? {} : { keep: { ...idempotency, holder, answer } };
    const stored = await deps.links.insert({ ownerId, links: made, ...keep }, now);
    if ('quota' in stored) return { links, answer, quota: stored.quota };
    assertFree(request, stored.taken);
  }
  throw new Error(`${DRAWS} draws in a row gave a slug that is taken`);
}

/** The changes to store for a request. Only this function generates slugs and creates links. */
function newLinks(
  { randomBytes }: Pick<Deps, 'randomBytes'>,
  { ownerId, links }: CheckedRequest,
  { generation: scanGeneration, verdicts }: ScanResult,
  now: Date,
): NewLinks['links'] {
  return links.map(({ customSlug, destinationUrl, tags }, i) => {
    const verdict = verdicts[i]!;
    const slug = customSlug ?? generateSlug(randomBytes);
    const threatType = flaggedAs(verdict);
    const deepScan = verdict.deep_scan;
    const link = { slug, ownerId, destinationUrl, tags, threatType, scanGeneration, deepScan };
    return { ...created(link, now), verdict };
  });
}

/** Throws `slug_taken` with the custom slugs among `taken`, in request order. */
function assertFree({ links }: CheckedRequest, taken: readonly string[]): void {
  const conflicts = links.flatMap(({ customSlug }) => customSlug ?? []).filter((slug) => taken.includes(slug));
  if (conflicts.length > 0) throw slugsTaken(conflicts);
}

async function begin(deps: Deps, ownerId: string, { name, ...record }: Idempotency) {
  const begun = await deps.idempotency.begin(ownerId, record, deps.now());
  switch (begun.state) {
    case 'new':
      return begun;
    case 'done':
      return { replayed: begun.response };
    case 'mismatch':
      throw new DomainError('idempotency_key_reused', `This ${name} was used with another body.`, {
        details: { [name]: 'was used with another body within the last 24 hours' },
      });
    case 'running':
      throw new DomainError('idempotency_key_in_use', `The first request with this ${name} still runs.`, {
        retryAfterSeconds: begun.retryAfterSeconds,
      });
  }
}

async function check(deps: Pick<Deps, 'links' | 'scanner' | 'now'>, request: CheckedRequest) {
  const { quota, links, isBatch } = request;
  const now = deps.now();
  if (links.length > quota.limit) assertQuota({ ...quota, used: 0 }, links.length, now); // never fits: 400 before 409
  const custom = links.flatMap(({ customSlug }) => customSlug ?? []);
  if (custom.length > 0) assertFree(request, await deps.links.taken(custom));
  assertQuota(quota, links.length, now);
  const scan = await deps.scanner.scan(links.map(({ destinationUrl }) => destinationUrl));
  // The endpoint applied the same policy, so only a scanner with other settings can refuse here.
  const refused = scan.verdicts.flatMap(({ outcome, reasons }, i) =>
    outcome === 'refused'
      ? [
          [
            isBatch ? `links[${i}].destination_url` : 'destination_url',
            reasons[0]?.evidence ?? 'is not allowed',
          ] as const,
        ]
      : [],
  );
  if (refused[0] !== undefined)
    throw new DomainError('validation_failed', `${refused[0].join(' ')}.`, { details: Object.fromEntries(refused) });
  return scan;
}
