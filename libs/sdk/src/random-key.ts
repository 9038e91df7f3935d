/** Returns an `Idempotency-Key`. Pages without https have no `randomUUID`, so it uses random bytes. */
export function randomKey(crypto: Pick<typeof globalThis.crypto, 'getRandomValues'>): string {
  const random = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(random, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
