import { COLORS_ALIKE, isReadable, type QrStyle } from '@waypost/domain';
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

/** Resolves to a picture of the short URL of a link. Throws `link_not_found` and `validation_failed`. */
export async function drawQr(
  { links, qrDrawer, redirectBaseUrl }: QrPorts,
  callerId: string,
  slug: string,
  { format, ...style }: QrStyle & { readonly format: 'svg' | 'png' },
): Promise<Uint8Array> {
  if (!isReadable(style.color, style.background)) throw invalid({ color: COLORS_ALIKE });
  const link = await getLink({ links }, callerId, slug);
  const { leastSize, picture } = qrDrawer.draw(`${redirectBaseUrl}/${link.slug}`, style);
  if (style.size < leastSize) throw invalid({ size: `must be at least ${leastSize} for the code of this link` });
  return picture(format);
}
