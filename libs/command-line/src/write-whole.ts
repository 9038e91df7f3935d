import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Replaces the file only after all text was written. A pipe cannot be replaced, so the text goes to it directly. */
export async function writeWhole(file: string, text: AsyncIterable<string | Uint8Array>): Promise<void> {
  const stats = fs.statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === false) return pipeline(Readable.from(text), fs.createWriteStream(file));
  const target = stats === undefined ? file : fs.realpathSync(file);
  const partial = `${target}.partial`;
  try {
    await pipeline(Readable.from(text), fs.createWriteStream(partial));
    fs.renameSync(partial, target);
  } finally {
    fs.rmSync(partial, { force: true });
  }
}
