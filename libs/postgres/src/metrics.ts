import { type Metrics, metric } from '@waypost/telemetry';
import type { Database } from './database.ts';

export const POOL_METRICS = {
  connections: metric.gauge(
    'waypost_database_connections',
    'Connections in the PostgreSQL pool, by state: busy or idle.',
    'state',
  ),
  waiting: metric.gauge('waypost_database_waiting_requests', 'Statements waiting for a connection from the pool.'),
};

/** `database` may throw while the database is not open. */
export function poolMetrics(metrics: Metrics, database: () => Database): void {
  metrics.read(POOL_METRICS, () => {
    const { totalCount, idleCount, waitingCount } = database().pool;
    return {
      connections: [
        { labels: { state: 'busy' }, value: totalCount - idleCount },
        { labels: { state: 'idle' }, value: idleCount },
      ],
      waiting: waitingCount,
    };
  });
}
