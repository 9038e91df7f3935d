import { createHash } from 'node:crypto';
import type { Idempotency } from '../endpoint.ts';
import { Faults } from '../input.ts';

/** The key as the caller sent it, unchecked, and the caller's name for it in messages. */
export interface GivenKey {
  readonly name: string;
  readonly value: unknown;
}

export const IDEMPOTENCY_HEADER = 'Idempotency-Key';

/** Returns undefined if the caller sent no key. Each retry then creates links again. */
export function idempotencyOf(header: GivenKey | undefined, body: unknown, endpoint: string): Idempotency | undefined {
  if (header === undefined) return undefined;
  const key = idempotencyKey(header);
  return key === undefined ? undefined : { name: header.name, endpoint, key, bodyHash: hashOfJson(body) };
}

const KEY = /^[\x20-\x7e]{1,255}$/;

export function idempotencyKey({ name, value }: GivenKey): string | undefined {
  const isKey = typeof value === 'string' && KEY.test(value);
  const faults = new Faults();
  if (value !== undefined && !isKey) faults.add('', [name], 'must be 1 to 255 printable ASCII characters');
  faults.throwIfAny();
  return isKey ? value : undefined;
}

/** Equal JSON values have the same hash, whatever the order of their keys and their white space. */
function hashOfJson(value: unknown): string {
  const sorted = (_key: string, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return createHash('sha256').update(JSON.stringify(value, sorted)).digest('hex');
}
