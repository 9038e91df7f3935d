/**
 * There are two ways to send operator commands: over a unix socket to a running process, or on the command line if none
 * runs. Only the owner of the socket can use it (mode 0600). So other users cannot send commands, and no command
 * reaches an unknown program on some port (libs/domain/decisions/0007-operator-commands.md).
 */
import fs from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CommandMistake,
  type OperatorCommands,
  type RunningCommands,
  runAdmin,
  type Sent,
} from '@waypost/command-line';
import { DomainError } from '@waypost/domain';
import { type Environment, SOCKET_PATH_MAX } from '@waypost/settings';
import { drainServer } from './stop.ts';

/** Returns `name` in `dir`, or if that path is too long for a socket, `name` in a new folder of this user. */
export function socketPathIn(dir: string, name: string): string {
  const file = path.join(dir, name);
  if (Buffer.byteLength(file) <= SOCKET_PATH_MAX) return file;
  return path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-')), name);
}

/** Answers operator commands on a unix socket. It replaces the socket of a dead process, never of a running one. */
export async function listenForOperator(
  file: string,
  commands: RunningCommands,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  if (fs.existsSync(file)) {
    if (await isAnswered(file)) throw new Error(`another process answers operator commands on ${file}`);
    fs.rmSync(file);
  }
  // An import takes long to upload and to run, so requests have no time limit.
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
    // `listen` has just created the file. No request is answered before its mode is set.
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
  commands: RunningCommands,
  onError: (error: unknown) => void,
): Promise<{ status: number; body: object }> {
  const { command, options } = JSON.parse(await text(request)) as { command: string; options: Sent };
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (run === undefined) return { status: 404, body: { message: `there is no command ${command}` } };
  try {
    return { status: 200, body: { result: await run(options) } };
  } catch (error) {
    if (!(error instanceof DomainError || error instanceof CommandMistake)) onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return { status: 422, body: { message, details: error instanceof DomainError ? error.details : undefined } };
  }
}

export class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
  readonly details: unknown;

  constructor({ message, details }: { readonly message: string; readonly details?: unknown }) {
    super(message);
    this.details = details;
  }
}

/**
 * Sends a command to the process that listens on this socket. Resolves to undefined if there is none. Rejects with
 * `CommandRefused` if the process refuses, and with another error if the connection breaks.
 */
export function askOperator(file: string, command: string, sent: Sent): Promise<{ result: unknown } | undefined> {
  return new Promise((resolve, reject) => {
    const request = http.request({ socketPath: file, method: 'POST', path: '/', agent: false }, (response) => {
      text(response)
        .then((body) => {
          const answer = JSON.parse(body);
          if (response.statusCode !== 200) throw new CommandRefused(answer);
          resolve({ result: answer.result });
        })
        .catch(reject);
    });
    request.once('error', (error) => (isNobody(error) ? resolve(undefined) : reject(error)));
    request.end(JSON.stringify({ command, options: sent }));
  });
}

/** Runs `waypost` in the container of a service, with its `admin` commands. Resolves to the exit code. */
export function runInContainer(
  commands: OperatorCommands<never>,
  [first, ...rest]: readonly string[] = process.argv.slice(2),
  { OPERATOR_SOCKET: socket = 'none' }: Environment = process.env,
): Promise<number> {
  return runAdmin(first === 'admin' ? rest : [], commands, async (name, sent) => {
    if (socket === 'none') throw new Error('OPERATOR_SOCKET is none: this container answers no operator commands');
    const answer = await askOperator(socket, name, sent);
    if (answer === undefined) throw new Error(`nobody answers on ${socket}`);
    return answer.result;
  });
}
