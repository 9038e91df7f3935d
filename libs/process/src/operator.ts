/**
 * The socket of the operator: it answers commands, and as the API does with the operator as the caller. Only the owner
 * of the socket can use it (mode 0600). So other users cannot send anything, and nothing reaches an unknown program on
 * some port (libs/domain/decisions/0007-operator-commands.md).
 */
import fs from 'node:fs';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { DomainError } from '@waypost/domain';
import { CommandMistake, type RunningCommands, type Sent } from '@waypost/operator';
import { isAnswered } from '@waypost/operator/socket';
import { SOCKET_PATH_MAX } from '@waypost/settings';
import { drainServer } from './stop.ts';

export interface OperatorAnswers {
  readonly commands: RunningCommands;
  /** Answers what is no command. */
  readonly api?: RequestListener;
}

/** Returns `name` in `dir`, or if that path is too long for a socket, `name` in a new folder of this user. */
export function socketPathIn(dir: string, name: string): string {
  const file = path.join(dir, name);
  if (Buffer.byteLength(file) <= SOCKET_PATH_MAX) return file;
  return path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-')), name);
}

/** Answers the operator on a unix socket. It replaces the socket of a dead process, never of a running one. */
export async function listenForOperator(
  file: string,
  {
    commands,
    api = (_request, response) => reply(response, refusal(404, 'There is nothing at this path.')),
  }: OperatorAnswers,
  onError: (error: unknown) => void,
): Promise<{ stop(): Promise<void> }> {
  if (fs.existsSync(file)) {
    if (await isAnswered(file)) throw new Error(`another process already answers operator commands on ${file}`);
    fs.rmSync(file);
  }
  // An import takes long to upload and to run, so requests have no time limit.
  const server = http.createServer({ requestTimeout: 0 }, (request, response) => {
    const [, command] = /^\/commands\/([^/?]+)$/.exec(request.url ?? '') ?? [];
    if (command === undefined) return void api(request, response);
    answer(request, command, commands, onError).then(
      (body) => reply(response, body),
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

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const reply = (response: ServerResponse, { status, body }: Answer) =>
  void response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));

/** As an error of the API. */
const refusal = (status: number, message: string, details?: unknown): Answer => ({
  status,
  body: { error: status === 404 ? 'not_found' : 'refused', message, status, details },
});

async function answer(
  request: IncomingMessage,
  command: string,
  commands: RunningCommands,
  onError: (error: unknown) => void,
): Promise<Answer> {
  const options = JSON.parse(await text(request)) as Sent;
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (run === undefined) return refusal(404, `There is no command ${command}.`);
  try {
    return { status: 200, body: await run(options) };
  } catch (error) {
    if (!(error instanceof DomainError || error instanceof CommandMistake)) onError(error);
    const message = error instanceof Error ? error.message : String(error);
    return refusal(422, message, error instanceof DomainError ? error.details : undefined);
  }
}
