export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Resolves as soon as the condition is true, and throws if it stays false for long. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 15_000): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error(`waited for it in vain: ${isTrue}`);
    await pause(5);
  }
}
