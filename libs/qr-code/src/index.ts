/** Draws QR codes for the dashboard, the command line and the tool server. */
import { type Bitmap2D, correction, generate } from 'lean-qr';
import { toSvgSource } from 'lean-qr/extras/svg';

export type { Bitmap2D };

/** With this error correction, a camera reads a damaged code. */
export const qrCode = (text: string): Bitmap2D => generate(text, { minCorrectionLevel: correction.M });

/** Cameras need a quiet zone of four modules. */
const SIZE = { pad: 4, scale: 8 } as const;

/** The picture is the same in browsers, where the code draws itself by `toDataURL`, and in Node (`png.ts`). */
export const PNG = { ...SIZE, on: [0, 0, 0], off: [255, 255, 255] } as const;

export const svgOf = (code: Bitmap2D): string => toSvgSource(code, { ...SIZE, on: 'black', off: 'white' });
