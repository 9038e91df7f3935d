import { randomUUID } from 'node:crypto';
import { type Breaker, breaker } from '@waypost/resilience';
import { inClientSpan, type Logger } from '@waypost/telemetry';
import type { Redis } from 'ioredis';
import { WRITE_ENTRIES } from './entries.ts';

const COMMAND_TIMEOUT_MS = 60;
const CONNECT_TIMEOUT_MS = 250;
const RECONNECT_MAX_MS = 500;
/** A single late answer from a busy machine must not send all visitors to the database. */
const SKIP_AFTER_FAILURES = 3;
const SKIP_FOR_MS = 1_000;

/** By default ioredis queues commands and blocks a caller while Redis does not answer. These options prevent that. */
export const SERVER_OPTIONS = {
  connectionName: 'waypost',
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  commandTimeout: COMMAND_TIMEOUT_MS,
  connectTimeout: CONNECT_TIMEOUT_MS,
  // This closes a connection that no longer works. TCP alone would retry at longer and longer intervals.
  socketTimeout: 2_000,
  retryStrategy: (attempt: number) => Math.min(50 * attempt, RECONNECT_MAX_MS),
  enableAutoPipelining: true,
  disableClientInfo: true,
};

interface WithScript {
  writeEntries(keys: number, ...keysAndArguments: string[]): Promise<(string | null)[]>;
}

/** One Redis server. Each operation rejects within tens of milliseconds when it cannot answer. */
export class RedisServer {
  readonly redis: Redis & WithScript;
  readonly breaker: Breaker = breaker({
    failuresInARow: SKIP_AFTER_FAILURES,
    pauseMs: SKIP_FOR_MS,
    monotonicMs: () => performance.now(),
  });
  /** Names the tags that a server of a cluster holds. */
  tags = '';
  #failedAt = Number.NEGATIVE_INFINITY;
  #runId: string | undefined;
  #isStopped = false;

  constructor(client: Redis, log: AvailabilityLog) {
    const redis = client as Redis & WithScript;
    this.redis = redis;
    redis.defineCommand('writeEntries', { lua: WRITE_ENTRIES });
    redis.on('ready', () => {
      redis.info('server').then(
        (info) => {
          this.#runId = /^run_id:(\w{8})/m.exec(info)?.[1] ?? 'unnamed';
          log.up();
        },
        () => {
          if (!this.#isStopped) redis.disconnect(true);
        },
      );
    });
    redis.on('close', () => {
      this.#runId = undefined;
    });
    // Without a listener ioredis prints the error of each attempt.
    redis.on('error', (error: Error) => log.down(error));
  }

  /**
   * Returns the run id of the process and the tags that it holds. After a restart, a promotion or a move of slots the
   * stored links may be old: then the id differs, and nobody reads them.
   */
  id(): string {
    if (this.#runId === undefined) throw new Error('Redis is not connected');
    return `${this.#runId}${this.tags}`;
  }

  /** A busy moment makes all commands late that are under way. It counts once. */
  failed(startedAt: number): void {
    if (startedAt < this.#failedAt) return;
    this.#failedAt = performance.now();
    this.breaker.failed();
  }

  get isConnected(): boolean {
    return this.#runId !== undefined;
  }

  /** Reads a key and the epoch of its tag. A new or flushed Redis has no epoch, and gets one. */
  async read(tag: string, key: string): Promise<{ readonly value: string | null; readonly epoch: string | null }> {
    const [epoch = null, value = null] = await this.redis.mget(epochKey(tag), key);
    if (epoch !== null) return { value, epoch };
    await this.redis.set(epochKey(tag), randomUUID(), 'NX');
    return { value, epoch: await this.redis.get(epochKey(tag)) };
  }

  /** All keys have the tag. */
  write(
    tag: string,
    seenEpoch: string,
    entries: readonly { readonly key: string; readonly entry: string }[],
    keepMs: { readonly links: number; readonly unknown: number },
  ): Promise<(string | null)[]> {
    return inClientSpan('EVALSHA', { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA' }, () => {
      const keys = [epochKey(tag), ...entries.map(({ key }) => key)];
      const values = [seenEpoch, String(keepMs.links), String(keepMs.unknown), ...entries.map(({ entry }) => entry)];
      return this.redis.writeEntries(keys.length, ...keys, ...values);
    });
  }

  async ping(): Promise<void> {
    this.id();
    await this.redis.ping();
  }

  stop(): void {
    this.#isStopped = true;
    this.redis.disconnect();
  }
}

const epochKey = (tag: string) => `waypost:epoch${tag}`;

export type AvailabilityLog = ReturnType<typeof availabilityLog>;

export function availabilityLog(logger: Logger) {
  let isDown = false;
  return {
    up() {
      if (isDown) logger.info('Redis is reachable again');
      isDown = false;
    },
    down(error: Error) {
      if (!isDown) logger.warn('Redis cannot be reached', { error: error.message });
      isDown = true;
    },
  };
}
