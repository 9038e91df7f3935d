import { isReadable, type QrStyle } from '@waypost/domain';
import type { QrDrawer } from '@waypost/ports';
import { invalid } from '../platform/checks.ts';
import { getLink } from './get.ts';
import type { LinkStore } from './link-store.port.ts';

export interface QrPorts {
  readonly links: Pick<LinkStore, 'find'>;
  readonly qrDrawer: QrDrawer;
  /** Without a trailing slash. */
  readonly redirectBaseUrl: string;
}

export const COLORS_ALIKE = 'must have a contrast of 3 to 1 to the background, and be the darker of the two';

/** Draws the code of a link's short URL. Throws `link_not_found` and `validation_failed`. */
export async function drawQr(
  { links, qrDrawer, redirectBaseUrl }: QrPorts,
  callerId: string,
  slug: string,
  { format, ...style }: QrStyle & { readonly format: 'svg' | 'png' },
) {
  if (!isReadable(style.color, style.background)) throw invalid({ color: COLORS_ALIKE });
  const link = await getLink({ links }, callerId, slug);
  const shortUrl = `${redirectBaseUrl}/${link.slug}`;
  const least = qrDrawer.leastSize(shortUrl, style);
  if (style.size < least) throw invalid({ size: `must be at least ${least} for the code of this link` });
  return { link, shortUrl, picture: await qrDrawer.draw(shortUrl, format, style) };
}
