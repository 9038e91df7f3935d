/** The Redis servers that hold links: one, the master of Sentinels, or the masters of a cluster. */
import { crc32 } from 'node:zlib';
import type { Logger } from '@waypost/telemetry';
import { Cluster, type ClusterOptions, Command, Redis } from 'ioredis';
import { redisAddress } from './address.ts';
import { type AvailabilityLog, availabilityLog, RedisServer, SERVER_OPTIONS } from './server.ts';

/** Where a slug is stored. All keys with the same tag are on the same server. */
export interface Place {
  /** Undefined while no server is known for the slug. */
  readonly server: RedisServer | undefined;
  readonly tag: string;
}

export interface Servers {
  /** Whether there can only be one server. Otherwise the store says which servers may be read (decision 0008). */
  readonly isOne: boolean;
  placeOf(slug: string): Place;
  /** The servers that hold links now, connected or not. */
  all(): readonly RedisServer[];
  /** Learns anew where slugs are stored, after an error. */
  refresh(): void;
  stop(): void;
}

export interface ServersOptions {
  /** An address of one server, a cluster or Sentinels, as `redisAddress` reads it. */
  readonly url: string;
  /**
   * The certificates, in PEM, of the authorities that may sign the server's certificate. The default is Node's list.
   */
  readonly ca?: string | undefined;
  /** A command fails after this time. Only tests change it. */
  readonly commandTimeoutMs?: number;
  readonly logger: Logger;
}

export function connectServers({ url, logger, ca, commandTimeoutMs }: ServersOptions): Servers {
  const { kind, nodes, master, login } = redisAddress(url, ca);
  const log = availabilityLog(logger);
  const options = { ...SERVER_OPTIONS, ...(commandTimeoutMs && { commandTimeout: commandTimeoutMs }), ...login };
  if (kind === 'cluster') {
    const { retryStrategy: clusterRetryStrategy, ...redisOptions } = options;
    const timing = { slotsRefreshInterval: 1_000, slotsRefreshTimeout: 500 };
    // Otherwise ioredis looks names up itself and connects to addresses, which certificates do not have.
    const dnsLookup: ClusterOptions['dnsLookup'] = (name, callback) => callback(null, name);
    return clusterServers(new Cluster(nodes, { redisOptions, clusterRetryStrategy, dnsLookup, ...timing }), log);
  }
  const redis =
    kind === 'one'
      ? new Redis({ ...options, ...nodes[0]! })
      : new Redis({
          ...options,
          sentinels: nodes,
          name: master!,
          // Sentinels have a password, too, but seldom users.
          ...(login.password !== undefined && { sentinelPassword: login.password }),
          ...(login.tls && { enableTLSForSentinelMode: true, sentinelTLS: login.tls }),
          sentinelRetryStrategy: options.retryStrategy,
          sentinelCommandTimeout: 500,
          failoverDetector: true,
        });
  const server = new RedisServer(redis, log);
  return {
    isOne: kind === 'one',
    placeOf: () => ({ server, tag: '' }),
    all: () => [server],
    refresh: () => undefined,
    stop: () => server.stop(),
  };
}

/**
 * Few tags, because a script can write only links that share one, and evenly over the slots. All processes need the
 * same ones: a change here needs another beginning of the keys (`prefixOf`).
 */
const TAGS = 256;
const SLOTS = 16_384;

function evenTags(): { readonly tag: string; readonly slot: number }[] {
  const tags = new Map<number, { tag: string; slot: number }>();
  for (let i = 0; tags.size < TAGS; i += 1) {
    const tag = `{${i.toString(36)}}`;
    const slot = new Command('get', [tag]).getSlot()!;
    tags.set(Math.floor((slot * TAGS) / SLOTS), { tag, slot });
  }
  return [...tags.values()];
}

/**
 * Sends each command to the server of its slot, and follows no redirection: only so is it known which server answered.
 * After a MOVED it learns the slots anew.
 */
function clusterServers(cluster: Cluster, log: AvailabilityLog): Servers {
  const servers = new Map<string, RedisServer>();
  const tags = evenTags();
  let owners: readonly (RedisServer | undefined)[] = [];
  const addressOf = ({ options: { host, port } }: Redis) => `${host}:${port}`;
  const refresh = () => cluster.refreshSlotsCache(() => undefined);
  cluster.on('+node', (node: Redis) => {
    servers.set(addressOf(node), new RedisServer(node, log));
    node.connect().catch(() => undefined); // ioredis waits for the first command
  });
  cluster.on('-node', (node: Redis) => {
    if (servers.get(addressOf(node))?.redis === node) servers.delete(addressOf(node));
    learn();
  });
  cluster.on('refresh', learn);
  cluster.on('error', (error: Error & { lastNodeError?: Error }) => log.down(error.lastNodeError ?? error));

  function learn(): void {
    owners = tags.map(({ slot }) => servers.get(cluster.slots[slot]?.[0] ?? ''));
    for (const [server, share] of Map.groupBy(tags.keys(), (i) => owners[i]))
      if (server !== undefined) server.tags = crc32(share.join()).toString(36);
  }

  return {
    isOne: false,
    placeOf(slug) {
      const number = crc32(slug) % TAGS;
      return { server: owners[number], tag: tags[number]!.tag };
    },
    all: () => [...new Set(owners)].filter((server) => server !== undefined),
    refresh,
    stop: () => cluster.disconnect(),
  };
}
