import {
  CUSTOM_SLUG_MAX,
  CUSTOM_SLUG_MIN,
  checkDestinationUrl,
  customSlugProblem,
  GENERATED_SLUG_LENGTH,
  LIMITS,
  linkTextProblem,
  SLUG,
  timeOf,
  UNSAFE_CHARACTERS,
  UNSAFE_IN_LINES,
  type UrlPolicy,
} from '@waypost/domain';
import Joi from 'joi';
import { countedList, notBlank, nullable, optional, problem, SPACE } from '../platform/fields.ts';
import { type Input, input } from '../platform/input.ts';
import type { NewLinkRequest } from './create.ts';

/** Joi skips custom checks for values that `allow` names, so `string.empty` handles an empty text. */
const linkText = (most: number, lines: 'one' | 'several' = 'one') =>
  Joi.string()
    .custom((value: string, helpers) => {
      const text = value.trim();
      const words = linkTextProblem(text, most, lines);
      return words === undefined ? text : problem(helpers, words);
    })
    .meta(notBlank(most, lines === 'one' ? UNSAFE_CHARACTERS : UNSAFE_IN_LINES));

const tag = linkText(LIMITS.tagLength);

/** Repeated tags do not count, but a list longer than this is refused before repeated tags are removed. */
const RAW_TAGS = 10 * LIMITS.tagsPerLink;

function areTooMany(tags: readonly unknown[]): boolean {
  if (tags.length <= LIMITS.tagsPerLink) return false;
  if (tags.length > RAW_TAGS) return true;
  const different = new Set(tags.map((entry, i) => (typeof entry === 'string' ? entry.trim() : i)));
  return different.size > LIMITS.tagsPerLink;
}

export const tagList = countedList(tag, (tags) =>
  areTooMany(tags) ? `must have at most ${LIMITS.tagsPerLink} entries` : undefined,
).custom((tags: readonly string[]) => [...new Set(tags)]);

/** What its owner may change of a link. */
export const editableFields = {
  tags: optional(nullable(tagList))
    .meta({ maxItems: LIMITS.tagsPerLink })
    .description('Tags for the link. White space around each is removed, and so are duplicates.')
    .example(['docs', 'spring']),
  title: optional(nullable(linkText(LIMITS.titleLength)))
    .description('A title: what the link is for. Visitors never see it. White space around it is removed.')
    .example('Menu of the spring festival'),
  note: optional(nullable(linkText(LIMITS.noteLength, 'several')))
    .description('A note, which may have several lines. Visitors never see it. White space around it is removed.')
    .example('Printed on the posters.'),
  ends_at: optional(nullable(Joi.string<Date>()))
    .custom((value: string, helpers) => {
      const at = timeOf(value);
      if (at === undefined) return problem(helpers, 'must be a time with a zone, such as 2027-06-01T18:00:00Z');
      return at;
    })
    .meta({ format: 'date-time' })
    .description(
      'When the link ends: a time with a zone (RFC 3339), in the future and at most 10 years ahead. From then on it does not redirect, and it is revoked.',
    )
    .example('2027-06-01T18:00:00Z'),
};

export const newLinkInput = (policy: UrlPolicy) =>
  input(
    {
      destination_url: Joi.string()
        .custom((value: string, helpers) => {
          const check = checkDestinationUrl(value, policy);
          return check.ok ? check.destinationUrl : problem(helpers, check.problem);
        })
        .meta({
          format: 'iri',
          pattern: `^[${SPACE}\\u0085]*[Hh][Tt][Tt][Pp][Ss]?://`,
        })
        .description(
          `The destination URL: an absolute http or https URL of a public host, without credentials, at most ${LIMITS.destinationUrlBytes} bytes. It must not lead to this service. White space around it is removed.`,
        )
        .example('https://www.wikipedia.org/'),
      custom_slug: optional(nullable(Joi.string()))
        .custom((value: string, helpers) => {
          const words = customSlugProblem(value);
          return words === undefined ? value : problem(helpers, words);
        })
        .meta({ minLength: CUSTOM_SLUG_MIN, maxLength: CUSTOM_SLUG_MAX, pattern: SLUG.source })
        .description(
          `A custom slug: letters, digits, \`_\` and \`-\`, beginning with a letter or digit. Some words are reserved. Default: a random slug of ${GENERATED_SLUG_LENGTH} characters.`,
        )
        .example('spring-menu'),
      ...editableFields,
    },
    'NewLink',
    'The link to create. An unknown field is an error, so that typos do not go unnoticed.',
  );

type NewLinkBody = ReturnType<typeof newLinkInput> extends Input<infer T> ? T : never;

export function newLink({
  destination_url,
  custom_slug,
  tags,
  ends_at: endsAt,
  ...words
}: NewLinkBody): NewLinkRequest {
  return { ...words, endsAt, destinationUrl: destination_url, customSlug: custom_slug ?? undefined, tags: tags ?? [] };
}
