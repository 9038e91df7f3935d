/** Files that are complete or absent: magic and version, SHA-256, a JSON header, and a body of 64-bit numbers. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { PackedKeys } from './packed-keys.ts';

export interface CheckedFile {
  readonly header: unknown;
  readonly keys: PackedKeys;
}

/** The last byte is the version of the layout. */
const MAGIC = Buffer.from('waypost\x01', 'latin1');
const DIGEST_AT = MAGIC.length;
const HEADER_LENGTH_AT = DIGEST_AT + 32;
const HEADER_AT = HEADER_LENGTH_AT + 8;

/** The file survives a power loss once this resolves. */
export async function writeCheckedFile(path: string, { header, keys }: CheckedFile): Promise<void> {
  const json = Buffer.from(JSON.stringify(header));
  // Keys are read in place, so they must begin at a multiple of eight.
  const padded = Buffer.concat([json, Buffer.alloc((8 - (json.length % 8)) % 8, ' ')]);
  const length = Buffer.alloc(8);
  length.writeUInt32LE(padded.length);
  const body = Buffer.from(keys.buffer, keys.byteOffset, keys.byteLength);
  const digest = createHash('sha256').update(length).update(padded).update(body).digest();
  await writeWhole(path, [MAGIC, digest, length, padded, body]);
}

async function writeWhole(path: string, parts: readonly Uint8Array[]): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    await writeFile(temporary, parts, { flush: true });
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Returns undefined if the file is missing, truncated, altered or of another version. */
export function readCheckedFile(path: string): CheckedFile | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  return contentOf(bytes);
}

/** Writes nothing if the bytes are damaged. */
export async function writeCopy(path: string, bytes: Uint8Array): Promise<void> {
  if (contentOf(Buffer.from(bytes)) !== undefined) await writeWhole(path, [bytes]);
}

function contentOf(bytes: Buffer): CheckedFile | undefined {
  if (bytes.length < HEADER_AT || !bytes.subarray(0, DIGEST_AT).equals(MAGIC)) return undefined;
  const digest = createHash('sha256').update(bytes.subarray(HEADER_LENGTH_AT)).digest();
  if (!digest.equals(bytes.subarray(DIGEST_AT, HEADER_LENGTH_AT))) return undefined;
  const bodyAt = HEADER_AT + bytes.readUInt32LE(HEADER_LENGTH_AT);
  const header: unknown = JSON.parse(bytes.toString('utf8', HEADER_AT, bodyAt));
  // The read buffer may come from a pool, at an odd offset, so its bytes are copied.
  return { header, keys: new BigUint64Array(new Uint8Array(bytes.subarray(bodyAt)).buffer) };
}

async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a folder, and does not need it for a durable rename.
  if (process.platform === 'win32') return;
  await using directory = await open(path, 'r');
  await directory.sync();
}
