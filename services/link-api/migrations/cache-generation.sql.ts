import type { CacheGeneration } from '@waypost/ports';
import { prepared, rows } from '@waypost/postgres';
import type { DataSource } from 'typeorm';

export function postgresCacheGeneration(db: DataSource): CacheGeneration {
  return {
    read: async () => {
      const [row] = await prepared<{ generation: string }>(
        db,
        'cache-generation',
        'SELECT generation FROM cache_generation',
        [],
      );
      return Number(row!.generation);
    },
    bump: async () => {
      await rows(db, 'UPDATE cache_generation SET generation = generation + 1', []);
    },
  };
}
