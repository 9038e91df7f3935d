import { createHash } from 'node:crypto';
import type { IdempotencyRecord } from '@waypost/ports';
import { Faults } from '../endpoints/input.ts';

/** Undefined without a key: then the request is done again with each retry. */
export function idempotencyOf(given: unknown, body: unknown, endpoint: string): IdempotencyRecord | undefined {
  const key = idempotencyKey(given);
  return key === undefined ? undefined : { endpoint, key, bodyHash: hashOfJson(body) };
}

const KEY = /^[\x20-\x7e]{1,255}$/;

export function idempotencyKey(given: unknown): string | undefined {
  const isKey = typeof given === 'string' && KEY.test(given);
  const faults = new Faults();
  if (given !== undefined && !isKey) {
    faults.add('', ['Idempotency-Key'], 'must be 1 to 255 printable ASCII characters');
  }
  faults.throwIfAny();
  return isKey ? given : undefined;
}

/** Equal JSON values have equal hashes, whatever their key order and white space. */
function hashOfJson(value: unknown): string {
  const sorted = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
