import { hash } from 'node:crypto';

/** A key of the threat index: the first 64 bits of an expression's SHA-256. */
export function expressionKey(expression: string): bigint {
  const [high, low] = keyHalves(expression);
  return (BigInt(high) << 32n) | BigInt(low);
}

/** The key as two numbers of 32 bits, because most are only looked up, and a `bigint` takes longer than the look-up. */
export function keyHalves(expression: string): readonly [high: number, low: number] {
  // A buffer for each digest would take twice the time of the digest, and so would its digits in hexadecimal.
  const digest = hash('sha256', expression, 'binary');
  return [wordAt(digest, 0), wordAt(digest, 4)];
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
