/** Node 18 has no global `crypto`. The module's name is no literal, so that bundlers for browsers ignore it. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  const module = 'node:crypto';
  return globalThis.crypto ?? (await import(module)).webcrypto;
}
