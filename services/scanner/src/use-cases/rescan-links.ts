/**
 * A new generation looks at the links that exist (docs/contract.md, Re-scan). It only tells: what follows for a link,
 * link-api decides, which also knows what a person has cleared.
 */
import { flaggedAs, type UrlPolicy, VERDICTS, type VerdictEvent } from '@waypost/domain';
import type { Bus, Encoded, Page, ScannedLink, ScannedLinks } from '@waypost/ports';
import { encoded } from '@waypost/typed-bus';
import type { OwedRescan } from '../threat-index/scanner-state.ts';
import type { ThreatDatabase } from '../threat-index/threat-database.ts';
import { halvesOf } from '../threat-index/threat-index.ts';
import type { ThreatStore } from '../threat-index/threat-store.ts';
import { signedDecimal } from '../urls/expression-key.ts';
import { verdictOn } from './scan-urls.ts';
import { turns } from './turns.ts';

interface Deps {
  readonly store: Pick<ThreatStore, 'database' | 'addedKeys'>;
  readonly policy: UrlPolicy;
  readonly links: Pick<ScannedLinks, 'matching' | 'all'>;
  readonly bus: Pick<Bus, 'publishEncoded'>;
  readonly now: () => Date;
}

export interface ExistingLink extends ScannedLink {
  /** Of the trace to which a verdict on it belongs. */
  readonly traceparent?: string | undefined;
}

export interface Rescan {
  readonly looked: number;
  readonly flagged: number;
}

/** Keys in one question about the links, and links in one answer. */
const ASKED = 5_000;
const PAGE = 500;

/** Resolves when every threat found is with the bus. Rejects if the store or the bus fails: then it has to run again. */
export async function rescanLinks(deps: Deps, owed: OwedRescan, signal: AbortSignal): Promise<Rescan> {
  const added = deps.store.addedKeys(owed);
  const pages = added === undefined ? everyLink(deps) : matchingLinks(deps, halvesOf(added));
  const seen = new Set<string>();
  let looked = 0;
  let flagged = 0;
  for await (const page of pages) {
    signal.throwIfAborted();
    const links = page.filter(({ slug }) => !seen.has(slug));
    // A sweep sees each link once anyway; a link with several new keys comes once for each question.
    if (added !== undefined) for (const { slug } of links) seen.add(slug);
    looked += links.length;
    flagged += await tellThreats(deps, links);
  }
  return { looked, flagged };
}

/** Judges links by the generation in force and publishes `threat.found` for each that it flags. */
export async function tellThreats(
  { store, policy, bus, now }: Pick<Deps, 'policy' | 'bus' | 'now'> & { readonly store: Pick<ThreatStore, 'database'> },
  links: readonly ExistingLink[],
): Promise<number> {
  const database = store.database();
  if (database === undefined) return 0;
  const messages: Encoded<VerdictEvent>[] = [];
  const turn = turns();
  for (const link of links) {
    await turn();
    const event = threatFound(link, policy, database, now());
    if (event !== undefined) messages.push(encoded(VERDICTS, event, link.traceparent));
  }
  if (messages.length > 0) await bus.publishEncoded(VERDICTS, messages);
  return messages.length;
}

function threatFound(
  link: ExistingLink,
  policy: UrlPolicy,
  database: ThreatDatabase,
  now: Date,
): VerdictEvent | undefined {
  const verdict = verdictOn(link.destinationUrl, policy, database);
  const threat_type = flaggedAs(verdict);
  if (threat_type === null) return undefined;
  return {
    v: 1,
    type: 'threat.found',
    slug: link.slug,
    destination_url: link.destinationUrl,
    threat_type,
    reasons: verdict.reasons,
    generation: database.generation,
    at: now.toISOString(),
  };
}

async function* matchingLinks({ links }: Deps, keys: Uint32Array): AsyncGenerator<readonly ScannedLink[]> {
  for (let from = 0; from < keys.length; from += 2 * ASKED) {
    const asked: string[] = [];
    for (let at = from; at < Math.min(keys.length, from + 2 * ASKED); at += 2) {
      asked.push(signedDecimal(keys[at + 1]!, keys[at]!));
    }
    yield* pagesOf((page) => links.matching(asked, page));
  }
}

function everyLink({ links }: Deps): AsyncGenerator<readonly ScannedLink[]> {
  return pagesOf((page) => links.all(page));
}

async function* pagesOf(ask: (page: Page) => Promise<readonly ScannedLink[]>): AsyncGenerator<readonly ScannedLink[]> {
  for (let after = ''; ; ) {
    const links = await ask({ after, limit: PAGE });
    if (links.length > 0) yield links;
    if (links.length < PAGE) return;
    after = links.at(-1)!.slug;
  }
}
