/** Scans existing links with a new generation. link-api decides what follows, since it knows the reviews. */

import { type UrlPolicy, VERDICTS, type VerdictEvent } from '@waypost/domain';
import type { Bus, Encoded } from '@waypost/ports';
import { rest } from '@waypost/resilience';
import { encoded } from '@waypost/typed-bus';
import { signedDecimal } from '../judge/urls/expression-key.ts';
import type { PackedKeys } from '../packed-keys.ts';
import { pauses } from '../pauses.ts';
import { judgeLink, keysOfLink } from '../threats/own-links.ts';
import type { PendingRescan } from '../threats/scanner-state.ts';
import type { ThreatStore } from '../threats/threat-store.ts';
import type { FiledLink, Page, ScannedLink, ScannedLinks } from './scanned-links.port.ts';
import { verdictEvent } from './verdict-event.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'keysIn'>;
  readonly policy: UrlPolicy;
  readonly links: Pick<ScannedLinks, 'matching' | 'all' | 'refile'>;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

export interface ExistingLink extends ScannedLink {
  /** The trace of a verdict on the link. */
  readonly traceparent?: string | undefined;
}

export interface Rescan {
  readonly looked: number;
  readonly flagged: number;
  /** An urgent scan interrupted this one, which goes on later. */
  readonly isCutShort?: true;
}

export interface InBackground {
  /** Stores the slug after which the scan goes on. */
  note(after: string): Promise<void>;
  /** Returns true if an urgent scan waits. */
  mustYield(): boolean;
}

const KEYS_PER_QUERY = 5_000;
const PAGE = 500;
const NOTED_EVERY = 50 * PAGE;

/** Resolves once the bus has every threat. Rejects if it must be retried. */
export async function rescanLinks(
  deps: Deps,
  owed: PendingRescan,
  signal: AbortSignal,
  background: InBackground,
): Promise<Rescan> {
  const added = deps.store.keysIn(owed.file);
  if (added === undefined) return sweep(deps, owed, signal, background);
  const slugs = new Set<string>();
  let flagged = 0;
  for await (const page of matchingLinks(deps, added)) {
    signal.throwIfAborted();
    // The query returns a link once for each of its new keys.
    const links = page.filter(({ slug }) => !slugs.has(slug));
    for (const { slug } of links) slugs.add(slug);
    flagged += await publishThreats(deps, links);
  }
  return { looked: slugs.size, flagged };
}

/** In the background it rests as long as it works, so it takes at most half of the time of a core. */
async function sweep(
  deps: Deps,
  { after }: PendingRescan,
  signal: AbortSignal,
  { note, mustYield }: InBackground,
): Promise<Rescan> {
  let scannedLinks = 0;
  let flagged = 0;
  let startedAt = performance.now();
  for await (const page of pagesOf((at) => deps.links.all(at), after)) {
    signal.throwIfAborted();
    scannedLinks += page.length;
    flagged += await lookAtPage(deps, page);
    if (after === undefined) continue;
    const isCutShort = mustYield();
    if (isCutShort || scannedLinks % NOTED_EVERY === 0) await note(page.at(-1)!.slug);
    if (isCutShort) return { looked: scannedLinks, flagged, isCutShort };
    await rest(performance.now() - startedAt, signal);
    startedAt = performance.now();
  }
  return { looked: scannedLinks, flagged };
}

type FiledPage = Awaited<ReturnType<ScannedLinks['all']>>;

/** Files the links under the keys of this version of the program, and scans the active ones. */
async function lookAtPage(deps: Deps, page: FiledPage): Promise<number> {
  const pause = pauses();
  const filed: Pick<FiledLink, 'slug' | 'keys'>[] = [];
  for (const link of page) {
    await pause();
    filed.push({ slug: link.slug, keys: keysOfLink(link, deps.policy) });
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
  const pause = pauses();
  for (const link of links) {
    await pause();
    const { threatType, reasons } = judgeLink(link, { ...database, policy });
    if (threatType === null) continue;
    const threat = { threat_type: threatType, reasons, generation: database.generation };
    messages.push(encoded(VERDICTS, verdictEvent('threat.found', link, threat, now()), link.traceparent));
  }
  if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
  return messages.length;
}

/** A link with several of these keys may come several times. */
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
