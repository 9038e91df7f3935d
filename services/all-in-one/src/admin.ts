/**
 * `waypost admin <command>`: sends the command to the process that runs on the data folder. If none runs, it opens the
 * folder itself, without listeners.
 */
import fs from 'node:fs';
import path from 'node:path';
import { runAdmin, running, type Sent } from '@waypost/command-line';
import { linkApiCommands } from '@waypost/link-api';
import { prepareCommands } from '@waypost/prepare';
import { askOperator, CommandRefused } from '@waypost/process';
import { scannerCommands } from '@waypost/scanner';
import { startWaypost, type Waypost } from './app.ts';
import { type Config, readConfig } from './config.ts';
import { FolderInUse } from './engines.ts';
import { RUN_FILE } from './listeners.ts';

/** Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runOperatorCommand(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const onEngines = running(prepareCommands, environment);
  const commands = { ...linkApiCommands, ...scannerCommands, ...prepareCommands };
  const here = new StartedHere();
  try {
    return await runAdmin(argv, commands, (name, sent) => {
      const { WAYPOST_STACK: stack } = environment;
      if (Object.hasOwn(onEngines, name)) return onEngines[name]!(sent);
      return stack === undefined ? onFolder(here, readConfig(environment), name, sent) : onStack(stack, name, sent);
    });
  } finally {
    await here.stop();
  }
}

/** Waypost without listeners, started when the first message needs it and kept for the others of this command. */
class StartedHere {
  #waypost: Waypost | undefined;

  async run(config: Config, name: string, sent: Sent): Promise<unknown> {
    this.#waypost ??= await startWaypost({ ...config, logLevel: 'error' }, { listeners: false });
    return this.#waypost.operator[name]!(sent);
  }

  async stop(): Promise<void> {
    await this.#waypost?.stop();
  }
}

/** How long to wait for a process that starts or stops: it locks the folder and does not answer. */
const WAIT_MS = 60_000;

async function onFolder(here: StartedHere, config: Config, name: string, sent: Sent): Promise<unknown> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await askRunning(config, name, sent);
    if (answer !== undefined) return answer.result;
    try {
      return await here.run(config, name, sent);
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

/** `WAYPOST_STACK=DIR`: the separate processes of `npm run stack`, each with its own commands. */
async function onStack(dir: string, name: string, sent: Sent): Promise<unknown> {
  let sockets: Readonly<Record<string, string>>;
  try {
    sockets = JSON.parse(fs.readFileSync(path.join(dir, 'stack.json'), 'utf8')).operator;
  } catch {
    throw new Error(`no stack runs on ${dir}: start it with npm run stack -- --data ${dir}`);
  }
  const answer = await ask(sockets[name]!, dir, name, sent);
  if (answer === undefined) throw new Error(`the stack on ${dir} does not answer`);
  return answer.result;
}

/** Undefined if no process answers on this data folder. */
async function askRunning({ dataDir }: Config, name: string, sent: Sent): Promise<{ result: unknown } | undefined> {
  let socket: unknown;
  try {
    socket = JSON.parse(fs.readFileSync(path.join(dataDir, RUN_FILE), 'utf8')).operator;
  } catch {
    return undefined;
  }
  return typeof socket === 'string' ? ask(socket, dataDir, name, sent) : undefined;
}

/** A killed process leaves the path of its socket behind. Nobody answers there, or another user has the path by now. */
async function ask(socket: string, dir: string, name: string, sent: Sent): Promise<{ result: unknown } | undefined> {
  if (!isOurSocket(socket, dir)) return undefined;
  return askOperator(socket, name, sent).catch((error: Error) => {
    throw error instanceof CommandRefused
      ? error
      : new Error(`the running Waypost did not answer: ${error.message}`, { cause: error });
  });
}

/** Whether the path is a socket of the data folder's owner. */
function isOurSocket(socket: string, dir: string): boolean {
  const stat = fs.lstatSync(socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && stat.uid === fs.statSync(dir).uid;
}
