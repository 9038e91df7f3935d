import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { preparePostgres } from '../../libs/adapter-embedded/src/postgres.ts';
import { type Engine, freePort, type ProcessRun, startEngine } from './engine.ts';

export interface PostgresServerOptions {
  readonly dir: string;
  /** If absent, a free port is used. */
  readonly port?: number;
  /**
   * If true, TCP requires a password. The administrator `waypost` has no password and connects only through the unix
   * socket.
   */
  readonly closed?: boolean;
  /** Paths of PEM files. If present, TCP requires TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export interface PostgresServer extends Engine {
  /** The folder of the unix socket. Other users cannot open it. */
  readonly socketDir: string;
}

const CLOSED = `local all waypost trust
host all all 127.0.0.1/32 scram-sha-256
`;

/** Runs PostgreSQL on 127.0.0.1 for several processes, with the binaries of the embedded PostgreSQL. */
export async function startPostgresServer({
  dir,
  port: fixedPort,
  closed = false,
  tls,
}: PostgresServerOptions): Promise<PostgresServer> {
  const port = fixedPort ?? (await freePort());
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
      const { uid, gid } = statSync(data); // The server may run as another user, who owns the folder.
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

/** A killed server ends its sessions. A stopped server's sessions would continue, so they get the signal, too. */
function signalServer(pid: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  const all = signal === 'SIGKILL' ? [pid] : [pid, ...childrenOf(pid)];
  for (const one of all) {
    try {
      process.kill(one, signal);
    } catch {
      // The process has ended.
    }
  }
}

function childrenOf(pid: number): number[] {
  const isChild = (candidate: string) => {
    try {
      // The state and the parent's id follow the program's name, which may contain any character.
      return Number(readFileSync(`/proc/${candidate}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]) === pid;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}
