import {
  CLICK_RETENTION_DAYS,
  created,
  type DayClicks,
  flaggedAs,
  type ImportOutcome,
  type Link,
  type NewLink,
  redirectRecord,
  SLUG_TAKEN,
  type Verdict,
} from '@waypost/domain';
import type { LinkCache, UrlScanner } from '@waypost/ports';
import type { ImportedLink, LinkImports } from './link-imports.port.ts';
import type { LinkStore } from './link-store.port.ts';

interface Deps {
  readonly links: Pick<LinkStore, 'findAll'>;
  readonly imports: Pick<LinkImports, 'store'>;
  readonly scanner: UrlScanner;
  readonly cache: Pick<LinkCache, 'announce'>;
  readonly now: () => Date;
  readonly onLateError: (error: unknown) => void;
}

export interface LinkToImport extends Pick<NewLink, 'title' | 'note' | 'endsAt'> {
  readonly slug: string;
  readonly destinationUrl: string;
  readonly tags: readonly string[];
  readonly createdAt: Date | undefined;
  /** The import ignores days before the retention period, and days to come. */
  readonly days: readonly DayClicks[];
}

const CREATED: ImportOutcome = { outcome: 'created' };
const SKIPPED: ImportOutcome = { outcome: 'skipped' };

const DAY_MS = 86_400_000;

/** Scans every link and uses no quota. It skips links that the account already has, so an import can be repeated. */
export async function importLinks(
  deps: Deps,
  ownerId: string,
  batch: readonly LinkToImport[],
  { dryRun }: { readonly dryRun: boolean },
): Promise<readonly ImportOutcome[]> {
  const existing = new Map<string, Pick<Link, 'ownerId' | 'destinationUrl'>>();
  for (const link of await deps.links.findAll(batch.map(({ slug }) => slug))) existing.set(link.slug, link);
  const isSame = ({ slug, destinationUrl }: LinkToImport, link = existing.get(slug)) =>
    link?.ownerId === ownerId && link.destinationUrl === destinationUrl;
  const outcomes = new Map<LinkToImport, ImportOutcome>();
  const fresh: LinkToImport[] = [];
  for (const link of batch) {
    if (existing.has(link.slug)) outcomes.set(link, isSame(link) ? SKIPPED : SLUG_TAKEN);
    else {
      fresh.push(link);
      // A later row may have the same slug.
      existing.set(link.slug, { ...link, ownerId });
    }
  }
  if (fresh.length === 0) return batch.map((link) => outcomes.get(link)!);

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
  if (dryRun || links.length === 0) return batch.map((link) => outcomes.get(link)!);

  const storedSlugs = new Set(await deps.imports.store(ownerId, links, now));
  const late = links.map(({ link }) => link.slug).filter((slug) => !storedSlugs.has(slug));
  if (late.length > 0) {
    // Another request has created these links meanwhile, for example a second import of the same file.
    const since = new Map((await deps.links.findAll(late)).map((link) => [link.slug, link] as const));
    for (const link of fresh) {
      if (since.has(link.slug)) outcomes.set(link, isSame(link, since.get(link.slug)) ? SKIPPED : SLUG_TAKEN);
    }
  }
  const inserted = links.filter(({ link }) => storedSlugs.has(link.slug));
  // Visitors find the links even if this fails, because the store has them.
  await deps.cache.announce(inserted.map(({ link }) => redirectRecord(link))).catch(deps.onLateError);
  return batch.map((link) => outcomes.get(link)!);
}

function change(
  { createdAt, days, ...words }: LinkToImport,
  {
    ownerId,
    verdict,
    generation,
  }: { readonly ownerId: string; readonly verdict: Verdict; readonly generation: string },
  now: Date,
) {
  const dayAt = (ms: number) => new Date(now.getTime() + ms).toISOString().slice(0, 10);
  const [oldest, newest] = [dayAt(-CLICK_RETENTION_DAYS * DAY_MS), dayAt(DAY_MS)];
  const scan = { threatType: flaggedAs(verdict), scanGeneration: generation };
  const link = { ...words, ownerId, ...scan };
  return { ...created(link, now, createdAt), days: days.filter(({ date }) => date >= oldest && date <= newest) };
}
