/**
 * An engine as a real process on loopback, for tests and `npm run stack`: it can be started, broken in the ways engines
 * break (killed, frozen), and stopped. None outlives the process that started it, however that ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

export interface Engine {
  readonly name: string;
  /** Of the running process; changes with `restart`. */
  readonly pid: number;
  readonly port: number;
  /** Resolves when the running process ends, for any reason. */
  readonly exited: Promise<void>;
  /** Stops it gracefully, and kills it after this time; resolves when it is gone. */
  stop(withinMs?: number): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: it keeps its connections and does not respond. */
  pause(): void;
  resume(): void;
  /** Restarts it on its data, whether it has ended or not; resolves when it is ready. */
  restart(): Promise<void>;
}

/** One run of an engine's process. */
export interface ProcessRun {
  readonly pid: number;
  readonly exited: Promise<void>;
  /** Requests a graceful stop. */
  end(): void;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

export interface EngineSpec {
  readonly name: string;
  readonly port: number;
  /** Resolves when the engine is ready. */
  readonly start: () => Promise<ProcessRun>;
  /** After this time it is killed, unless `stop` is called with another. */
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

/** A busy machine may run a thread for a moment after the signal; the caller may rely on silence. */
function untilStopped(pid: number): void {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 500 && !isStopped(pid); tries++) Atomics.wait(moment, 0, 0, 2);
}

function isStopped(pid: number): boolean {
  try {
    const threads = fs.readdirSync(`/proc/${pid}/task`);
    // The state follows the name, which may contain anything.
    return threads.every((id) => /\) [Tt] [^)]*$/.test(fs.readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')));
  } catch {
    return true; // it is gone, or there is no /proc
  }
}

export interface ProgramSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Receives the output of the program. */
  readonly logFile: string;
  readonly endSignal?: 'SIGTERM' | 'SIGINT';
  /** Resolves to whether the program is ready; polled until it is. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
}

/** Starts a program and waits until it is ready. */
export async function startProgram(spec: ProgramSpec): Promise<ProcessRun> {
  const { name, command, args, logFile, endSignal = 'SIGTERM' } = spec;
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.openSync(logFile, 'a', 0o600);
  // `detached`: a terminal's Ctrl-C goes to our process, which then stops the program gracefully.
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

/**
 * A shell that waits for the end of its standard input, which means the end of this process, and then kills the child.
 */
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

/** Whether the server on this port answers `question` with data that begins with `answer`. */
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

/** Whether any process accepts connections on this port. */
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
 * A free port on loopback, another one with each call. It is below those that systems give to outgoing connections: one
 * of these could have it before its server listens. Another program may take it first, so `npm run stack` uses fixed ports.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_240 + Math.floor(Math.random() * 20_000);
    if (handedOut.has(port)) continue;
    handedOut.add(port);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** The first of these programs on PATH. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch {
        // try the next one
      }
    }
  }
  return undefined;
}
