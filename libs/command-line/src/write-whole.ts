import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Writes a file whole or not at all: it is replaced once everything is there. What is no file (a pipe) is written at once. */
export async function writeWhole(file: string, text: AsyncIterable<string>): Promise<void> {
  const found = fs.statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === false) return pipeline(Readable.from(text), fs.createWriteStream(file));
  const target = found === undefined ? file : fs.realpathSync(file);
  const partial = `${target}.partial`;
  try {
    await pipeline(Readable.from(text), fs.createWriteStream(partial));
    fs.renameSync(partial, target);
  } finally {
    fs.rmSync(partial, { force: true });
  }
}
