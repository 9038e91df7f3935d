import { hash } from 'node:crypto';

/** The first 64 bits of an expression's SHA-256, as two halves: a key of the threat index. */
export interface ExpressionKey {
  readonly high: number;
  readonly low: number;
}

export function expressionKey(expression: string): ExpressionKey {
  const bytes = hash('sha256', expression, 'binary');
  return { high: numberAt(bytes, 0), low: numberAt(bytes, 4) };
}

function numberAt(bytes: string, at: number): number {
  const byte = (offset: number) => bytes.charCodeAt(at + offset);
  return ((byte(0) << 24) | (byte(1) << 16) | (byte(2) << 8) | byte(3)) >>> 0;
}

/** The key as a signed 64-bit integer, under which links are filed. */
export function signedDecimal(high: number, low: number): string {
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)).toString();
}
