import { afterAll, beforeAll } from '@jest/globals';

/** One store for a suite, opened before it. */
export function opened<T>(open: () => Promise<T>, close?: (store: T) => Promise<void>): () => T {
  let store: T;
  beforeAll(async () => {
    store = await open();
  });
  if (close !== undefined) afterAll(() => close(store));
  return () => store;
}

let made = 0;
/** A custom slug that no other test uses. */
export const newSlug = (stem = 'slug') => `${stem}-${process.pid.toString(36)}-${(made++).toString(36)}`;

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves as soon as it is true, and throws when it did not become so for long. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited for it in vain: ${isTrue}`);
    await pause(5);
  }
}
