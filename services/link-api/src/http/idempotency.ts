import { createHash } from 'node:crypto';
import { Faults } from '../endpoints/input.ts';
import type { Idempotency } from '../use-cases/create-links.ts';

/** As it came in, and the name that the caller knows it by. */
export interface GivenKey {
  readonly name: string;
  readonly value: unknown;
}

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Undefined without a key: then the request is done again with each retry. */
export function idempotencyOf(given: GivenKey | undefined, body: unknown, endpoint: string): Idempotency | undefined {
  if (given === undefined) return undefined;
  const key = idempotencyKey(given);
  return key === undefined ? undefined : { name: given.name, endpoint, key, bodyHash: hashOfJson(body) };
}

const KEY = /^[\x20-\x7e]{1,255}$/;

export function idempotencyKey({ name, value }: GivenKey): string | undefined {
  const isKey = typeof value === 'string' && KEY.test(value);
  const faults = new Faults();
  if (value !== undefined && !isKey) faults.add('', [name], 'must be 1 to 255 printable ASCII characters');
  faults.throwIfAny();
  return isKey ? value : undefined;
}

/** Equal JSON values have equal hashes, whatever their key order and white space. */
function hashOfJson(value: unknown): string {
  const sorted = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
