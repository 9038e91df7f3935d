import { inClientSpan, type Logger } from '@waypost/telemetry';
import { Redis } from 'ioredis';
import { redisAddress } from './address.ts';
import { WRITE_ENTRIES } from './entries.ts';

const COMMAND_TIMEOUT_MS = 60;
const CONNECT_TIMEOUT_MS = 250;
const RECONNECT_MAX_MS = 500;
/** Scripts block Redis: 500 links in one call take it 2 ms. */
const WRITES_AT_ONCE = 500;
const EPOCH_KEY = 'waypost:epoch';

/** The Redis operations that we use. Each call rejects within tens of milliseconds when Redis cannot answer. */
export interface Connection {
  /**
   * The run id of the Redis process. A process that restarted from a snapshot, or a replica that took over, may hold
   * outdated links: with the run id in the keys, its entries are out of reach.
   */
  server(): string;
  /** A key's value and, read at the same moment, the epoch; null where there is none. */
  read(key: string): Promise<readonly [value: string | null, epoch: string | null]>;
  /** See `WRITE_ENTRIES`. */
  write(
    seenEpoch: string,
    entries: readonly { readonly key: string; readonly entry: string }[],
    keepMs: { readonly links: number; readonly unknown: number },
  ): Promise<(string | null)[]>;
  /** Gives this Redis an epoch if it has none, because it is new or was flushed. */
  beginEpoch(value: string): Promise<void>;
  ping(): Promise<void>;
  stop(): void;
}

interface WithScript {
  writeEntries(keys: number, ...keysAndArguments: string[]): Promise<(string | null)[]>;
}

/**
 * With its defaults ioredis blocks a caller for as long as Redis is frozen or away, and queues further commands
 * meanwhile.
 */
export function connectRedis(url: string, logger: Logger, ca?: string): Connection {
  const redis = new Redis({
    ...redisAddress(url, ca),
    connectionName: 'waypost',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // We give up a connection that broke silently: TCP alone would retry at ever longer intervals.
    socketTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, RECONNECT_MAX_MS),
    enableAutoPipelining: true,
    disableClientInfo: true,
  }) as Redis & WithScript;
  redis.defineCommand('writeEntries', { lua: WRITE_ENTRIES });

  let runId: string | undefined;
  let isDown = false;
  let isStopped = false;
  redis.on('ready', () => {
    redis.info('server').then(
      (info) => {
        runId = /^run_id:(\w{8})/m.exec(info)?.[1] ?? 'unnamed';
        if (isDown) logger.info('Redis is back');
        isDown = false;
      },
      () => {
        if (!isStopped) redis.disconnect(true);
      },
    );
  });
  redis.on('close', () => {
    runId = undefined;
  });
  // Without a listener ioredis prints the error for each attempt.
  redis.on('error', (error: Error) => {
    if (!isDown) logger.warn('Redis cannot be reached', { error: error.message });
    isDown = true;
  });

  return {
    server() {
      if (runId === undefined) throw new Error('Redis is not connected');
      return runId;
    },
    async read(key) {
      const [epoch = null, value = null] = await redis.mget(EPOCH_KEY, key);
      return [value, epoch];
    },
    write: (seenEpoch, entries, keepMs) =>
      inClientSpan('EVALSHA', { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' }, async () => {
        const found: (string | null)[] = [];
        for (let i = 0; i < entries.length; i += WRITES_AT_ONCE) {
          const chunk = entries.slice(i, i + WRITES_AT_ONCE);
          const keys = [EPOCH_KEY, ...chunk.map(({ key }) => key)];
          const values = [seenEpoch, String(keepMs.links), String(keepMs.unknown), ...chunk.map(({ entry }) => entry)];
          found.push(...(await redis.writeEntries(keys.length, ...keys, ...values)));
        }
        return found;
      }),
    async beginEpoch(value) {
      await redis.set(EPOCH_KEY, value, 'NX');
    },
    async ping() {
      await redis.ping();
    },
    stop() {
      isStopped = true;
      redis.disconnect();
    },
  };
}
