import type { QrStyle } from '@waypost/domain';
import { type Bitmap2D, correction as CORRECTIONS, generate } from 'lean-qr';

export type { Bitmap2D };

/** With the default error correction, a camera reads a damaged code. */
export function qrCode(text: string, correction: QrStyle['correction'] = 'M'): Bitmap2D {
  return generate(text, { minCorrectionLevel: CORRECTIONS[correction], maxCorrectionLevel: CORRECTIONS[correction] });
}
