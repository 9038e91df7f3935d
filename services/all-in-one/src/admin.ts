/**
 * `waypost admin` sends what it is asked to the process that runs on the data folder. If none runs, it opens the folder
 * itself, without public listeners. Only then does it import the services.
 */
import fs from 'node:fs';
import path from 'node:path';
import { runOperator } from '@waypost/cli/operator';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { running, type Sent } from '@waypost/operator';
import { operatorClient, sendBy } from '@waypost/operator/client';
import { addCommands } from '@waypost/operator/program';
import { isAnswered } from '@waypost/operator/socket';
import { prepareCommands } from '@waypost/prepare';
import { scannerCommands } from '@waypost/scanner/operator-commands';
import { type Environment, readSettings } from '@waypost/settings';
import type { Waypost } from './app.ts';
import { DATA_DIR, FolderInUse, holdsWaypost, RUN_FILE } from './data-dir.ts';
import { folderCommands, restoreCommands } from './folder-commands.ts';
import { secretCommands } from './rotate-visitor-secret.ts';

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
  const { WAYPOST_STACK: stack } = environment;
  // Started when the first message needs it, and used for all messages of this command.
  let here: Waypost | undefined;
  const socketOf = async (service: ServiceName): Promise<string> => {
    if (stack !== undefined) return socketOnStack(stack, service);
    if (here !== undefined) return here.operatorSocket;
    return onFolder(environment, async () => {
      here = await withoutListeners(environment);
      return here.operatorSocket;
    });
  };
  const [linkApi, scanner] = (['link-api', 'scanner'] as const).map((name) => operatorClient(() => socketOf(name)));

  const send = async (name: string, sent: Sent): Promise<unknown> => {
    if (Object.hasOwn(prepareCommands, name)) {
      const run = running(prepareCommands, { ...environment, ...(stack && runningStack(stack).access.prepare) });
      if (name === 'prepare' || stack !== undefined || namesEngines(environment)) return run[name]!(sent);
    }
    if (stack !== undefined && Object.hasOwn(secretCommands, name))
      throw new Error(
        `${name} works with npm start only. For separate processes, change VISITOR_SECRET: deploy/run.md`,
      );
    if (COPIES.has(name) && stack === undefined) expectWaypost(readSettings({ DATA_DIR }, environment).dataDir);
    if (Object.hasOwn(restoreCommands, name)) return running(restoreCommands, await configOf(environment))[name]!(sent);
    return sendBy(Object.hasOwn(scannerCommands, name) ? scanner! : linkApi!)(name, sent);
  };
  try {
    return await runOperator(argv, environment, {
      api: linkApi!,
      addCommands: (admin) => addCommands(admin, commands, send),
    });
  } finally {
    await here?.stop();
  }
}

/** They write files, in place of earlier ones, from what is stored. */
const COPIES: ReadonlySet<string> = new Set(['backup', 'export-revoked', 'export-redirects']);

/** Otherwise they would create an empty Waypost, and copy it. */
function expectWaypost(dataDir: string): void {
  if (!holdsWaypost(dataDir)) throw new Error(`there is no Waypost in ${dataDir}. Set DATA_DIR to its data folder.`);
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

async function onFolder(environment: Environment, openHere: () => Promise<string>): Promise<string> {
  const { dataDir } = readSettings({ DATA_DIR }, environment);
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const socket = await socketOfRunning(dataDir);
    if (socket !== undefined) return socket;
    try {
      return await openHere();
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

async function socketOfRunning(dataDir: string): Promise<string | undefined> {
  let socket: unknown;
  try {
    socket = JSON.parse(fs.readFileSync(path.join(dataDir, RUN_FILE), 'utf8')).operator;
  } catch {
    return undefined;
  }
  if (typeof socket !== 'string' || !isOurSocket(socket, dataDir)) return undefined;
  return (await isAnswered(socket)) ? socket : undefined;
}

/** `WAYPOST_STACK=DIR` selects the separate processes of `npm run stack`. */
function socketOnStack(dir: string, service: ServiceName): string {
  const socket = runningStack(dir).operator[service];
  if (isOurSocket(socket, dir)) return socket;
  throw new Error(`the stack on ${dir} does not answer`);
}

type ServiceName = 'link-api' | 'scanner';

interface RunningStack {
  /** The socket of each. */
  readonly operator: Readonly<Record<ServiceName, string>>;
  /** The settings with the address of each engine, by the name of the process that uses them. */
  readonly access: Readonly<Record<string, NodeJS.ProcessEnv>>;
}

function runningStack(dir: string): RunningStack {
  try {
    return JSON.parse(fs.readFileSync(path.join(dir, 'stack.json'), 'utf8'));
  } catch {
    throw new Error(`no stack runs on ${dir}. Start it: npm run stack -- --data ${dir}`);
  }
}

/**
 * A killed process leaves its socket path behind, and another user may have taken it since. The folder may be on a
 * volume of another user, so that user's socket is accepted, too.
 */
function isOurSocket(socket: string, dir: string): boolean {
  const stat = fs.lstatSync(socket, { throwIfNoEntry: false });
  return stat?.isSocket() === true && [fs.statSync(dir).uid, process.getuid?.()].includes(stat.uid);
}
