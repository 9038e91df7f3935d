/** Imports one batch of `waypost admin import`. The command line itself reads the file (libs/moving). */
import { endProblem, type ImportOutcome, LIMITS, type UrlPolicy } from '@waypost/domain';
import type { Row } from '@waypost/moving';
import Joi from 'joi';
import { type Accounts, accountOf } from '../accounts/index.ts';
import { Faults } from '../platform/input.ts';
import { importLinks, type LinkToImport } from './import.ts';
import { newLink, newLinkInput } from './new-link.schema.ts';

type Deps = Parameters<typeof importLinks>[0] & { readonly accounts: Accounts; readonly urlPolicy: UrlPolicy };

const batch = Joi.array<readonly Row[]>()
  .max(LIMITS.linksPerBulkRequest)
  .items(
    Joi.object({
      line: Joi.number().integer().required(),
      slug: Joi.string().required(),
      destinationUrl: Joi.string().required(),
      tags: Joi.array().items(Joi.string()).required(),
      title: Joi.string(),
      note: Joi.string(),
      endsAt: Joi.string(),
      createdAt: Joi.string().isoDate(),
      clicks: Joi.number().integer().min(0).required(),
      days: Joi.array()
        .items(
          Joi.object({
            date: Joi.string()
              .pattern(/^\d{4}-\d\d-\d\d$/)
              .required(),
            clicks: Joi.number().integer().min(1).required(),
          }),
        )
        .required(),
    }),
  );

/** Returns the outcome of each row, in order. Throws `account_not_found`. */
export async function importBatch(
  deps: Deps,
  { email, rows, dryRun }: { email: string; rows: string; dryRun: boolean },
): Promise<readonly ImportOutcome[]> {
  const { id } = await accountOf(deps, email);
  const input = newLinkInput(deps.urlPolicy);
  const parsed = rowsIn(rows).map((row) => judge(row, input, deps.now()));
  const links = parsed.flatMap((each) => ('outcome' in each ? [] : [each]));
  const outcomes = links.length === 0 ? [] : await importLinks(deps, id, links, { dryRun });
  const outcomeOf = new Map(links.map((link, i) => [link, outcomes[i]!] as const));
  return parsed.map((each) => ('outcome' in each ? each : outcomeOf.get(each)!));
}

function rowsIn(text: string): readonly Row[] {
  const { value, error } = batch.validate(JSON.parse(text), { convert: false });
  if (error !== undefined) throw new Error(`rows: ${error.message}`);
  return value;
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
