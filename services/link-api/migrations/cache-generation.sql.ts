import type { CacheGeneration, CacheState } from '@waypost/ports';
import { type Database, execute, prepared } from '@waypost/postgres';

export function postgresCacheGeneration(db: Database): CacheGeneration {
  return {
    read: async () => {
      const [row] = await prepared<{ generation: string; servers: CacheState['servers'] }>(
        db,
        'cache-generation',
        'SELECT generation, servers FROM cache_generation',
        [],
      );
      return { generation: Number(row!.generation), servers: row!.servers };
    },
    bump: () => execute(db, 'UPDATE cache_generation SET generation = generation + 1', []),
    admit: (servers) =>
      execute(
        db,
        `UPDATE cache_generation SET servers = (
           SELECT coalesce(
             jsonb_object_agg(id, coalesce(servers -> id, to_jsonb(left(gen_random_uuid()::text, 8)))), '{}')
           FROM unnest($1::text[]) AS id)`,
        [servers],
      ),
  };
}
