/** An `Idempotency-Key`. Not by `randomUUID`, which pages without https do not have. */
export function randomKey(crypto: Pick<typeof globalThis.crypto, 'getRandomValues'>): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
