import { hash } from 'node:crypto';

/** The first 64 bits of an expression's SHA-256: a key of the threat index. */
export function expressionKey(expression: string): bigint {
  // As text: a buffer for each digest costs twice as much as the digest.
  return BigInt(`0x${hash('sha256', expression, 'hex').slice(0, 16)}`);
}

/** The key as a signed 64-bit integer, under which links are filed. */
export function signedDecimal(key: bigint): string {
  return BigInt.asIntN(64, key).toString();
}
