/** How a QR code may look. */
/** The levels of error correction, lowest first. */
export const QR_CORRECTIONS = ['L', 'M', 'Q', 'H'] as const;

/** In pixels. */
export const QR_SIZE = { least: 64, most: 4096, standard: 512 } as const;

/** In modules. Cameras need four. */
export const QR_MARGIN = { least: 0, most: 16, standard: 4 } as const;

export const QR_TRANSPARENT = 'transparent';

export const QR_COLOR = /^#[0-9a-fA-F]{6}$/;
export const NOT_A_COLOR = 'must be a color such as #1e3a8a';

/** Of the modules, and of the three corners by which a camera finds the code. */
export const QR_SHAPES = ['square', 'rounded', 'round'] as const;
export type QrShape = (typeof QR_SHAPES)[number];

/** In characters. */
export const QR_WORDS_LENGTH = 60;

export interface QrStyle {
  readonly correction: (typeof QR_CORRECTIONS)[number];
  /** The width and height of the picture, in pixels. */
  readonly size: number;
  /** The space around the code, in modules. */
  readonly margin: number;
  /** `#rrggbb`. */
  readonly color: string;
  /** `#rrggbb` or `transparent`. */
  readonly background: string;
}

/** What the dashboard adds. The API draws squares, because a logo stays in the browser. */
export interface QrDesign extends QrStyle {
  readonly dots: QrShape;
  readonly corners: QrShape;
  readonly logo?: QrLogo | undefined;
  /** A line under the code. The picture is then higher than wide, and `size` is its height. */
  readonly words: string;
}

export interface QrLogo {
  /** A data URI. If empty, its place is left free. */
  readonly href: string;
  readonly width: number;
  readonly height: number;
}

/** The least contrast by which cameras tell the colors apart (WCAG 2, relative luminance). */
const LEAST_CONTRAST = 3;

export const COLORS_ALIKE = 'must have a contrast of 3 to 1 to the background, and be the darker of the two';

/** Whether a camera reads `color` on `background`: it must be the darker one. White is assumed behind transparency. */
export function isReadable(color: string, background: string): boolean {
  const [dark, light] = [color, background === QR_TRANSPARENT ? '#ffffff' : background].map(luminance);
  return (light! + 0.05) / (dark! + 0.05) >= LEAST_CONTRAST;
}

function luminance(color: string): number {
  const [red, green, blue] = rgbOf(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** Red, green and blue, 0 to 255. */
export function rgbOf(color: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
}
