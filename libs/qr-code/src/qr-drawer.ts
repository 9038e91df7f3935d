/** Draws QR codes as SVG or PNG. A PNG of 4,096 pixels has 2 MB before compression, which a thread of libuv does. */
import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { QR_TRANSPARENT, type QrStyle, rgbOf } from '@waypost/domain';
import type { QrDrawer } from '@waypost/ports';
import { type Bitmap2D, qrCode } from './index.ts';
import { svgOf } from './svg.ts';

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** One bit for each pixel, which selects the background or the color from the palette. */
const ONE_BIT_PALETTE = Buffer.from([1, 3, 0, 0, 0]);
const compress = promisify(deflate);

export const qrDrawer: QrDrawer = {
  draw: (text, style) => {
    const code = qrCode(text, style.correction);
    return {
      leastSize: sizeOf(code, style),
      picture: async (format) => (format === 'svg' ? Buffer.from(svgOf(code, style)) : pngOf(code, style)),
    };
  },
};

/** In modules. */
function sizeOf({ size }: Bitmap2D, { margin }: QrStyle): number {
  return size + 2 * margin;
}

/** A module is a square of whole pixels, so that its edges are sharp: what remains of the size widens the margin. */
async function pngOf(code: Bitmap2D, style: QrStyle): Promise<Buffer> {
  const { size, color, background } = style;
  const scale = Math.floor(size / sizeOf(code, style));
  const start = Math.floor((size - code.size * scale) / 2);
  const moduleAt = (pixel: number) => Math.floor((pixel - start) / scale);

  const rowBytes = 1 + Math.ceil(size / 8); // the first byte says that the row is not filtered
  const pixels = Buffer.alloc(rowBytes * size);
  for (let y = start; y < start + code.size * scale; y++) {
    const at = y * rowBytes;
    if (y > start && moduleAt(y) === moduleAt(y - 1)) {
      pixels.copyWithin(at, at - rowBytes, at);
      continue;
    }
    for (let x = start; x < start + code.size * scale; x++)
      if (code.get(moduleAt(x), moduleAt(y))) pixels[at + 1 + (x >> 3)]! |= 0x80 >> (x & 7);
  }

  const dimensions = Buffer.alloc(8);
  dimensions.writeUInt32BE(size, 0);
  dimensions.writeUInt32BE(size, 4);
  const isTransparent = background === QR_TRANSPARENT;
  const palette = [...rgbOf(isTransparent ? '#ffffff' : background), ...rgbOf(color)];
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([dimensions, ONE_BIT_PALETTE])),
    chunk('PLTE', Buffer.from(palette)),
    ...(isTransparent ? [chunk('tRNS', Buffer.from([0]))] : []),
    chunk('IDAT', await compress(pixels, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, checksum]);
}
