/** Domain to wire: the snake_case of docs/contract.md, Resources and their fields. */
import { flagMessage, type Link } from '@waypost/domain';

/** In a dry run nothing has a slug unless the caller chose it. */
type Shown = Omit<Link, 'slug'> & { readonly slug: string | null };

export function presentLink(link: Shown) {
  return {
    slug: link.slug,
    destination_url: link.destinationUrl,
    status: link.status,
    threat_type: link.threatType,
    revoked_at: link.revokedAt?.toISOString() ?? null,
    tags: link.tags,
    created_at: link.createdAt.toISOString(),
    updated_at: link.updatedAt.toISOString(),
  };
}

function presentWarning(link: Shown) {
  if (link.threatType === null) return undefined;
  return {
    slug: link.slug,
    destination_url: link.destinationUrl,
    threat_type: link.threatType,
    message: flagMessage(link.threatType),
  };
}

function presentWithUrl(link: Shown, redirectBaseUrl: string) {
  return { link: presentLink(link), short_url: link.slug === null ? null : `${redirectBaseUrl}/${link.slug}` };
}

/** `{ link, short_url }`, and `warning` for a flagged link. */
export function presentCreated(link: Shown, redirectBaseUrl: string) {
  const warning = presentWarning(link);
  return { ...presentWithUrl(link, redirectBaseUrl), ...(warning === undefined ? {} : { warning }) };
}

/** `warnings` has one entry per flagged link and is there only if at least one is. */
export function presentBulk(links: readonly Shown[], redirectBaseUrl: string, totalCreated: number) {
  const warnings = links.map(presentWarning).filter((warning) => warning !== undefined);
  return {
    links: links.map((link) => presentWithUrl(link, redirectBaseUrl)),
    total_created: totalCreated,
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}
