import { inClientSpan, type Logger } from '@waypost/telemetry';
import { Redis } from 'ioredis';
import { redisAddress } from './address.ts';
import { WRITE_ENTRIES } from './entries.ts';

const COMMAND_TIMEOUT_MS = 60;
const CONNECT_TIMEOUT_MS = 250;
const RECONNECT_MAX_MS = 500;
/** Redis does nothing else while a script runs. A script with 500 links takes 2 ms. */
const WRITES_AT_ONCE = 500;
const EPOCH_KEY = 'waypost:epoch';

/** Each operation rejects within tens of milliseconds when Redis cannot answer. */
export interface Connection {
  /**
   * Returns the run id of the Redis process. It is part of each key, because after a restart or the promotion of a
   * replica the stored links may be old. Such links have another run id, so nobody reads them.
   */
  server(): string;
  /** Reads a key and the epoch at the same moment. A missing one is null. */
  read(key: string): Promise<readonly [value: string | null, epoch: string | null]>;
  write(
    seenEpoch: string,
    entries: readonly { readonly key: string; readonly entry: string }[],
    keepMs: { readonly links: number; readonly unknown: number },
  ): Promise<(string | null)[]>;
  /** Sets the epoch if Redis has none, because it is new or was flushed. */
  beginEpoch(value: string): Promise<void>;
  ping(): Promise<void>;
  stop(): void;
}

interface WithScript {
  writeEntries(keys: number, ...keysAndArguments: string[]): Promise<(string | null)[]>;
}

/** By default ioredis queues commands and blocks a caller while Redis does not answer. These options prevent that. */
export function connectRedis(url: string, logger: Logger, ca?: string): Connection {
  const redis = new Redis({
    ...redisAddress(url, ca),
    connectionName: 'waypost',
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    // This closes a connection that no longer works. TCP alone would retry at longer and longer intervals.
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
        if (isDown) logger.info('Redis is reachable again');
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
  // Without a listener ioredis prints the error of each attempt.
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
        const answers: (string | null)[] = [];
        for (let i = 0; i < entries.length; i += WRITES_AT_ONCE) {
          const chunk = entries.slice(i, i + WRITES_AT_ONCE);
          const keys = [EPOCH_KEY, ...chunk.map(({ key }) => key)];
          const values = [seenEpoch, String(keepMs.links), String(keepMs.unknown), ...chunk.map(({ entry }) => entry)];
          answers.push(...(await redis.writeEntries(keys.length, ...keys, ...values)));
        }
        return answers;
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
