/**
 * Scans existing links with a new generation (docs/contract.md, Re-scan). It only reports: link-api decides what
 * follows for a link, since it knows what reviews have cleared.
 */
import { flaggedAs, type UrlPolicy, VERDICTS, type VerdictEvent } from '@waypost/domain';
import type { Bus, Encoded, FiledLink, Page, ScannedLink, ScannedLinks } from '@waypost/ports';
import { rest } from '@waypost/resilience';
import { encoded } from '@waypost/typed-bus';
import type { OwedRescan } from '../threat-index/scanner-state.ts';
import type { PackedKeys } from '../threat-index/threat-index.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { signedDecimal } from '../urls/expression-key.ts';
import { keysOf, verdictOn } from './scan-urls.ts';
import { turns } from './turns.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'keysIn'>;
  readonly policy: UrlPolicy;
  readonly links: Pick<ScannedLinks, 'matching' | 'all' | 'refile'>;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

export interface ExistingLink extends ScannedLink {
  /** The trace context of a verdict on the link. */
  readonly traceparent?: string | undefined;
}

export interface Rescan {
  readonly looked: number;
  readonly flagged: number;
  /** It made way for another: `note` has stored where it goes on. */
  readonly isCutShort?: true;
}

/** For a scan in the background. */
export interface InBackground {
  /** Stores how far it is. */
  note(after: string): Promise<void>;
  /** Whether another waits that is urgent. */
  mustYield(): boolean;
}

/** Keys per query, and links per page. */
const KEYS_PER_QUERY = 5_000;
const PAGE = 500;
/** After so many links, a scan in the background notes how far it is. */
const NOTED_EVERY = 50 * PAGE;

/** Resolves once the bus has every threat found. Rejects if the store or the bus fails, and must then be retried. */
export async function rescanLinks(
  deps: Deps,
  owed: OwedRescan,
  signal: AbortSignal,
  background: InBackground,
): Promise<Rescan> {
  const added = deps.store.keysIn(owed.file);
  if (added === undefined) return sweep(deps, owed, signal, background);
  const seen = new Set<string>();
  let flagged = 0;
  for await (const page of matchingLinks(deps, added)) {
    signal.throwIfAborted();
    // A link with several new keys comes several times.
    const links = page.filter(({ slug }) => !seen.has(slug));
    for (const { slug } of links) seen.add(slug);
    flagged += await publishThreats(deps, links);
  }
  return { looked: seen.size, flagged };
}

/**
 * In the background it rests after each page as long as that took, so it uses at most half of the time of a core, and makes
 * way for what is urgent.
 */
async function sweep(
  deps: Deps,
  { after }: OwedRescan,
  signal: AbortSignal,
  { note, mustYield }: InBackground,
): Promise<Rescan> {
  let looked = 0;
  let flagged = 0;
  let startedAt = performance.now();
  for await (const page of pagesOf((at) => deps.links.all(at), after)) {
    signal.throwIfAborted();
    looked += page.length;
    flagged += await lookAtPage(deps, page);
    if (after === undefined) continue;
    const isCutShort = mustYield();
    if (isCutShort || looked % NOTED_EVERY === 0) await note(page.at(-1)!.slug);
    if (isCutShort) return { looked, flagged, isCutShort };
    await rest(performance.now() - startedAt, signal);
    startedAt = performance.now();
  }
  return { looked, flagged };
}

type FiledPage = Awaited<ReturnType<ScannedLinks['all']>>;

/** Files the links under the keys of this version, by which later imports find them, and scans those that are active. */
async function lookAtPage(deps: Deps, page: FiledPage): Promise<number> {
  const turn = turns();
  const filed: Pick<FiledLink, 'slug' | 'keys'>[] = [];
  for (const { slug, destinationUrl } of page) {
    await turn();
    filed.push({ slug, keys: keysOf(destinationUrl, deps.policy) });
  }
  await deps.links.refile(filed);
  return publishThreats(
    deps,
    page.filter((link) => !link.flagged),
  );
}

/** Scans links with the current generation and publishes `threat.found` for each that it flags. */
export async function publishThreats(
  { store, policy, bus, now }: Pick<Deps, 'policy' | 'bus' | 'now'> & { readonly store: Pick<ThreatStore, 'database'> },
  links: readonly ExistingLink[],
): Promise<number> {
  const database = store.database();
  if (database === undefined) return 0;
  const messages: Encoded<VerdictEvent>[] = [];
  const turn = turns();
  for (const link of links) {
    await turn();
    const verdict = verdictOn(link.destinationUrl, policy, database);
    const threat_type = flaggedAs(verdict);
    if (threat_type === null) continue;
    const found = { threat_type, reasons: verdict.reasons, generation: database.generation };
    messages.push(encoded(VERDICTS, verdictEvent('threat.found', link, found, now()), link.traceparent));
  }
  if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
  return messages.length;
}

/** Links that are filed under any of these keys; one with several of them may come several times. */
export async function* matchingLinks(
  { links }: { readonly links: Pick<ScannedLinks, 'matching'> },
  keys: PackedKeys,
  which: 'active' | 'flagged' = 'active',
): AsyncGenerator<readonly ScannedLink[]> {
  for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
    const batch = Array.from(keys.subarray(from, from + KEYS_PER_QUERY), signedDecimal);
    yield* pagesOf((page) => links.matching(batch, page, which));
  }
}

async function* pagesOf<Link extends ScannedLink>(
  query: (page: Page) => Promise<readonly Link[]>,
  from = '',
): AsyncGenerator<readonly Link[]> {
  for (let after = from; ; ) {
    const links = await query({ after, limit: PAGE });
    if (links.length > 0) yield links;
    if (links.length < PAGE) return;
    after = links.at(-1)!.slug;
  }
}
