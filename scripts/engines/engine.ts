/**
 * An engine as a real process on loopback, for tests and `npm run stack`: something to start, to break in the ways
 * engines break (killed, frozen), and to stop. None outlives the process that started it, however that ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';

export interface Engine {
  readonly name: string;
  /** Of the running process; another one after `restart`. */
  readonly pid: number;
  readonly port: number;
  /** Resolves when the running process ends, whoever ended it. */
  readonly exited: Promise<void>;
  /** Ends it in order; resolves when it is gone. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGSTOP: it keeps its connections and answers nothing. */
  pause(): void;
  resume(): void;
  /** Starts it again on its data, ended or not; resolves when it can be used. */
  restart(): Promise<void>;
}

/** One life of an engine. */
export interface Life {
  readonly pid: number;
  readonly exited: Promise<void>;
  /** Asks it to end in order. */
  end(): void;
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

export interface EngineSpec {
  readonly name: string;
  readonly port: number;
  /** Resolves when it can be used. */
  readonly start: () => Promise<Life>;
  /** After this it is killed. */
  readonly stopWithinMs?: number;
}

export async function startEngine({ name, port, start, stopWithinMs = 10_000 }: EngineSpec): Promise<Engine> {
  let life = await start();

  async function stop(): Promise<void> {
    const { exited, end, signal } = life;
    signal('SIGCONT');
    end();
    const late = setTimeout(() => signal('SIGKILL'), stopWithinMs);
    await exited;
    clearTimeout(late);
  }

  async function kill(): Promise<void> {
    life.signal('SIGKILL');
    await life.exited;
  }

  return {
    name,
    port,
    get pid() {
      return life.pid;
    },
    get exited() {
      return life.exited;
    },
    stop,
    kill,
    pause: () => {
      life.signal('SIGSTOP');
      untilStopped(life.pid);
    },
    resume: () => life.signal('SIGCONT'),
    async restart() {
      await stop();
      life = await start();
    },
  };
}

/** A busy machine may run a thread for a moment after the signal: whoever froze it may rely on its silence. */
function untilStopped(pid: number): void {
  const moment = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 500 && !isStopped(pid); tries++) Atomics.wait(moment, 0, 0, 2);
}

function isStopped(pid: number): boolean {
  try {
    const threads = fs.readdirSync(`/proc/${pid}/task`);
    // After the name, which may hold anything: the state.
    return threads.every((id) => /\) [Tt] [^)]*$/.test(fs.readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')));
  } catch {
    return true; // it is gone, or there is no /proc to ask
  }
}

export interface ProgramSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Takes what the program prints. */
  readonly logFile: string;
  readonly endSignal?: 'SIGTERM' | 'SIGINT';
  /** Resolves to whether it can be used; asked again until it can. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
}

/** Starts a program and waits until it can be used. */
export async function startProgram(spec: ProgramSpec): Promise<Life> {
  const { name, command, args, logFile, endSignal = 'SIGTERM' } = spec;
  fs.mkdirSync(path.dirname(logFile), { recursive: true });
  const log = fs.openSync(logFile, 'a', 0o600);
  // `detached`: a terminal's Ctrl-C goes to who started it, which then stops it in order.
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
  const life: Life = {
    pid: child.pid!,
    exited,
    end: () => void child.kill(endSignal),
    signal: (signal) => void child.kill(signal),
  };
  try {
    await Promise.race([untilReady(spec), failed]);
    return life;
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
}

/** A shell that waits for the end of its standard input, which is the end of this process, and then kills the child. */
function diesWithUs(child: ChildProcess): void {
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

/** Whether the server on this port answers `question` with something that begins with `answer`. */
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

/** Whether somebody takes connections on this port. */
export function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** A free port on loopback. Another program may take it first: fixed ports are for `npm run stack`. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as net.AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** The first of these programs that is on PATH. */
export function findProgram(...names: readonly string[]): string | undefined {
  const folders = [...(process.env.PATH ?? '').split(path.delimiter), '/usr/local/bin', '/usr/bin', '/usr/sbin'];
  for (const name of names) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      try {
        fs.accessSync(file, fs.constants.X_OK);
        return file;
      } catch {
        // the next one
      }
    }
  }
  return undefined;
}
