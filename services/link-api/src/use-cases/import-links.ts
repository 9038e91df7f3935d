import {
  CLICK_RETENTION_DAYS,
  created,
  type DayClicks,
  flaggedAs,
  type ImportOutcome,
  type Link,
  redirectRecord,
  SLUG_TAKEN,
  type Verdict,
} from '@waypost/domain';
import type { ImportedLink, LinkCache, LinkImports, LinkStore, UrlScanner } from '@waypost/ports';

interface Deps {
  readonly links: Pick<LinkStore, 'findAll'>;
  readonly imports: Pick<LinkImports, 'store'>;
  readonly scanner: UrlScanner;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

/** A link of another service, whose shape and destination are already checked. */
export interface LinkToImport {
  readonly slug: string;
  readonly destinationUrl: string;
  readonly tags: readonly string[];
  readonly createdAt: Date | undefined;
  /** Days before those that are kept may be among them; they are left out. */
  readonly days: readonly DayClicks[];
}

const CREATED: ImportOutcome = { outcome: 'created' };
const SKIPPED: ImportOutcome = { outcome: 'skipped' };

const DAY_MS = 86_400_000;

/**
 * `waypost admin import`, up to 500 links. Each is scanned as any other, none counts against the quota. A link that the
 * account has already, with the same slug and destination, is skipped, so an import that died is simply run again.
 * Resolves to what became of each link, in their order.
 */
export async function importLinks(
  deps: Deps,
  ownerId: string,
  wanted: readonly LinkToImport[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly ImportOutcome[]> {
  const known = new Map<string, Pick<Link, 'ownerId' | 'destinationUrl'>>();
  for (const link of await deps.links.findAll(wanted.map(({ slug }) => slug))) known.set(link.slug, link);
  const isSame = ({ slug, destinationUrl }: LinkToImport, link = known.get(slug)) =>
    link?.ownerId === ownerId && link.destinationUrl === destinationUrl;
  const outcomes = new Map<LinkToImport, ImportOutcome>();
  const fresh: LinkToImport[] = [];
  for (const link of wanted) {
    if (known.has(link.slug)) outcomes.set(link, isSame(link) ? SKIPPED : SLUG_TAKEN);
    else {
      fresh.push(link);
      known.set(link.slug, { ...link, ownerId }); // a later row may have the same slug
    }
  }
  if (fresh.length === 0) return wanted.map((link) => outcomes.get(link)!);

  const { generation, verdicts } = await deps.scanner.scan(fresh.map(({ destinationUrl }) => destinationUrl));
  const now = deps.now();
  const links: ImportedLink[] = [];
  for (const [i, link] of fresh.entries()) {
    const verdict = verdicts[i]!;
    outcomes.set(link, CREATED);
    if (verdict.outcome === 'refused')
      outcomes.set(link, {
        outcome: 'conflict',
        why: `destination_url ${verdict.reasons[0]?.evidence ?? 'is refused'}`,
      });
    else links.push({ ...change(link, { ownerId, verdict, generation }, now), verdict });
  }
  if (dryRun || links.length === 0) return wanted.map((link) => outcomes.get(link)!);

  const stored = new Set(await deps.imports.store(links));
  const late = links.map(({ link }) => link.slug).filter((slug) => !stored.has(slug));
  if (late.length > 0) {
    // Somebody made them since: another import of the same file, or somebody else.
    const since = new Map((await deps.links.findAll(late)).map((link) => [link.slug, link] as const));
    for (const link of fresh) {
      if (since.has(link.slug)) outcomes.set(link, isSame(link, since.get(link.slug)) ? SKIPPED : SLUG_TAKEN);
    }
  }
  const made = links.filter(({ link }) => stored.has(link.slug));
  // Visitors find the links even if this fails: the store has them.
  await deps.cache.announce(made.map(({ link }) => redirectRecord(link))).catch(deps.onLateError);
  return wanted.map((link) => outcomes.get(link)!);
}

function change(
  { slug, destinationUrl, tags, createdAt, days }: LinkToImport,
  {
    ownerId,
    verdict,
    generation,
  }: { readonly ownerId: string; readonly verdict: Verdict; readonly generation: string },
  now: Date,
) {
  const oldest = new Date(now.getTime() - CLICK_RETENTION_DAYS * DAY_MS).toISOString().slice(0, 10);
  const scan = { threatType: flaggedAs(verdict), scanGeneration: generation, deepScan: verdict.deep_scan };
  const link = { slug, ownerId, destinationUrl, tags, ...scan };
  return { ...created(link, now, createdAt), days: days.filter(({ date }) => date >= oldest) };
}
