import { hash } from 'node:crypto';

/** The first 64 bits of an expression's SHA-256: a key of the threat index. */
export function expressionKey(expression: string): bigint {
  // A buffer for each digest would take twice the time of the digest.
  return BigInt(`0x${hash('sha256', expression, 'hex').slice(0, 16)}`);
}

/** A signed 64-bit integer, under which links are filed. */
export function signedDecimal(key: bigint): string {
  return BigInt.asIntN(64, key).toString();
}
