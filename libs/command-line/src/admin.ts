/** `waypost admin COMMAND`: parses the command line, sends the command, and prints the result. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  type CommandWords,
  columns,
  type Given,
  helpOf,
  type Option,
  parse,
  UsageError,
  usageOf,
  valueProblem,
  wrongUsage,
} from './command.ts';
import type { OperatorCommand, OperatorCommands, Sent } from './operator-command.ts';
import { safeJson, safeText } from './safe-text.ts';

/**
 * Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. `send` lets the responsible process run the command;
 * its errors are printed, with their `details`.
 */
export async function runAdmin(
  argv: readonly string[],
  commands: OperatorCommands<never>,
  send: (name: string, sent: Sent) => Promise<unknown>,
): Promise<number> {
  try {
    process.stdout.write(`${await answer(argv, commands, send)}\n`);
    return 0;
  } catch (error) {
    const { message, details } = error as Error & { readonly details?: unknown };
    const text = details === undefined ? message : `${message}\n${JSON.stringify(details)}`;
    process.stderr.write(`${text.split('\n').map(safeText).join('\n')}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function answer(
  [name = '', ...rest]: readonly string[],
  commands: OperatorCommands<never>,
  send: (name: string, sent: Sent) => Promise<unknown>,
): Promise<string> {
  if (['help', '--help', '-h'].includes(name) && rest.length === 0) return help(commands);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command === undefined) {
    throw new UsageError(`${name === '' ? 'Name a command' : `There is no command ${name}`}:\n${list(commands)}`);
  }
  const written = commandLine(command);
  if (rest.includes('--help') || rest.includes('-h')) return helpOf(name, written);
  const given = parse(name, written, rest);
  const { local } = command;
  if (local !== undefined) assertValues(name, written, given);
  const result =
    local === undefined
      ? await send(name, await complete(command, given))
      : await local.run(given, (sent) => send(name, sent));
  return given.json ? safeJson(result) : command.say(safeValues(result));
}

function list(commands: OperatorCommands<never>): string {
  const lines = Object.entries(commands).map(([name, command]) => `  ${usageOf(name, commandLine(command))}`);
  return `${lines.join('\n')}\nEach takes --json.`;
}

function help(commands: OperatorCommands<never>): string {
  const rows = Object.entries(commands).map(([name, command]) => [name, command.help] as const);
  return `Usage: waypost admin COMMAND [options]

The operator commands: they run where Waypost runs, through its socket, and need no key. What an administrator's key may
do from anywhere is \`waypost admin\` of the published command line; in a clone, with --url or --profile (docs/cli.md).

${columns(rows)}

${list(commands)}`;
}

/** The process that answers checks the values, too, but of a message of the local part. */
function assertValues(name: string, written: CommandWords, { options }: Given): void {
  for (const [option, declared] of Object.entries(written.options)) {
    const problem = valueProblem(option, declared, options[option]);
    if (problem !== undefined) throw wrongUsage(problem, name, written);
  }
}

/** A file or path option becomes the argument; an option that is read from stdin becomes a flag. */
function commandLine({ help, options, local }: OperatorCommand<never>): CommandWords {
  if (local !== undefined) return { help, ...local.words };
  const all = Object.entries(options);
  const isArgument = ([, { from }]: (typeof all)[number]) => from === 'file' || from === 'path';
  const first = all.find(isArgument)?.[1];
  const argument = first === undefined ? {} : { argument: first.value ?? 'FILE', argumentHelp: first.help };
  const written = all
    .filter((option) => !isArgument(option))
    .map(([name, option]): [string, Option] =>
      option.from === 'stdin' ? [`${name}-stdin`, { type: 'boolean', help: option.help }] : [name, option],
    );
  return { help, options: Object.fromEntries(written), ...argument };
}

/** Adds the local input of the command: the file, a text from stdin. */
async function complete(command: OperatorCommand<never>, { argument, options }: Given): Promise<Sent> {
  const sent = Object.entries(command.options).map(async ([name, { from }]) => {
    if (from === 'file') return [name, (await (argument === '-' ? stdin() : readFile(argument))).toString('base64')];
    if (from === 'path') return [name, path.resolve(argument)];
    if (from !== 'stdin') return [name, options[name]];
    return [name, options[`${name}-stdin`] ? (await stdin()).toString().replace(/\r?\n$/, '') : undefined];
  });
  return Object.fromEntries(await Promise.all(sent));
}

const stdin = () => buffer(process.stdin);

/** Parts of a result come from outside: the response of a feed's server, the destination of a slug. */
function safeValues(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(safeValues);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safeValues(inner)]));
}
