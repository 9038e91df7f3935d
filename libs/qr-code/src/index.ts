import type { QrStyle } from '@waypost/domain/qr-code';
import { type Bitmap2D, correction as CORRECTIONS, generate } from 'lean-qr';

export type { Bitmap2D };

/** With the default error correction, a camera reads a damaged code. */
export function qrCode(text: string, correction: QrStyle['correction'] = 'M', minVersion = 1): Bitmap2D {
  const level = CORRECTIONS[correction];
  return generate(text, { minCorrectionLevel: level, maxCorrectionLevel: level, minVersion });
}
