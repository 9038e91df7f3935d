import { customSlugProblem, LIMITS, type UrlPolicy } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { list } from '../platform/fields.ts';
import { type Faults, type Input, input, isObject } from '../platform/input.ts';
import { create, creationQuery, DRY_RUNS_EXCEEDED } from './creation.endpoint.ts';
import { CREATIONS } from './limits.ts';
import {
  checkedManyBody,
  createdManyBody,
  FLAGGED_EXAMPLE,
  LINK_EXAMPLE,
  presentBulk,
  UNMADE_EXAMPLE,
} from './links.schema.ts';
import { newLink, newLinkInput } from './new-link.schema.ts';
import type { LinksPorts } from './ports.ts';

/** Checks the length first, because reading a list that is too long would waste time. Then names every bad row. */
function newLinksInput<T>(each: Input<T>): Input<{ readonly links: readonly T[] }> {
  const rowsLimit = Joi.array<readonly unknown[]>().min(1).max(LIMITS.linksPerBulkRequest);
  const { judge } = input({ links: rowsLimit });
  const documented = input(
    {
      links: list(each.schema)
        .min(1)
        .max(LIMITS.linksPerBulkRequest)
        .description('The links to create. No custom slug may occur twice.'),
    },
    'NewLinks',
    'The batch of links to create.',
  );
  return {
    ...documented,
    judge: (row, value, faults) => {
      const { links: rows } = judge(row, value, faults);
      if (faults.has('links')) return { links: [] };
      const links = rows.map((link, i) => each.judge(`links[${i}]`, link, faults));
      nameRepeatedSlugs(rows, faults);
      return { links };
    },
  };
}

/** Reports duplicate slugs even if the rows have other faults. */
function nameRepeatedSlugs(rows: readonly unknown[], faults: Faults): void {
  const first = new Map<string, number>();
  for (const [i, row] of rows.entries()) {
    const slug = isObject(row) ? row.custom_slug : undefined;
    if (typeof slug !== 'string' || customSlugProblem(slug) !== undefined) continue;
    const earlier = first.get(slug);
    if (earlier === undefined) first.set(slug, i);
    else faults.add(`links[${i}]`, ['custom_slug'], `is the same as links[${earlier}].custom_slug`);
  }
}

export const createLinksInBulkEndpoint = (policy: UrlPolicy) =>
  endpoint({
    id: 'createLinks',
    method: 'POST',
    path: '/links/bulk',
    scope: 'write',
    concurrency: CREATIONS,
    creates: true,
    summary: 'Create links in bulk',
    description: `Creates up to ${LIMITS.linksPerBulkRequest} links in one request, all or none. If one link is invalid or one slug is taken, nothing is created. Each link counts as one creation.`,
    query: creationQuery,
    body: newLinksInput(newLinkInput(policy)),
    examples: {
      'Two links': {
        links: [
          { destination_url: 'https://www.wikipedia.org/', tags: ['docs'] },
          { destination_url: 'https://account-check.example.net/', tags: ['docs'] },
        ],
      },
    },
    answers: {
      201: {
        means: 'All links were created.',
        schema: createdManyBody,
        examples: { 'One link flagged': presentBulk([LINK_EXAMPLE, FLAGGED_EXAMPLE], '{redirect_base_url}', 2) },
      },
      200: {
        means: 'With `dry_run=true`: what would be created.',
        schema: checkedManyBody,
        examples: { 'Dry run': presentBulk([UNMADE_EXAMPLE], '{redirect_base_url}', 0) },
      },
    },
    errors: [
      wrong('Several invalid links', {
        'links[1].destination_url': 'is required',
        'links[3].custom_slug': 'is the same as links[0].custom_slug',
      }),
      'batch_exceeds_window',
      ['slug_taken', 'Slugs taken', '2 slugs are taken.', { taken_slugs: ['spring-menu', 'summer-menu'] }],
      'idempotency_key_reused',
      'idempotency_key_in_use',
      [
        'quota_exceeded',
        'Quota exceeded',
        'This request needs 40 creations, but 12 of 300 are left in this hour. Nothing was created.',
      ],
      DRY_RUNS_EXCEEDED,
    ],
    means: {
      400: `A link is invalid, a slug occurs twice, or the batch exceeds ${LIMITS.linksPerBulkRequest} links or the hourly limit.`,
      409: 'Custom slugs are taken, or the `Idempotency-Key` cannot be used.',
      429: 'The batch exceeds the remaining quota or the limit of dry runs. Nothing was created.',
    },
    cli: 'waypost bulk links.csv\nwaypost bulk - < addresses.txt',
    handle: (request, deps: LinksPorts) =>
      create(request, deps, { links: request.body.links.map(newLink), isBatch: true }, (links, total) =>
        presentBulk(links, deps.redirectBaseUrl, total),
      ),
  });
