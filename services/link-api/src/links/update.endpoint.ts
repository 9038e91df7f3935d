import { edited, type LinkEdit } from '@waypost/domain';
import { endpoint, wrong } from '../platform/endpoint.ts';
import { type Input, input, isObject } from '../platform/input.ts';
import { CHANGES } from './limits.ts';
import { LINK_EXAMPLE, linkBody, presentLink, slugParam } from './links.schema.ts';
import { editableFields } from './new-link.schema.ts';
import type { LinksPorts } from './ports.ts';
import { updateLink } from './update.ts';

const LINK_FIELDS = Object.keys(presentLink(LINK_EXAMPLE));
const EDITABLE = Object.keys(editableFields);
const NOTHING = `must have at least one of ${EDITABLE.join(', ')}`;
const FIXED = 'cannot be changed';

const edit = input(
  editableFields,
  'LinkEdit',
  'The fields to change, at least one. An absent field stays as it is. A title, note or end of null is removed.',
);
type LinkEditBody = typeof edit extends Input<infer T> ? T : never;

/** Tags are a list, so null means for them, as elsewhere, "not given". */
function editOf({ tags, ends_at: endsAt, ...words }: LinkEditBody): LinkEdit {
  const entries = Object.entries({ ...words, endsAt }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(entries), ...(tags != null && { tags }) };
}

const linkEditInput: Input<LinkEditBody> = {
  ...edit,
  schema: edit.schema.meta({ minProperties: 1 }),
  judge: (row, value, faults) => {
    for (const field of LINK_FIELDS) {
      if (isObject(value) && Object.hasOwn(value, field) && !EDITABLE.includes(field)) faults.add(row, [field], FIXED);
    }
    const fields = edit.judge(row, value, faults);
    if (isObject(value) && !EDITABLE.some((field) => Object.hasOwn(value, field))) faults.add(row, [], NOTHING);
    return fields;
  },
};

const EXAMPLE = { title: 'Menu of the spring festival', tags: ['docs', 'spring'] };

export const updateLinkEndpoint = endpoint({
  id: 'updateLink',
  method: 'PATCH',
  path: '/links/:slug',
  concurrency: CHANGES,
  scope: 'write',
  summary: 'Update a link',
  description:
    'Changes what a link is for: its title, note and tags, also if it is flagged or revoked. Sets, moves or removes its end, if it is not revoked: this takes effect before the response is sent. Destination and slug of a link never change.',
  params: { slug: slugParam },
  body: linkEditInput,
  examples: { 'Title and tags': EXAMPLE, 'No end': { ends_at: null } },
  answers: {
    200: {
      means: 'The updated link.',
      schema: linkBody,
      examples: {
        Updated: presentLink(edited(LINK_EXAMPLE, EXAMPLE, new Date('2026-11-21T10:15:00.000Z'))!.link),
      },
    },
  },
  errors: [wrong('Another field', { destination_url: FIXED }), wrong('No field', { body: NOTHING }), 'link_not_found'],
  cli: `waypost edit aB3dE6g --title '${EXAMPLE.title}' --tag docs --tag spring`,
  handle: async ({ caller, params, body }, deps: LinksPorts) =>
    presentLink(await updateLink(deps, caller.accountId, params.slug, editOf(body))),
});
