/**
 * `waypost admin <command>`: sends the command to the process that runs on the data folder, or, while none runs, opens
 * the folder itself without serving anything.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { safeJson, safeText } from '@waypost/cli';
import { askOperator, failureOf, type OperatorFailure, type OperatorOptions } from '@waypost/service-kit';
import { type Config, readConfig } from './config.ts';
import { FolderInUse, RUN_FILE, startWaypost } from './main.ts';

interface CommandLine {
  readonly usage: string;
  /** Options that take a value; those with `true` must be given. */
  readonly values: Readonly<Record<string, boolean>>;
  readonly flags?: readonly string[];
  readonly file?: true;
  /** What a person reads; a script reads `--json`. */
  readonly say: (result: never) => string;
}

const COMMANDS: Readonly<Record<string, CommandLine>> = {
  'create-account': {
    usage: '--email E [--admin] [--password-stdin]',
    values: { email: true },
    flags: ['admin', 'password-stdin'],
    say: ({ email, admin, sign_in_url }: { email: string; admin: boolean; sign_in_url: string }) =>
      `Made the account ${email}${admin ? ', an administrator' : ''}.\nSign in (once, within an hour): ${sign_in_url}`,
  },
  'sign-in-link': {
    usage: '--email E',
    values: { email: true },
    say: ({ sign_in_url, expires_at }: { sign_in_url: string; expires_at: string }) =>
      `Sign in (once, until ${expires_at}): ${sign_in_url}\nThe earlier link of this account stopped working.`,
  },
  'create-key': {
    usage: '--email E --name N --scopes read,write',
    values: { email: true, name: true, scopes: true },
    say: ({ key, id }: { key: string; id: string }) =>
      `Copy your new key now. This is the only time it is shown.\n${key}\nIts id, to delete it: ${id}`,
  },
  'delete-key': {
    usage: '--id ID',
    values: { id: true },
    say: ({ id }: { id: string }) => `Deleted the key ${id}. Whatever uses it is refused from the next request on.`,
  },
  'set-limit': {
    usage: '--email E --creations-per-hour N',
    values: { email: true, 'creations-per-hour': true },
    say: (limit: { email: string; creations_per_hour: number }) =>
      `${limit.email} may create ${limit.creations_per_hour} links per hour.`,
  },
  'import-feed': {
    usage: 'FILE --name N --format urls|hosts|urlhaus-csv|adblock --threat-type T',
    values: { name: true, format: true, 'threat-type': true },
    file: true,
    say: (feed: { name: string; entries: number; rejected: number; generation: string }) =>
      `The feed ${feed.name} has ${feed.entries} entries (${feed.rejected} lines rejected) and decides verdicts now, in generation ${feed.generation}.`,
  },
  feeds: {
    usage: '',
    values: {},
    say: (feeds: { name: string; entries: number; updated_at: string; last_error: string | null }[]) =>
      feeds
        .map(
          ({ name, entries, updated_at, last_error }) =>
            `${name}: ${entries} entries of ${updated_at}${last_error === null ? '' : `; last error: ${last_error}`}`,
        )
        .join('\n') || 'There are no feeds.',
  },
  review: {
    usage: '--slug S --decision clear|keep --reason R',
    values: { slug: true, decision: true, reason: true },
    say: ({ slug, status }: { slug: string; status: string }) => `The link ${slug} is ${status}.`,
  },
};

class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runAdmin(argv: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  if (argv[0] === 'prepare') return prepare(argv.slice(1), environment);
  try {
    const { name, command, options, json } = parse(argv);
    const completed = await complete(command, options);
    const result =
      environment.WAYPOST_STACK === undefined
        ? await run(readConfig(environment), name, completed)
        : await runInStack(environment.WAYPOST_STACK, name, completed);
    const words = json ? safeJson(result) : command.say(safeValues(result) as never);
    process.stdout.write(`${words}\n`);
    return 0;
  } catch (error) {
    const words = error instanceof Failure ? error.words() : (error as Error).message;
    process.stderr.write(`${words.split('\n').map(safeText).join('\n')}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** Some of it is a stranger's: what a feed's server said, a slug's destination. */
function safeValues(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(safeValues);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safeValues(inner)]));
}

/** For engines of their own, hence with link-api's adapters: those of DATABASE_URL, KAFKA_BROKERS and CLICKHOUSE_URL. */
async function prepare(options: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  if (options.some((option) => option !== '--json')) {
    process.stderr.write('Usage: waypost admin prepare [--json]\n');
    return 2;
  }
  const main = fileURLToPath(new URL('../../link-api/src/main.ts', import.meta.url));
  const job = spawn(process.execPath, [...process.execArgv, main, 'prepare', ...options], {
    env: environment,
    stdio: 'inherit',
  });
  const pass = (signal: NodeJS.Signals) => job.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, pass);
  const [code] = (await once(job, 'exit')) as [number | null];
  return code ?? 1;
}

interface Parsed {
  readonly name: string;
  readonly command: CommandLine;
  readonly options: Record<string, string | boolean | undefined>;
  readonly json: boolean;
}

function parse([name = '', ...rest]: readonly string[]): Parsed {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const all = Object.entries(COMMANDS).map(([known, { usage }]) => `  waypost admin ${known} ${usage}`.trimEnd());
    throw new UsageError(
      `${name === '' ? 'Name a command' : `There is no command ${name}`}:\n${all.join('\n')}\n  waypost admin prepare\nEach takes --json.`,
    );
  }
  const usage = `Usage: waypost admin ${name} ${command.usage} [--json]`;
  const strings = Object.keys(command.values).map((option) => [option, { type: 'string' as const }]);
  const flags = ['json', ...(command.flags ?? [])].map((option) => [option, { type: 'boolean' as const }]);
  const { values, positionals } = parsed() as { values: Parsed['options']; positionals: string[] };
  function parsed() {
    try {
      const options = Object.fromEntries([...strings, ...flags]);
      return parseArgs({ args: rest, options, allowPositionals: command?.file === true });
    } catch (error) {
      throw new UsageError(`${(error as Error).message}\n${usage}`);
    }
  }

  const missing = Object.keys(command.values).filter(
    (option) => command.values[option] && values[option] === undefined,
  );
  if (missing.length > 0)
    throw new UsageError(`Missing: ${missing.map((option) => `--${option}`).join(', ')}\n${usage}`);
  if (command.file === true && positionals.length !== 1) throw new UsageError(`Name one FILE\n${usage}`);
  const { json, ...options } = values;
  return { name, command, options: { ...options, file: positionals[0] }, json: json === true };
}

/** What the command needs of this machine: the file, the password. */
async function complete(command: CommandLine, options: Parsed['options']): Promise<OperatorOptions> {
  const { file, 'password-stdin': password, ...rest } = options;
  const content = command.file ? { content: (await fs.promises.readFile(String(file))).toString('base64') } : {};
  const typed = password ? { password: (await buffer(process.stdin)).toString('utf8').replace(/\r?\n$/, '') } : {};
  return { ...rest, ...content, ...typed };
}

class Failure extends Error {
  readonly #failure: OperatorFailure;

  constructor(failure: OperatorFailure) {
    super(failure.message);
    this.#failure = failure;
  }

  words(): string {
    const { message, details } = this.#failure;
    return details === undefined ? message : `${message}\n${JSON.stringify(details)}`;
  }
}

/** A process that starts or stops holds the folder without answering: wait for it this long. */
const WAIT_MS = 60_000;

async function run(config: Config, name: string, options: OperatorOptions): Promise<unknown> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    const remote = await askRunning(config, name, options);
    if (remote !== undefined) return remote.result;
    try {
      return await runHere(config, name, options);
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() > deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}

async function runHere(config: Config, name: string, options: OperatorOptions): Promise<unknown> {
  const waypost = await startWaypost({ ...config, logLevel: 'error' }, { listeners: false });
  try {
    return await waypost.operator[name]!(options);
  } catch (error) {
    throw new Failure(failureOf(error));
  } finally {
    await waypost.stop();
  }
}

/** The commands of the scanner; all others are link-api's. */
const FEED_COMMANDS = ['import-feed', 'feeds'];

/** `WAYPOST_STACK=DIR`: the separate processes of `npm run stack`. */
async function runInStack(dir: string, name: string, options: OperatorOptions): Promise<unknown> {
  let at: { linkApi: string; scanner: string };
  try {
    at = JSON.parse(fs.readFileSync(path.join(dir, 'stack.json'), 'utf8')).operator;
  } catch {
    throw new Failure({ message: `no stack runs on ${dir}: start it with npm run stack -- --data ${dir}` });
  }
  const socket = FEED_COMMANDS.includes(name) ? at.scanner : at.linkApi;
  const answer = await ask(socket, dir, name, options);
  if (answer === undefined) throw new Failure({ message: `the stack on ${dir} does not answer` });
  return answer.result;
}

/** Undefined if no process answers on this data folder. */
async function askRunning(
  config: Config,
  command: string,
  options: OperatorOptions,
): Promise<{ result: unknown } | undefined> {
  let socket: unknown;
  try {
    socket = JSON.parse(fs.readFileSync(path.join(config.dataDir, RUN_FILE), 'utf8')).operator;
  } catch {
    return undefined;
  }
  return typeof socket === 'string' ? ask(socket, config.dataDir, command, options) : undefined;
}

/** A process that was killed leaves its socket's path behind: nobody answers there, or it is somebody else's by now. */
async function ask(
  socket: string,
  dir: string,
  command: string,
  options: OperatorOptions,
): Promise<{ result: unknown } | undefined> {
  if (!isOurSocket(socket, dir)) return undefined;
  const answer = await askOperator(socket, command, options).catch((error: Error) => {
    throw new Failure({ message: `the running Waypost did not answer: ${error.message}` });
  });
  if (answer !== undefined && 'failure' in answer) throw new Failure(answer.failure);
  return answer;
}

/** A socket of whoever owns the data folder. */
function isOurSocket(socket: string, dir: string): boolean {
  const found = fs.lstatSync(socket, { throwIfNoEntry: false });
  return found?.isSocket() === true && found.uid === fs.statSync(dir).uid;
}
