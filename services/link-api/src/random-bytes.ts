import { randomFillSync } from 'node:crypto';

/**
 * Random bytes from a pool: a system call for a slug's fourteen bytes costs more than everything else in making a slug.
 */
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
