import { hash } from 'node:crypto';

/** The first 64 bits of an expression's SHA-256: a key of the threat index. */
export function expressionKey(expression: string): bigint {
  return hash('sha256', expression, 'buffer').readBigUInt64BE();
}

/** The key as a signed 64-bit integer, under which links are filed. */
export function signedDecimal(key: bigint): string {
  return BigInt.asIntN(64, key).toString();
}
