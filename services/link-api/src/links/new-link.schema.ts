import {
  CUSTOM_SLUG_MAX,
  CUSTOM_SLUG_MIN,
  checkDestinationUrl,
  customSlugProblem,
  GENERATED_SLUG_LENGTH,
  LIMITS,
  SLUG,
  UNSAFE_CHARACTERS,
  type UrlPolicy,
  unsafeTextProblem,
} from '@waypost/domain';
import Joi from 'joi';
import { countedList, notBlank, nullable, optional, problem, SPACE } from '../platform/fields.ts';
import { type Input, input } from '../platform/input.ts';
import type { NewLinkRequest } from './create.ts';

/** The most characters that a tag may have before white space is trimmed. */
const RAW_TAG_LENGTH = 1_000;

// Joi skips custom checks for values that `allow` names, so `string.empty` handles an empty tag.
const tag = Joi.string()
  .custom((value: string, helpers) => {
    const tooLong = () => problem(helpers, `must have at most ${LIMITS.tagLength} characters`);
    if (value.length > RAW_TAG_LENGTH) return tooLong();
    const trimmed = value.trim();
    const length = [...trimmed].length;
    if (length === 0) return problem(helpers, 'must not be empty');
    if (length > LIMITS.tagLength) return tooLong();
    const unsafe = unsafeTextProblem(trimmed);
    return unsafe === undefined ? trimmed : problem(helpers, unsafe);
  })
  .meta(notBlank(LIMITS.tagLength, UNSAFE_CHARACTERS));

/** Repeated tags do not count, but a list longer than this is refused before repeated tags are removed. */
const RAW_TAGS = 10 * LIMITS.tagsPerLink;

function areTooMany(tags: readonly unknown[]): boolean {
  if (tags.length <= LIMITS.tagsPerLink) return false;
  if (tags.length > RAW_TAGS) return true;
  const different = new Set(
    tags.map((entry, i) => (typeof entry === 'string' ? (entry.length > RAW_TAG_LENGTH ? entry : entry.trim()) : i)),
  );
  return different.size > LIMITS.tagsPerLink;
}

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
      tags: optional(
        nullable(
          countedList(tag, (tags) =>
            areTooMany(tags) ? `must have at most ${LIMITS.tagsPerLink} entries` : undefined,
          ).custom((tags: readonly string[]) => [...new Set(tags)]),
        ),
      )
        .meta({ maxItems: LIMITS.tagsPerLink })
        .description('Tags for the link. White space around each is removed, and so are duplicates.')
        .example(['docs', 'spring']),
    },
    'NewLink',
    'The link to create. An unknown field is an error, so that typos do not go unnoticed.',
  );

type NewLinkBody = ReturnType<typeof newLinkInput> extends Input<infer T> ? T : never;

export function newLink({ destination_url, custom_slug, tags }: NewLinkBody): NewLinkRequest {
  return { destinationUrl: destination_url, customSlug: custom_slug ?? undefined, tags: tags ?? [] };
}
