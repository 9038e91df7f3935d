import { hash } from 'node:crypto';
import { memo } from '@waypost/resilience';

/** The first 64 bits of an expression's SHA-256, as two halves: a key of the threat index. */
export interface ExpressionKey {
  readonly high: number;
  readonly low: number;
}

const EXPRESSIONS = 2_000;

export const expressionKey = memo((expression): ExpressionKey => {
  const hex = hash('sha256', expression, 'hex');
  return { high: Number.parseInt(hex.slice(0, 8), 16), low: Number.parseInt(hex.slice(8, 16), 16) };
}, EXPRESSIONS);

/** The key as a signed 64-bit integer, under which links are filed. */
export function signedDecimal(high: number, low: number): string {
  return BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low)).toString();
}
