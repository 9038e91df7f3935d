import { randomFillSync } from 'node:crypto';

/** Random bytes from a pool: asking the kernel for a slug's fourteen costs more than the rest of making it. */
export function pooledRandomBytes(): (size: number) => Uint8Array {
  const pool = Buffer.alloc(4096);
  let used = pool.length;
  return (size) => {
    if (used + size > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += size;
    return Uint8Array.prototype.slice.call(pool, used - size, used);
  };
}
