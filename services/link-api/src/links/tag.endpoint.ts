import { CUSTOM_SLUG_MAX, LIMITS } from '@waypost/domain';
import Joi from 'joi';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { countedList, named, nullable, optional, whole } from '../platform/fields.ts';
import { type Input, input } from '../platform/input.ts';
import { CHANGES } from './limits.ts';
import { tagList } from './new-link.schema.ts';
import type { LinksPorts } from './ports.ts';
import { tagLinks } from './tag.ts';

const MOST = LIMITS.linksPerBulkRequest;
const NOTHING = 'must have add or remove, with one or more tags';

const slugs = countedList(
  Joi.string()
    .max(2 * CUSTOM_SLUG_MAX)
    .meta({ minLength: 1 }),
  (list) => {
    if (list.length === 0 || list.length > MOST) return `must have 1 to ${MOST} entries`;
    return new Set(list).size < list.length ? 'must have each slug only once' : undefined;
  },
)
  .meta({ minItems: 1, maxItems: MOST, uniqueItems: true })
  .description('The slugs of your links, each once.');

const tags = optional(nullable(tagList)).meta({ maxItems: LIMITS.tagsPerLink });

const change = input(
  {
    slugs,
    add: tags.description('Tags to add, after those that a link has.'),
    remove: tags.description('Tags to remove, where a link has them. A tag cannot also be in `add`.'),
  },
  'TagChange',
  'The links and their new tags: at least one of `add` and `remove`.',
);
type TagChangeBody = typeof change extends Input<infer T> ? T : never;

/** A body with another fault may have anything in this place. */
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const tagChangeInput: Input<TagChangeBody> = {
  ...change,
  judge: (row, value, faults) => {
    const body = change.judge(row, value, faults);
    if (faults.has('add') || faults.has('remove')) return body;
    const [add, remove] = [listOf(body.add), listOf(body.remove)];
    const both = remove.findIndex((tag) => add.includes(tag));
    if (both !== -1) faults.add(row, ['remove', both], 'is also in add');
    if (add.length + remove.length === 0) faults.add(row, [], NOTHING);
    return body;
  },
};

const EXAMPLE = { slugs: ['aB3dE6g', 'k7Qm2Rx'], add: ['spring'], remove: ['draft'] };

export const tagLinksEndpoint = endpoint({
  id: 'tagLinks',
  method: 'POST',
  path: '/links/tags',
  concurrency: CHANGES,
  scope: 'write',
  summary: 'Tag links',
  description: `Adds and removes tags of up to ${MOST} links in one request, of all or none.`,
  body: tagChangeInput,
  examples: { 'Two links': EXAMPLE },
  answers: {
    200: {
      means: 'All links have these tags.',
      schema: named('TaggedLinks', 'The result of tagging links.', {
        total_changed: whole.description('The number of links whose tags changed.'),
      }),
      examples: { Tagged: { total_changed: 2 } },
    },
  },
  errors: [
    wrong('Too many tags', { 'slugs[1]': `would have 11 tags; a link has at most ${LIMITS.tagsPerLink}` }),
    wrong('No tag', { body: NOTHING }),
    [
      'link_not_found',
      'Link not found',
      'slugs[0] is not the slug of one of your links.',
      { 'slugs[0]': 'is not the slug of one of your links' },
    ],
  ],
  means: {
    400: 'A field is invalid, or a link would have too many tags.',
    404: 'Links do not exist or belong to another account.',
  },
  cli: 'waypost tag aB3dE6g k7Qm2Rx --add spring --remove draft',
  handle: async ({ caller, body: { slugs, add, remove } }, deps: LinksPorts) => ({
    total_changed: await tagLinks(deps, caller.accountId, slugs, { add: add ?? [], remove: remove ?? [] }),
  }),
});
