import fs from 'node:fs';
import path from 'node:path';
import { answersOn, type Engine, findProgram, freePort, isListening, startEngine, startProgram } from './engine.ts';

export interface RedisOptions {
  /** The folder of the log and, with `appendOnly`, of the data. */
  readonly dir: string;
  /** If absent, a free port is used. */
  readonly port?: number;
  /** If true, data is stored. By default it is not, because an old snapshot of a cache would have outdated links. */
  readonly appendOnly?: boolean;
  readonly password?: string;
  /** Paths of PEM files. If present, the server accepts only TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

/** Runs Debian's redis-server (`apt-get install redis-server`). */
export async function startRedis({
  dir,
  port: fixedPort,
  appendOnly = false,
  password,
  tls,
}: RedisOptions): Promise<Engine> {
  const command = findProgram('redis-server');
  if (command === undefined) throw new Error('redis-server is not installed: apt-get install redis-server');
  const port = fixedPort ?? (await freePort());
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
  // The settings are in a file, so that no list of processes shows the password.
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
