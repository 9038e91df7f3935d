import fs from 'node:fs';
import path from 'node:path';
import { answersOn, type Engine, findProgram, freePort, isListening, startEngine, startProgram } from './engine.ts';

export interface RedisOptions {
  /** For its log and, with `appendOnly`, its data. */
  readonly dir: string;
  /** A free one by default. */
  readonly port?: number;
  /** By default it persists nothing: it is a cache, and an old snapshot would hold outdated links. */
  readonly appendOnly?: boolean;
  readonly password?: string;
  /** PEM files; it then accepts only TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Debian's redis-server (`apt-get install redis-server`). */
export async function startRedis({
  dir,
  port: wanted,
  appendOnly = false,
  password,
  tls,
}: RedisOptions): Promise<Engine> {
  const command = findProgram('redis-server');
  if (command === undefined) throw new Error('redis-server is not installed: apt-get install redis-server');
  const port = wanted ?? (await freePort());
  fs.mkdirSync(dir, { recursive: true });
  const settings = {
    bind: '127.0.0.1',
    port: tls === undefined ? port : 0,
    dir: path.resolve(dir),
    save: '""',
    appendonly: appendOnly ? 'yes' : 'no',
    appendfsync: 'everysec',
    maxmemory: '256mb',
    'maxmemory-policy': 'allkeys-lru',
    daemonize: 'no',
    ...(password === undefined ? {} : { requirepass: password }),
    ...(tls === undefined
      ? {}
      : {
          'tls-port': port,
          'tls-cert-file': tls.cert,
          'tls-key-file': tls.key,
          'tls-ca-cert-file': tls.cert,
          'tls-auth-clients': 'no',
        }),
  };
  // In a file, so that no process list shows the password.
  const file = path.resolve(dir, 'redis.conf');
  const lines = Object.entries(settings).map(([name, value]) => `${name} ${value}\n`);
  fs.writeFileSync(file, lines.join(''), { mode: 0o600 });
  return startEngine({
    name: 'Redis',
    port,
    start: () =>
      startProgram({
        name: 'Redis',
        command,
        args: [file],
        logFile: path.join(dir, 'redis.log'),
        isReady: () =>
          tls === undefined
            ? answersOn(port, 'PING\r\n', password === undefined ? '+PONG' : '-NOAUTH')
            : isListening(port),
        readyWithinMs: 10_000,
      }),
  });
}
