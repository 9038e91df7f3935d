/**
 * Runs an engine as a real process on loopback, for tests and `npm run stack`. A caller can start and stop it, and
 * break it as engines break: killed or frozen. It ends when the process that started it ends, for any reason.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

export interface Engine {
  readonly name: string;
  /** The id of the running process. `restart` changes it. */
  readonly pid: number;
  readonly port: number;
  readonly exited: Promise<void>;
  /** Stops the engine gracefully, and kills it after `withinMs`. Resolves when it has ended. */
  stop(withinMs?: number): Promise<void>;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGSTOP: the engine keeps its connections and does not respond. */
  pause(): void;
  resume(): void;
  /** Restarts the engine on its data, even while it runs. Resolves when it is ready. */
  restart(): Promise<void>;
}

export interface ProcessRun {
  readonly pid: number;
  readonly exited: Promise<void>;
  end(): void;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

export interface EngineSpec {
  readonly name: string;
  readonly port: number;
  readonly start: () => Promise<ProcessRun>;
  /** In milliseconds. */
  readonly stopWithinMs?: number;
}

export async function startEngine({ name, port, start, stopWithinMs = 10_000 }: EngineSpec): Promise<Engine> {
  let run = await start();

  async function stop(withinMs = stopWithinMs): Promise<void> {
    const { exited, end, signal } = run;
    signal('SIGCONT');
    end();
    const late = setTimeout(() => signal('SIGKILL'), withinMs);
    await exited;
    clearTimeout(late);
  }

  async function kill(): Promise<void> {
    run.signal('SIGKILL');
    await run.exited;
  }

  return {
    name,
    port,
    get pid() {
      return run.pid;
    },
    get exited() {
      return run.exited;
    },
    stop,
    kill,
    pause: () => {
      run.signal('SIGSTOP');
      untilStopped(run.pid);
    },
    resume: () => run.signal('SIGCONT'),
    async restart() {
      await stop();
      run = await start();
    },
  };
}

/** Waits until every thread has stopped, because a busy machine may run one for a moment after the signal. */
function untilStopped(pid: number): void {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 500 && !isStopped(pid); tries++) Atomics.wait(moment, 0, 0, 2);
}

function isStopped(pid: number): boolean {
  try {
    const threads = fs.readdirSync(`/proc/${pid}/task`);
    // The state follows the program's name, which may contain any character.
    return threads.every((id) => /\) [Tt] [^)]*$/.test(fs.readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')));
  } catch {
    return true; // The process has ended, or this system has no /proc.
  }
}

export interface ProgramSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly endSignal?: 'SIGTERM' | 'SIGINT';
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
}

export async function startProgram(spec: ProgramSpec): Promise<ProcessRun> {
  const { name, command, args, logFile, endSignal = 'SIGTERM' } = spec;
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.openSync(logFile, 'a', 0o600);
  // With `detached`, Ctrl-C in a terminal reaches only our process, which then stops the program gracefully.
  const child = spawn(command, args, { stdio: ['ignore', log, log], detached: true, env: spec.env ?? process.env });
  fs.closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (cause) => reject(new Error(`${name} cannot be started: ${command}`, { cause })));
    child.once('exit', (code, signal) =>
      reject(
        new Error(
          `${name} ended by ${signal ?? `code ${code}`} before it was ready; ${logFile} ends with: ${lastLines(logFile)}`,
        ),
      ),
    );
  });
  failed.catch(() => undefined);
  await Promise.race([spawned(child), failed]);
  diesWithUs(child);
  const run: ProcessRun = {
    pid: child.pid!,
    exited,
    end: () => void child.kill(endSignal),
    signal: (signal) => void child.kill(signal),
  };
  try {
    await Promise.race([untilReady(spec), failed]);
    return run;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** Starts a shell that kills the child when the shell's standard input closes, because then this process has ended. */
export function diesWithUs(child: ChildProcess): void {
  const guard = spawn('/bin/sh', ['-c', 'read -r _; kill -KILL "$0"', String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  guard.stdin?.on('error', () => undefined);
  guard.on('error', () => undefined);
  guard.unref();
  (guard.stdin as net.Socket | null)?.unref?.();
  child.once('exit', () => guard.kill('SIGKILL'));
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => child.once('spawn', () => resolve()));
}

async function untilReady({ name, isReady, readyWithinMs, logFile }: ProgramSpec): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (!(await isReady().catch(() => false))) {
    if (performance.now() > deadline) {
      throw new Error(`${name} cannot be used after ${readyWithinMs} ms; ${logFile} ends with: ${lastLines(logFile)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export function lastLines(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').trim().split('\n').slice(-5).join(' | ');
  } catch {
    return '(nothing)';
  }
}

/** Resolves to whether the server on this port answers `question` with data that begins with `answer`. */
export function answersOn(port: number, question: string, answer: string, withinMs = 500): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(question));
    const done = (isThere: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(isThere);
    };
    const timer = setTimeout(() => done(false), withinMs);
    socket.once('data', (data) => done(data.toString('latin1').startsWith(answer)));
    socket.once('error', () => done(false));
    socket.once('close', () => done(false));
  });
}

export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

const handedOut = new Set<number>();

/**
 * Resolves to a free port on loopback. While this process lives, no other call in any process resolves to it. It is
 * below the range of outgoing connections, so that none takes it before the server listens. A program that does not
 * call this may still take it, so `npm run stack` uses fixed ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 20_000);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if ((await claim(port)) && (await isFree(port))) return port;
  }
}

/**
 * Resolves to false if another process has claimed this port. An abstract socket of Linux has one owner and ends with
 * its process. On other systems this resolves to true, so only the ports of one process differ.
 */
function claim(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const owner = net.createServer().unref();
    owner.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'EADDRINUSE'));
    owner.listen(`\0waypost-port-${port}`, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Returns undefined if none of these programs is on PATH. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch {
        // The program is not in this folder.
      }
    }
  }
  return undefined;
}
