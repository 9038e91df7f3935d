import type { Bitmap2D } from 'lean-qr';
import { toPngBuffer } from 'lean-qr/extras/node_export';
import { PNG } from './index.ts';

export const pngOf = (code: Bitmap2D): Uint8Array => toPngBuffer(code, PNG);
