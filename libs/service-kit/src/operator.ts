/**
 * The operator commands: one table for both ways in, a unix socket of the running process and the command line while
 * nothing runs. The socket is a file of one user with mode 0600: who may not open it sends nothing, and what listens on
 * some port is never told anything (libs/domain/decisions/0007-operator-commands-run-in-the-process.md).
 */
import fs from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DomainError } from '@waypost/domain';
import { drainServer } from './stop.ts';

/** What a command was given, by the names of its options; the file of `import-feed` as its content. */
export type OperatorOptions = Readonly<Record<string, string | boolean | undefined>>;
export type OperatorCommand = (options: OperatorOptions) => Promise<unknown>;
export type OperatorCommands = Readonly<Record<string, OperatorCommand>>;

export interface OperatorFailure {
  readonly message: string;
  readonly details?: unknown;
}

/** A command that takes these options; another one is an error, not something to overlook. */
export function takes(names: readonly string[], run: OperatorCommand): OperatorCommand {
  return async (options) => {
    const unknown = Object.keys(options).find((name) => options[name] !== undefined && !names.includes(name));
    if (unknown !== undefined) {
      const known = names.map((name) => `--${name}`).join(', ') || 'none';
      throw new Error(`there is no option --${unknown.slice(0, 100)}; the options of this command: ${known}`);
    }
    return run(options);
  };
}

/** The text of an option; throws if it is missing. */
export function textOption(options: OperatorOptions, name: string): string {
  const value = options[name];
  if (value === true) throw new Error(`--${name} needs a value`);
  if (typeof value !== 'string') throw new Error(`--${name} is missing`);
  return value;
}

/** Whether a flag was given; throws if it has a value. */
export function flagOption(options: OperatorOptions, name: string): boolean {
  const value = options[name];
  if (typeof value === 'string') throw new Error(`--${name} takes no value`);
  return value === true;
}

export function failureOf(error: unknown): OperatorFailure {
  const message = error instanceof Error ? error.message : String(error);
  const details = error instanceof DomainError ? error.details : undefined;
  return details === undefined ? { message } : { message, details };
}

/** The kernel's limit for the path of a socket is 108 bytes on Linux, 104 elsewhere. */
export const SOCKET_PATH_MAX = 100;

/** `name` in `dir`, or, where that path is too long for a socket, in a new temporary folder of this user alone. */
export function socketPathIn(dir: string, name: string): string {
  const file = path.join(dir, name);
  if (Buffer.byteLength(file) <= SOCKET_PATH_MAX) return file;
  return path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-')), name);
}

/** Answers operator commands on a unix socket. What an earlier process left there is replaced; a living one is not. */
export async function listenForOperator(
  file: string,
  commands: OperatorCommands,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  if (fs.existsSync(file)) {
    if (await isAnswered(file)) throw new Error(`another process answers operator commands on ${file}`);
    fs.rmSync(file);
  }
  // An import is long in coming and in its work.
  const server = http.createServer({ requestTimeout: 0 }, (request, response) => {
    answer(request, commands, onError).then(
      ({ status, body }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' });
        response.end(JSON.stringify(body));
      },
      (error: unknown) => {
        onError(error);
        response.destroy();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(file, resolve);
    // `listen` has made the file; nobody is answered before this line is done.
    if (fs.existsSync(file)) fs.chmodSync(file, 0o600);
  });
  return { stop: () => drainServer(server) };
}

function isAnswered(file: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(file);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => (isNobody(error) ? resolve(false) : reject(error)));
  });
}

const isNobody = ({ code }: NodeJS.ErrnoException) => code === 'ECONNREFUSED' || code === 'ENOENT';

async function answer(
  request: IncomingMessage,
  commands: OperatorCommands,
  onError: (error: unknown) => void,
): Promise<{ status: number; body: { result: unknown } | OperatorFailure }> {
  const { command, options } = JSON.parse(await text(request)) as { command: string; options: OperatorOptions };
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (run === undefined) return { status: 404, body: { message: `there is no command ${command}` } };
  try {
    return { status: 200, body: { result: await run(options) } };
  } catch (error) {
    if (!(error instanceof DomainError)) onError(error);
    return { status: 422, body: failureOf(error) };
  }
}

export type OperatorAnswer = { readonly result: unknown } | { readonly failure: OperatorFailure };

/** Sends a command to the process that listens on this socket; undefined if none does. Rejects if it breaks off. */
export function askOperator(
  file: string,
  command: string,
  options: OperatorOptions,
): Promise<OperatorAnswer | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: file, method: 'POST', path: '/', agent: false }, (response) => {
      text(response)
        .then((body) => {
          const said = JSON.parse(body);
          resolve(response.statusCode === 200 ? { result: said.result } : { failure: said });
        })
        .catch(reject);
    });
    request.once('error', (error) => (isNobody(error) ? resolve(undefined) : reject(error)));
    request.end(JSON.stringify({ command, options }));
  });
}
