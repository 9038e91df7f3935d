import type { AuditAction } from '@waypost/domain';
import type { Audited } from '../platform/endpoint.ts';

/** A change of the link with the slug of the path. */
export const changeOfLink = (action: AuditAction): Audited<{ readonly params: { readonly slug: string } }> => ({
  action,
  refused: ({ params }) => ({ subject: params.slug }),
});
