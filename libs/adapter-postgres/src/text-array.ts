const TEXT_OID = 25;
const HEADER_BYTES = 20;
const NULL = -1;

/**
 * PostgreSQL's `text[]` in its binary format, for statements with many long values: pg would escape each, and the server
 * read them character by character.
 */
export function textArray(values: readonly (string | null | undefined)[]): Buffer {
  let size = HEADER_BYTES;
  for (const value of values) size += 4 + (value == null ? 0 : Buffer.byteLength(value));
  const array = Buffer.allocUnsafe(size);
  array.writeInt32BE(1, 0); // dimensions
  array.writeInt32BE(1, 4); // there may be nulls
  array.writeInt32BE(TEXT_OID, 8);
  array.writeInt32BE(values.length, 12);
  array.writeInt32BE(1, 16); // the first index
  let at = HEADER_BYTES;
  for (const value of values) {
    const bytes = value == null ? 0 : array.write(value, at + 4);
    at = array.writeInt32BE(value == null ? NULL : bytes, at) + bytes;
  }
  return array;
}
