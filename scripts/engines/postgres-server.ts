import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { preparePostgres } from '../../libs/adapter-embedded/src/postgres.ts';
import { type Engine, freePort, type ProcessRun, startEngine } from './engine.ts';

export interface PostgresServerOptions {
  readonly dir: string;
  /** A free one by default. */
  readonly port?: number;
  /** TCP requires a password. The administrator, `waypost`, has none and connects only through the unix socket. */
  readonly closed?: boolean;
  /** PEM files; TCP then requires TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface PostgresServer extends Engine {
  /** The folder of the unix socket, closed to other users. */
  readonly socketDir: string;
}

const CLOSED = `local all waypost trust
host all all 127.0.0.1/32 scram-sha-256
`;

/** PostgreSQL for several processes: the binaries of the embedded one, listening on 127.0.0.1. */
export async function startPostgresServer({
  dir,
  port: wanted,
  closed = false,
  tls,
}: PostgresServerOptions): Promise<PostgresServer> {
  const port = wanted ?? (await freePort());
  const data = path.resolve(dir, 'data');
  const own = ['listen_addresses=127.0.0.1', `port=${port}`, 'max_connections=200'];
  if (tls !== undefined) own.push('ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key');
  const folder = await preparePostgres(data, own);
  if (closed)
    writeFileSync(path.join(data, 'pg_hba.conf'), tls === undefined ? CLOSED : CLOSED.replace('host ', 'hostssl '));
  if (tls !== undefined) {
    for (const [from, to] of [
      [tls.cert, 'server.crt'],
      [tls.key, 'server.key'],
    ] as const) {
      const { uid, gid } = statSync(data); // the server may run as another user
      writeFileSync(path.join(data, to), readFileSync(from), { mode: 0o600 });
      chownSync(path.join(data, to), uid, gid);
    }
  }
  const engine = await startEngine({
    name: 'PostgreSQL',
    port,
    async start(): Promise<ProcessRun> {
      const { pid, exited, stop } = await folder.start();
      return { pid, exited, end: stop, signal: (signal) => signalServer(pid, signal) };
    },
  });
  return Object.create(engine, {
    socketDir: { value: folder.socketDir },
    stop: {
      value: async (withinMs?: number) => {
        await engine.stop(withinMs);
        folder.discard();
      },
    },
  }) as PostgresServer;
}

/** A killed server takes its sessions with it; a frozen one would continue in them, so they are frozen, too. */
function signalServer(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  const all = signal === 'SIGKILL' ? [pid] : [pid, ...childrenOf(pid)];
  for (const one of all) {
    try {
      process.kill(one, signal);
    } catch {
      // it is gone
    }
  }
}

function childrenOf(pid: number): number[] {
  const isChild = (candidate: string) => {
    try {
      // The state and the parent follow the name, which may contain anything.
      return Number(readFileSync(`/proc/${candidate}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]) === pid;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}
