import type { QrStyle } from '@waypost/domain';

/** Draws QR codes: the same text and style always give the same bytes. */
export interface QrDrawer {
  draw(text: string, style: QrStyle): QrDrawing;
}

export interface QrDrawing {
  /** The size, in pixels, below which the modules of the code would not fit. */
  readonly leastSize: number;
  /** Resolves to the text of an SVG in UTF-8, or to a PNG. The size of the style must not be below `leastSize`. */
  picture(format: 'svg' | 'png'): Promise<Uint8Array>;
}
