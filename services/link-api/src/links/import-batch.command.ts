/** Imports one batch of `waypost admin import`. The command line itself reads the file (libs/moving). */
import { endProblem, type ImportOutcome, type UrlPolicy } from '@waypost/domain';
import type { Row } from '@waypost/moving';
import { type Accounts, accountOf } from '../accounts/index.ts';
import { Faults } from '../platform/input.ts';
import { importLinks, type LinkToImport } from './import.ts';
import { newLink, newLinkInput } from './new-link.schema.ts';

type Deps = Parameters<typeof importLinks>[0] & { readonly accounts: Accounts; readonly urlPolicy: UrlPolicy };

/** Returns the outcome of each row, in order. Throws `account_not_found`. */
export async function importBatch(
  deps: Deps,
  { email, rows, dryRun }: { email: string; rows: string; dryRun: boolean },
): Promise<readonly ImportOutcome[]> {
  const { id } = await accountOf(deps, email);
  const input = newLinkInput(deps.urlPolicy);
  // The command line has read the file strictly, so the rows have their types.
  const parsed = (JSON.parse(rows) as readonly Row[]).map((row) => judge(row, input, deps.now()));
  const links = parsed.flatMap((each) => ('outcome' in each ? [] : [each]));
  const outcomes = links.length === 0 ? [] : await importLinks(deps, id, links, { dryRun });
  const outcomeOf = new Map(links.map((link, i) => [link, outcomes[i]!] as const));
  return parsed.map((each) => ('outcome' in each ? each : outcomeOf.get(each)!));
}

function judge(
  { slug, destinationUrl, createdAt, days, tags, title, note, endsAt }: Row,
  input: ReturnType<typeof newLinkInput>,
  now: Date,
): LinkToImport | ImportOutcome {
  const faults = new Faults();
  const words = { tags, title: title ?? null, note: note ?? null, ends_at: endsAt ?? null };
  const fields = { destination_url: destinationUrl, custom_slug: slug, ...words };
  const row = input.judge('', fields, faults);
  const why = Object.entries(faults.details).map(([field, problem]) => `${field.replace('custom_', '')} ${problem}`);
  const link = newLink(row);
  const late = link.endsAt && endProblem(link.endsAt, now);
  if (late) why.push(`ends_at ${late}`);
  if (why.length > 0) return { outcome: 'conflict', why: why.join('; ') };
  return { ...link, slug, days, createdAt: createdAt === undefined ? undefined : new Date(createdAt) };
}
