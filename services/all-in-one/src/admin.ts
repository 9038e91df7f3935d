/**
 * `waypost admin <command>`: sends the command to the process that runs on the data folder. If none runs, it opens the
 * folder itself, without listeners. Only that imports the product; the table of commands has what the others need.
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

/** Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runOperatorCommand(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  // Nobody else may read what a command writes.
  process.umask(0o077);
  const commands = {
    ...linkApiCommands,
    ...scannerCommands,
    ...folderCommands,
    ...secretCommands,
    ...restoreCommands,
    ...prepareCommands,
  };
  // Without listeners, started when the first message needs it and kept for the others of this command.
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

/** By any setting of them: a backup of the data folder instead would have nothing of theirs. */
const namesEngines = (environment: NodeJS.ProcessEnv) =>
  ['DATABASE_URL', 'DATABASE_URL_FILE', 'CLICKHOUSE_URL', 'CLICKHOUSE_URL_FILE'].some((name) => name in environment);

const configOf = async (environment: Environment) => (await import('./config.ts')).readConfig(environment);

async function withoutListeners(environment: Environment): Promise<Waypost> {
  const [{ startWaypost }, config] = await Promise.all([import('./app.ts'), configOf(environment)]);
  return startWaypost({ ...config, logLevel: 'error' }, { listeners: false });
}

/** How long to wait for a process that starts or stops: it locks the folder and does not answer. */
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

/** `WAYPOST_STACK=DIR`: the separate processes of `npm run stack`, each with its own commands. */
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

/** What `npm run stack` writes into its folder. */
interface RunningStack {
  /** The socket for each operator command. */
  readonly operator: Readonly<Record<string, string>>;
  /** The addresses of the engines, with the user of each process. */
  readonly access: Readonly<Record<string, NodeJS.ProcessEnv>>;
}

function runningStack(dir: string): RunningStack {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, 'stack.json'), 'utf8'));
  } catch {
    throw new Error(`no stack runs on ${dir}: start it with npm run stack -- --data ${dir}`);
  }
}

/** Undefined if no process answers on this data folder. */
async function askRunning(dataDir: string, name: string, sent: Sent): Promise<{ result: unknown } | undefined> {
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

/** Whether the path is a socket of the data folder's owner, or ours: a volume's owner may be anybody. */
function isOurSocket(socket: string, dir: string): boolean {
  const stat = fs.lstatSync(socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && [fs.statSync(dir).uid, process.getuid?.()].includes(stat.uid);
}
