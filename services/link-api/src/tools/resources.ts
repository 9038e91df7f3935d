/** Offers links as resources. A client shows them to a person, who picks one for the model. */
import { LIMITS } from '@waypost/domain';
import { getLinkEndpoint, type listLinksEndpoint } from '../links/index.ts';
import type { ValueOf } from '../platform/fields.ts';

export type LinkPage = ValueOf<(typeof listLinksEndpoint.answers)[200]['schema']>;

const mimeType = 'application/json';

export const LINK_TEMPLATE = {
  uriTemplate: 'waypost://links/{slug}',
  name: 'link',
  title: 'Link',
  description: getLinkEndpoint.description,
  mimeType,
};

export function slugOf(uri: string): string | undefined {
  return /^waypost:\/\/links\/([\w-]+)$/.exec(uri)?.[1];
}

/** Lists the newest links first. The cursor is a page number. */
export function pageOf(cursor = '1') {
  return { query: { page: cursor, limit: String(LIMITS.pageSize) } };
}

export function resourcesOf({ data, page, total_pages }: LinkPage) {
  return {
    resources: data.map(({ slug, destination_url, status }) => ({
      uri: `waypost://links/${slug}`,
      name: slug,
      description: `${status}: ${destination_url}`,
      mimeType,
    })),
    ...(page < total_pages && { nextCursor: String(page + 1) }),
  };
}

export function contentsOf(uri: string, link: object) {
  return { contents: [{ uri, mimeType, text: JSON.stringify(link) }] };
}
