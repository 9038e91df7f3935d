import type { ErrorRows } from '../platform/http/errors.ts';

export const linkErrors = {
  link_already_revoked: [400, 'Already revoked', 'The link "aB3dE6g" is already revoked.'],
  link_flagged: [400, 'Flagged', 'The link "k7Qm2Rx" is flagged; it does not redirect and cannot be revoked.'],
  link_not_flagged: [400, 'Not flagged', 'The link "aB3dE6g" is active. Only a flagged link can be reviewed.'],
  batch_exceeds_window: [
    400,
    'More links than the hourly limit',
    '400 links exceed the limit of 300 creations per hour.',
    { links: 'must have at most 300 entries, the limit of creations per hour' },
  ],
  link_not_found: [404, 'Link not found', 'There is no link with the slug "aB3dE6g".'],
  slug_taken: [409, 'Slug taken', 'The slug "spring-menu" is taken.', { taken_slugs: ['spring-menu'] }],
} satisfies ErrorRows;
