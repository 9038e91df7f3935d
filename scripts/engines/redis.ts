import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { answersOn, type Engine, findProgram, freePort, isListening, startEngine, startProgram } from './engine.ts';

export interface RedisOptions {
  /** The folder of the log and, with `appendOnly`, of the data. */
  readonly dir: string;
  /** If absent, a free port is used. */
  readonly port?: number;
  /** If true, data is stored. By default it is not, because an old snapshot of a cache would have outdated links. */
  readonly appendOnly?: boolean;
  readonly password?: string;
  /** Paths of PEM files. If present, the server accepts only TLS. Without `ca`, the certificate has signed itself. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string };
  /** Further lines of the configuration file, by name. */
  readonly settings?: Readonly<Record<string, string | number>>;
  readonly isSentinel?: boolean;
}

/** Runs Debian's redis-server (`apt-get install redis-server`). */
export async function startRedis({
  dir,
  port: fixedPort,
  appendOnly = false,
  password,
  tls,
  settings: others = {},
  isSentinel = false,
}: RedisOptions): Promise<Engine> {
  const command = findProgram('redis-server');
  if (command === undefined) throw new Error('redis-server is not installed: apt-get install redis-server');
  const port = fixedPort ?? (await freePort());
  fs.mkdirSync(dir, { recursive: true });
  const common = { bind: '127.0.0.1', port: tls === undefined ? port : 0, dir: path.resolve(dir), daemonize: 'no' };
  const ofServer = {
    save: '""',
    appendonly: appendOnly ? 'yes' : 'no',
    appendfsync: 'everysec',
    maxmemory: '256mb',
    'maxmemory-policy': 'allkeys-lru',
    ...(password === undefined ? {} : { requirepass: password }),
    ...(tls === undefined
      ? {}
      : {
          'tls-port': port,
          'tls-cert-file': tls.cert,
          'tls-key-file': tls.key,
          'tls-ca-cert-file': tls.ca ?? tls.cert,
          'tls-auth-clients': 'no',
        }),
  };
  // The settings are in a file, so that no list of processes shows the password.
  const file = path.resolve(dir, 'redis.conf');
  const settings = { ...common, ...(isSentinel ? {} : ofServer), ...others };
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  fs.writeFileSync(file, lines.join(''), { mode: 0o600 });
  return startEngine({
    name: isSentinel ? 'Redis Sentinel' : 'Redis',
    port,
    start: () =>
      startProgram({
        name: 'Redis',
        command,
        args: isSentinel ? [file, '--sentinel'] : [file],
        logFile: path.join(dir, 'redis.log'),
        isReady: () =>
          tls === undefined
            ? answersOn(port, 'PING\r\n', password === undefined ? '+PONG' : '-NOAUTH')
            : isListening(port),
        readyWithinMs: 10_000,
      }),
  });
}

export interface RedisCluster {
  /** Masters first, each with its replica at the same place of the second half. */
  readonly nodes: readonly Engine[];
  readonly url: string;
  stop(): Promise<void>;
}

/** A master is replaced after this long without an answer. */
const NODE_TIMEOUT_MS = 1_500;

/** A frozen server does not answer. */
export async function redisCli(
  port: number,
  command: readonly string[],
  timeout = 60_000,
  password?: string,
): Promise<string> {
  const env = password === undefined ? process.env : { ...process.env, REDISCLI_AUTH: password };
  return (await promisify(execFile)('redis-cli', ['-p', String(port), ...command], { timeout, env })).stdout.trim();
}

/** Starts a Redis Cluster of three masters, each with a replica. */
export async function startRedisCluster({
  dir,
  settings,
  password,
  tls,
}: Pick<RedisOptions, 'dir' | 'settings' | 'password' | 'tls'>): Promise<RedisCluster> {
  const withTls = tls === undefined ? [] : ['--tls', '--cacert', tls.ca ?? tls.cert];
  const ask = (port: number, ...command: string[]) => redisCli(port, [...withTls, ...command], undefined, password);
  const nodes = await Promise.all(
    Array.from({ length: 6 }, async (_, i) =>
      startRedis({
        dir: path.join(dir, `node-${i}`),
        ...(password !== undefined && { password }),
        ...(tls !== undefined && { tls }),
        settings: {
          ...(password !== undefined && { masterauth: password }),
          'cluster-enabled': 'yes',
          'cluster-port': await freePort(),
          'cluster-node-timeout': NODE_TIMEOUT_MS,
          'cluster-replica-validity-factor': 0,
          'cluster-require-full-coverage': 'no',
          'repl-diskless-sync-delay': 0,
          ...(tls !== undefined && {
            'tls-cluster': 'yes',
            'tls-replication': 'yes',
            // A certificate has a name.
            'cluster-announce-hostname': 'localhost',
            'cluster-preferred-endpoint-type': 'hostname',
          }),
          ...settings,
        },
      }),
    ),
  );
  const hosts = nodes.map(({ port }) => `${tls === undefined ? '127.0.0.1' : 'localhost'}:${port}`);
  await ask(nodes[0]!.port, '--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes');
  for (const { port } of nodes) {
    for (let tries = 0; !(await ask(port, 'CLUSTER', 'INFO')).includes('cluster_state:ok'); tries++) {
      if (tries > 100) throw new Error('the Redis Cluster did not become ready');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  return {
    nodes,
    url: `redis${tls === undefined ? '' : 's'}://${password === undefined ? '' : `:${password}@`}${hosts.slice(0, 3).join(',')}`,
    stop: async () => void (await Promise.all(nodes.map((node) => node.stop()))),
  };
}

export interface RedisSentinels {
  /** The master at the start, then its replica. */
  readonly servers: readonly Engine[];
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a master, a replica and three Sentinels that watch them. */
export async function startRedisSentinels({ dir }: { readonly dir: string }): Promise<RedisSentinels> {
  const settings = { 'repl-diskless-sync-delay': 0 };
  const master = await startRedis({ dir: path.join(dir, 'master'), settings });
  const replica = await startRedis({
    dir: path.join(dir, 'replica'),
    settings: { ...settings, replicaof: `127.0.0.1 ${master.port}` },
  });
  const sentinels = await Promise.all(
    [1, 2, 3].map((i) =>
      startRedis({
        dir: path.join(dir, `sentinel-${i}`),
        isSentinel: true,
        settings: {
          'sentinel monitor waypost': `127.0.0.1 ${master.port} 2`,
          'sentinel down-after-milliseconds waypost': NODE_TIMEOUT_MS,
          'sentinel failover-timeout waypost': 4_000,
        },
      }),
    ),
  );
  return {
    servers: [master, replica],
    url: `redis://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}?sentinel=waypost`,
    stop: async () => void (await Promise.all([...sentinels, master, replica].map((engine) => engine.stop()))),
  };
}
