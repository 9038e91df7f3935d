import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { preparePostgres } from '../../libs/adapter-embedded/src/postgres.ts';
import { asAdministrator } from '../../libs/postgres/src/index.ts';
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
  /**
   * If present, this is the synchronous standby of that server: no commit there is answered before it is also on the
   * disk here. A new folder gets a copy of that server, with its rules for access; a used one continues.
   */
  readonly standbyOf?: PostgresServer;
}

export interface PostgresServer extends Engine {
  /** The folder of the unix socket. Other users cannot open it. */
  readonly socketDir: string;
  /** Makes a standby the primary. Resolves when it accepts writes. It then waits for no standby. */
  promote(): Promise<void>;
}

const CLOSED = `local all,replication waypost trust
host all all 127.0.0.1/32 scram-sha-256
`;
const REPLICATION = [
  'wal_level=replica',
  'max_wal_senders=4',
  'wal_keep_size=1GB',
  'wal_retrieve_retry_interval=200ms',
];
const STANDBY = 'standby';
/** PostgreSQL starts as a standby while this file exists, and removes it when it is promoted. */
const SIGNAL = 'standby.signal';

/** Runs PostgreSQL on 127.0.0.1 for several processes, with the binaries of the embedded PostgreSQL. */
export async function startPostgresServer({
  dir,
  port: fixedPort,
  closed = false,
  tls,
  standbyOf,
}: PostgresServerOptions): Promise<PostgresServer> {
  const port = fixedPort ?? (await freePort());
  const data = path.resolve(dir, 'data');
  const own = ['listen_addresses=127.0.0.1', `port=${port}`, 'max_connections=200', ...REPLICATION];
  if (standbyOf !== undefined) {
    const { socketDir: host, port } = standbyOf;
    own.push(`primary_conninfo=host=${host} port=${port} user=waypost application_name=${STANDBY}`);
    if (!existsSync(data)) await copyOf(standbyOf, data);
    else if (!existsSync(path.join(data, SIGNAL))) throw new Error(`${data} is a primary, not a standby`);
  }
  if (tls !== undefined) own.push('ssl=on', 'ssl_cert_file=server.crt', 'ssl_key_file=server.key');
  const folder = await preparePostgres(data, own);
  if (closed && standbyOf === undefined)
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
  const administrator = { host: folder.socketDir, port, user: 'waypost' };
  // The standby has its own copy of this setting, so that after its promotion it waits for nobody.
  if (standbyOf !== undefined) {
    const primary = { ...administrator, host: standbyOf.socketDir, port: standbyOf.port };
    await execute(primary, `ALTER SYSTEM SET synchronous_standby_names = '${STANDBY}'`);
    await execute(primary, 'SELECT pg_reload_conf()');
  }
  return Object.create(engine, {
    socketDir: { value: folder.socketDir },
    promote: { value: () => execute(administrator, 'SELECT pg_promote()') },
    stop: {
      value: async (withinMs?: number) => {
        await engine.stop(withinMs);
        folder.discard();
      },
    },
  }) as PostgresServer;
}

function execute(server: Parameters<typeof asAdministrator>[0], sql: string): Promise<void> {
  return asAdministrator(server, 'postgres', async (client) => void (await client.query(sql)));
}

/** What pg_basebackup does. It is not among the binaries, but it only sends this command. */
async function copyOf({ socketDir, port }: PostgresServer, data: string): Promise<void> {
  const backup = path.join(socketDir, 'backup'); // a folder that the server may write to
  const replication = { host: socketDir, port, user: 'waypost', replication: 'true' };
  await execute(replication, `BASE_BACKUP (TARGET 'server', TARGET_DETAIL '${backup}', CHECKPOINT 'fast')`);
  mkdirSync(data, { recursive: true, mode: 0o700 });
  execFileSync('tar', ['--extract', '--no-same-owner', '--file', path.join(backup, 'base.tar'), '--directory', data]);
  rmSync(backup, { recursive: true });
  writeFileSync(path.join(data, SIGNAL), '');
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
