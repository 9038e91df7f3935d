/**
 * `waypost admin <command>` sends the command to the process that runs on the data folder. If none runs, it opens the
 * folder itself, without listeners. Only then does it import the services.
 */
import fs from 'node:fs';
import path from 'node:path';
import { runAdmin, running, type Sent } from '@waypost/command-line';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { prepareCommands } from '@waypost/prepare';
import { askOperator, CommandRefused } from '@waypost/process/operator';
import { scannerCommands } from '@waypost/scanner/operator-commands';
import { type Environment, readSettings } from '@waypost/settings';
import type { Waypost } from './app.ts';
import { DATA_DIR, FolderInUse, RUN_FILE } from './data-dir.ts';
import { folderCommands, restoreCommands } from './folder-commands.ts';
import { secretCommands } from './rotate-visitor-secret.ts';

type Run = (name: string, sent: Sent) => Promise<unknown>;

/** Resolves to the exit code: 0, or 1 for an error, or 2 for wrong usage. */
export async function runOperatorCommand(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  // Other users must not read the files that a command writes.
  process.umask(0o077);
  const commands = {
    ...linkApiCommands,
    ...scannerCommands,
    ...folderCommands,
    ...secretCommands,
    ...restoreCommands,
    ...prepareCommands,
  };
  // Started when the first message needs it, and used for all messages of this command.
  let here: Waypost | undefined;
  const runHere: Run = async (name, sent) => {
    here ??= await withoutListeners(environment);
    return here.operator[name]!(sent);
  };
  try {
    return await runAdmin(argv, commands, async (name, sent) => {
      const { WAYPOST_STACK: stack } = environment;
      if (Object.hasOwn(prepareCommands, name) && (name === 'prepare' || namesEngines(environment)))
        return running(prepareCommands, environment)[name]!(sent);
      if (stack !== undefined) return onStack(stack, name, sent, environment);
      if (Object.hasOwn(restoreCommands, name))
        return running(restoreCommands, await configOf(environment))[name]!(sent);
      return onFolder(runHere, environment, name, sent);
    });
  } finally {
    await here?.stop();
  }
}

/** With such a setting the data is in separate engines, and a backup of the data folder would not contain it. */
const namesEngines = (environment: NodeJS.ProcessEnv) =>
  ['DATABASE_URL', 'DATABASE_URL_FILE', 'CLICKHOUSE_URL', 'CLICKHOUSE_URL_FILE'].some((name) => name in environment);

const configOf = async (environment: Environment) => (await import('./config.ts')).readConfig(environment);

async function withoutListeners(environment: Environment): Promise<Waypost> {
  const [{ startWaypost }, config] = await Promise.all([import('./app.ts'), configOf(environment)]);
  return startWaypost({ ...config, logLevel: 'error' }, { listeners: false });
}

/** A process that starts or stops holds the lock of the folder but does not answer, so we wait for it. */
const WAIT_MS = 60_000;

async function onFolder(runHere: Run, environment: Environment, name: string, sent: Sent): Promise<unknown> {
  const { dataDir } = readSettings({ DATA_DIR }, environment);
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const answer = await askRunning(dataDir, name, sent);
    if (answer !== undefined) return answer.result;
    try {
      return await runHere(name, sent);
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

/** `WAYPOST_STACK=DIR` selects the separate processes of `npm run stack`. Each has its own commands. */
async function onStack(dir: string, name: string, sent: Sent, environment: NodeJS.ProcessEnv): Promise<unknown> {
  const { operator, access } = runningStack(dir);
  if (Object.hasOwn(prepareCommands, name))
    return running(prepareCommands, { ...environment, ...access.prepare })[name]!(sent);
  if (Object.hasOwn(secretCommands, name))
    throw new Error(`${name} is for npm start; separate processes rotate theirs by VISITOR_SECRET: deploy/run.md`);
  const answer = await ask(operator[name]!, dir, name, sent);
  if (answer === undefined) throw new Error(`the stack on ${dir} does not answer`);
  return answer.result;
}

interface RunningStack {
  readonly operator: Readonly<Record<string, string>>;
  /** The settings with the address of each engine, by the name of the process that uses them. */
  readonly access: Readonly<Record<string, NodeJS.ProcessEnv>>;
}

function runningStack(dir: string): RunningStack {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, 'stack.json'), 'utf8'));
  } catch {
    throw new Error(`no stack runs on ${dir}: start it with npm run stack -- --data ${dir}`);
  }
}

async function askRunning(dataDir: string, name: string, sent: Sent): Promise<{ result: unknown } | undefined> {
  let socket: unknown;
  try {
    socket = JSON.parse(fs.readFileSync(path.join(dataDir, RUN_FILE), 'utf8')).operator;
  } catch {
    return undefined;
  }
  return typeof socket === 'string' ? ask(socket, dataDir, name, sent) : undefined;
}

/** A killed process leaves its socket path behind. Nobody may answer there, or another user may have taken the path. */
async function ask(socket: string, dir: string, name: string, sent: Sent): Promise<{ result: unknown } | undefined> {
  if (!isOurSocket(socket, dir)) return undefined;
  return askOperator(socket, name, sent).catch((error: Error) => {
    throw error instanceof CommandRefused
      ? error
      : new Error(`the running Waypost did not answer: ${error.message}`, { cause: error });
  });
}

/** The folder may be on a volume of another user, so that user's socket is accepted, too. */
function isOurSocket(socket: string, dir: string): boolean {
  const stat = fs.lstatSync(socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && [fs.statSync(dir).uid, process.getuid?.()].includes(stat.uid);
}
