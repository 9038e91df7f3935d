/** A global everywhere but in Node 18. The name is no literal, so that no bundler for a browser looks for the module. */
export async function webCrypto(): Promise<typeof globalThis.crypto> {
  const module = 'node:crypto';
  return globalThis.crypto ?? (await import(module)).webcrypto;
}
