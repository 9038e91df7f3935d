import { hash } from 'node:crypto';

/** The first 64 bits of an expression's SHA-256: a key of the threat index. */
export function expressionKey(expression: string): bigint {
  // A buffer for each digest would take twice the time of the digest, and so would its digits in hexadecimal.
  const digest = hash('sha256', expression, 'binary');
  return (BigInt(wordAt(digest, 0)) << 32n) | BigInt(wordAt(digest, 4));
}

/** Four bytes as a number, the highest first. */
function wordAt(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 8) | digest.charCodeAt(at + 1);
  const low = (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3);
  return high * 0x1_0000 + low;
}

/** A signed 64-bit integer, under which links are filed. */
export function signedDecimal(key: bigint): string {
  return BigInt.asIntN(64, key).toString();
}
