import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  type CommandInput,
  type CommandWords,
  columns,
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

/** Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. `send` passes the command to its process. */
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
  const words = commandLine(command);
  if (rest.includes('--help') || rest.includes('-h')) return helpOf(name, words);
  const options = parse(name, words, rest);
  const { local } = command;
  if (local !== undefined) assertValues(name, words, options);
  const result =
    local === undefined
      ? await send(name, await complete(command, options))
      : await local.run(options, (sent) => send(name, sent));
  return options.json ? safeJson(result) : command.describe(safeValues(result));
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

/** The other process checks the values, too. But of several messages it sees only one at a time. */
function assertValues(name: string, words: CommandWords, { options }: CommandInput): void {
  for (const [option, declared] of Object.entries(words.options)) {
    const problem = valueProblem(option, declared, options[option]);
    if (problem !== undefined) throw wrongUsage(problem, name, words);
  }
}

function commandLine({ help, options, local }: OperatorCommand<never>): CommandWords {
  if (local !== undefined) return { help, ...local.words };
  const all = Object.entries(options);
  const isArgument = ([, { from }]: (typeof all)[number]) => from === 'file' || from === 'path';
  const first = all.find(isArgument)?.[1];
  const argument = first === undefined ? {} : { argument: first.value ?? 'FILE', argumentHelp: first.help };
  const flags = all
    .filter((option) => !isArgument(option))
    .map(([name, option]): [string, Option] =>
      option.from === 'stdin' ? [`${name}-stdin`, { type: 'boolean', help: option.help }] : [name, option],
    );
  return { help, options: Object.fromEntries(flags), ...argument };
}

async function complete(command: OperatorCommand<never>, { argument, options }: CommandInput): Promise<Sent> {
  const sent = Object.entries(command.options).map(async ([name, { from }]) => {
    if (from === 'file') return [name, (await (argument === '-' ? stdin() : readFile(argument))).toString('base64')];
    if (from === 'path') return [name, path.resolve(argument)];
    if (from !== 'stdin') return [name, options[name]];
    return [name, options[`${name}-stdin`] ? (await stdin()).toString().replace(/\r?\n$/, '') : undefined];
  });
  return Object.fromEntries(await Promise.all(sent));
}

const stdin = () => buffer(process.stdin);

/** A result may contain text from outside, for example from the server of a threat feed. */
function safeValues(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(safeValues);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safeValues(inner)]));
}
