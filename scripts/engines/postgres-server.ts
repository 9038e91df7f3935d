import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { preparePostgres } from '../../libs/adapter-embedded/src/postgres.ts';
import { type Engine, freePort, type Life, startEngine } from './engine.ts';

export interface PostgresServerOptions {
  readonly dir: string;
  /** A free one by default. */
  readonly port?: number;
}

/** PostgreSQL for several processes: the binaries of the embedded one, listening on 127.0.0.1, user `waypost`, no password. */
export async function startPostgresServer({ dir, port: wanted }: PostgresServerOptions): Promise<Engine> {
  const port = wanted ?? (await freePort());
  const folder = await preparePostgres(path.join(dir, 'data'), [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    `port=${port}`,
    'max_connections=200',
  ]);
  folder.discard(); // the folder of the unix socket
  return startEngine({
    name: 'PostgreSQL',
    port,
    async start(): Promise<Life> {
      const { pid, exited, stop } = await folder.start();
      return { pid, exited, end: stop, signal: (signal) => signalServer(pid, signal) };
    },
  });
}

/** A killed server takes its sessions with it; a frozen one would go on in them, so they are frozen with it. */
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
      // After the name, which may hold anything: state, parent.
      return Number(readFileSync(`/proc/${candidate}/stat`, 'utf8').split(') ').at(-1)!.split(' ')[1]) === pid;
    } catch {
      return false;
    }
  };
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isChild(name))
    .map(Number);
}
