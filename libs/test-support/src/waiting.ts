export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Checks that `work` takes less than `limitMs` in one of three attempts. If the machine stalls, one attempt is slow; a
 * fault makes all of them slow. If only part of the work counts, `work` resolves to the milliseconds of that part.
 */
export async function within(limitMs: number, work: () => Promise<unknown>): Promise<void> {
  const attempts: number[] = [];
  while (attempts.length < 3) {
    const began = performance.now();
    const counted = await work();
    const ms = typeof counted === 'number' ? counted : performance.now() - began;
    if (ms < limitMs) return;
    attempts.push(Math.round(ms));
  }
  throw new Error(`took ${attempts.join(', ')} ms instead of less than ${limitMs} ms`);
}

/** Resolves as soon as the condition is true. Throws if it stays false for `timeoutMs`. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited for it in vain: ${isTrue}`);
    await pause(5);
  }
}
