import type { QrStyle } from '@waypost/domain';

/** Draws QR codes: the same text and style always give the same bytes. */
export interface QrDrawer {
  /** The size, in pixels, below which the modules of the code would not fit. */
  leastSize(text: string, style: QrStyle): number;
  /** Resolves to the text of an SVG in UTF-8, or to a PNG. The size of the style must not be below `leastSize`. */
  draw(text: string, format: 'svg' | 'png', style: QrStyle): Promise<Uint8Array>;
}
