/** Reads QR codes as a camera does, by another library than the one that draws them. */
import { inflateSync } from 'node:zlib';
import decodeQr from 'qr/decode.js';

/** Returns the text of the code in a PNG with a palette of two colors and without filters. Throws if it finds none. */
export function textIn(png: Buffer): string {
  const { width, height, rows, palette } = contentOf(png);
  const stride = 1 + Math.ceil(width / 8);
  const data = new Uint8ClampedArray(4 * width * height).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const bit = (rows[y * stride + 1 + (x >> 3)]! >> (7 - (x & 7))) & 1;
      data.set(palette.subarray(3 * bit, 3 * bit + 3), 4 * (y * width + x));
    }
  }
  return decodeQr({ width, height, data });
}

/** Transparency is not applied: the palette has white there. */
function contentOf(png: Buffer) {
  const chunks: Buffer[] = [];
  let palette: Buffer = Buffer.alloc(0);
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const content = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    const type = png.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') chunks.push(content);
    if (type === 'PLTE') palette = content;
  }
  return {
    width: png.readUInt32BE(16),
    height: png.readUInt32BE(20),
    rows: inflateSync(Buffer.concat(chunks)),
    palette,
  };
}
