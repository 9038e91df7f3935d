/** Defines links in responses, in snake_case (docs/contract.md, Resources and their fields). */
import {
  CUSTOM_SLUG_MAX,
  created,
  flagMessage,
  LINK_STATUSES,
  type Link,
  THREAT_TYPES,
  type ThreatType,
  verdictMessage,
} from '@waypost/domain';
import Joi from 'joi';
import {
  type Fields,
  inPath,
  list,
  named,
  nullable,
  object,
  oneOf,
  optional,
  time,
  type ValueOf,
} from '../platform/fields.ts';

const SLUG = 'aB3dE6g';

export const slugParam = inPath(2 * CUSTOM_SLUG_MAX, 'The slug of the link.', SLUG);

export const slugField = Joi.string()
  .description('The slug, which identifies the link in the API and in its short URL. Case-sensitive, never reused.')
  .example(SLUG);

const shown = <S extends Joi.AnySchema, T extends ValueOf<S>>(schema: S, of: (link: Omit<Link, 'slug'>) => T) => ({
  schema,
  of,
});

/** Each field of a link but its slug: what it is, and its value. */
const FIELDS = {
  destination_url: shown(
    Joi.string().meta({ format: 'iri' }).description('The destination URL, exactly as you sent it.'),
    (link) => link.destinationUrl,
  ),
  status: shown(
    oneOf(LINK_STATUSES).description(
      'The status. Only an `active` link redirects. `flagged`: the destination is suspected of a threat. `revoked`: permanently disabled.',
    ),
    (link) => link.status,
  ),
  threat_type: shown(
    nullable(Joi.string()).description(
      `The threat that the destination is suspected of, or null. One of ${THREAT_TYPES.map((type) => `\`${type}\``).join(', ')}. New values may be added: accept unknown ones.`,
    ),
    (link) => link.threatType,
  ),
  take_down_reason: shown(
    nullable(Joi.string()).description('Why an operator took the link down. Null if it was not taken down.'),
    (link) => link.takeDownReason,
  ),
  revoked_at: shown(
    nullable(time).description('When the link was revoked (UTC). Null if it was not revoked.'),
    (link) => link.revokedAt?.toISOString() ?? null,
  ),
  tags: shown(list(Joi.string()).description('The tags of the link, in the order that you gave.'), (link) => link.tags),
  title: shown(nullable(Joi.string()).description('The title, or null. Visitors never see it.'), (link) => link.title),
  ends_at: shown(
    nullable(time).description(
      'When the link ends (UTC): from then on it does not redirect, and it is revoked. Null if it has no planned end.',
    ),
    (link) => link.endsAt?.toISOString() ?? null,
  ),
  note: shown(nullable(Joi.string()).description('The note, or null. Visitors never see it.'), (link) => link.note),
  created_at: shown(time.description('When the link was created (UTC, with milliseconds).'), (link) =>
    link.createdAt.toISOString(),
  ),
  updated_at: shown(
    time.description(
      'When the link last changed. Equal to `created_at` if it has never changed, and to `revoked_at` once it is revoked.',
    ),
    (link) => link.updatedAt.toISOString(),
  ),
};
type FieldName = keyof typeof FIELDS;
const each = <T>(part: (field: (typeof FIELDS)[FieldName]) => unknown) =>
  Object.fromEntries(Object.entries(FIELDS).map(([name, field]) => [name, part(field)])) as T;

const linkFields = {
  slug: slugField,
  ...each<{ [N in FieldName]: (typeof FIELDS)[N]['schema'] }>(({ schema }) => schema),
};

export const linkBody = named('Link', 'A short link.', linkFields);

const checkedLinkBody = named('CheckedLink', 'A link as a dry run would create it.', {
  ...linkFields,
  slug: nullable(slugField).description('The slug. Null if a random slug would be generated.'),
});

const warningBody = named('Warning', 'A warning that the link is flagged, so it does not redirect.', {
  slug: nullable(Joi.string()).description(
    'The slug of the link. Null in a dry run if a random slug would be generated.',
  ),
  destination_url: Joi.string(),
  threat_type: Joi.string().description('The threat that the destination is suspected of.'),
  message: Joi.string().description('A description of the warning, for people.'),
});

const createdFields = { link: linkBody, short_url: Joi.string().description('The short URL to share.') };
const dryRunFields = {
  link: checkedLinkBody,
  short_url: nullable(Joi.string()).description('The short URL. Null if a random slug would be generated.'),
};

const single = <F extends Fields>(name: string, description: string, shown: F) =>
  named(name, description, { ...shown, warning: optional(warningBody).note('Present only if the link is flagged.') });
export const createdBody = single('Created', 'The created link.', createdFields);
export const checkedBody = single('Checked', 'The result of a dry run.', dryRunFields);

const batch = <F extends Fields>(name: string, description: string, shown: F, total: string) =>
  named(name, description, {
    links: list(object(shown)).description('The links, in the order of the request.'),
    total_created: Joi.number().integer().description(total),
    warnings: optional(list(warningBody)).description('One warning per flagged link. Absent if no link is flagged.'),
  });
export const createdManyBody = batch(
  'CreatedMany',
  'The created links.',
  createdFields,
  'The number of created links.',
);
export const checkedManyBody = batch(
  'CheckedMany',
  'The result of a dry run of a batch.',
  dryRunFields,
  'The number of created links: always 0.',
);

/** In a dry run, only links with a custom slug have a slug. */
export type ShownLink = Omit<Link, 'slug'> & { readonly slug: string | null };

export function presentLink<S extends string | null>(link: Omit<Link, 'slug'> & { readonly slug: S }) {
  return { slug: link.slug, ...each<{ [N in FieldName]: ReturnType<(typeof FIELDS)[N]['of']> }>(({ of }) => of(link)) };
}

function presentWarning(link: ShownLink, isCreated: boolean) {
  if (link.threatType === null) return undefined;
  return {
    slug: link.slug,
    destination_url: link.destinationUrl,
    threat_type: link.threatType,
    message: isCreated
      ? flagMessage(link.threatType)
      : verdictMessage({ outcome: 'flagged', threat_type: link.threatType, reasons: [] }),
  };
}

function presentWithUrl(link: ShownLink, redirectBaseUrl: string) {
  return { link: presentLink(link), short_url: link.slug === null ? null : `${redirectBaseUrl}/${link.slug}` };
}

/** In a dry run `totalCreated` is 0, as for `presentBulk`. */
export function presentCreated(link: ShownLink, redirectBaseUrl: string, totalCreated = 1) {
  const warning = presentWarning(link, totalCreated > 0);
  return { ...presentWithUrl(link, redirectBaseUrl), ...(warning === undefined ? {} : { warning }) };
}

export function presentBulk(links: readonly ShownLink[], redirectBaseUrl: string, totalCreated: number) {
  const warnings = links
    .map((link) => presentWarning(link, totalCreated > 0))
    .filter((warning) => warning !== undefined);
  return {
    links: links.map((link) => presentWithUrl(link, redirectBaseUrl)),
    total_created: totalCreated,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

const example = (slug: string, destinationUrl: string, threatType: ThreatType | null) =>
  created(
    { slug, ownerId: '', destinationUrl, tags: ['docs'], threatType, scanGeneration: '' },
    new Date('2026-11-21T09:30:00.000Z'),
  ).link;
export const LINK_EXAMPLE = example(SLUG, 'https://www.wikipedia.org/', null);
export const FLAGGED_EXAMPLE = example('k7Qm2Rx', 'https://account-check.example.net/', 'phishing');
export const UNMADE_EXAMPLE = { ...LINK_EXAMPLE, slug: null };
