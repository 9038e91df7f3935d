import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Command, CommanderError, InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { safeJson, safeText, UsageError } from '@waypost/command-line';
import { operatorClient, type Send, sendBy } from './client.ts';
import type { CommandInput, OperatorCommand, OperatorCommands, OperatorOptions, Sent } from './command.ts';

/** Adds the commands to `admin`. `send` passes one to its process. */
export function addCommands(admin: Command, commands: OperatorCommands<never>, send: Send): void {
  for (const [name, command] of Object.entries(commands)) {
    const { local } = command;
    const { argument, argumentHelp, options } = local ?? lineOf(command);
    const usage = ['Usage: waypost admin', name, ...(argument === undefined ? [] : [argument]), '[options]'].join(' ');
    const line: Command = admin
      .command(name)
      .description(command.help)
      .showHelpAfterError(`${usage}\nSee its options: waypost admin ${name} --help`);
    if (argument !== undefined) line.argument(`<${argument}>`, argumentHelp);
    for (const [option, declared] of Object.entries(options)) line.addOption(optionOf(option, declared));
    line.option('--json', 'Print the result as one JSON value.').action(async (...all: readonly unknown[]) => {
      const { json, ...values } = line.opts() as Sent;
      const input = { argument: argument === undefined ? '' : String(all[0]), options: values };
      const result =
        local === undefined
          ? await send(name, await complete(command.options, input))
          : await local.run(input, (sent) => send(name, sent));
      process.stdout.write(`${json ? safeJson(result) : command.describe(safeValues(result))}\n`);
    });
  }
}

/** Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runCommands(
  argv: readonly string[],
  commands: OperatorCommands<never>,
  send: Send,
): Promise<number> {
  const program = new Command('waypost admin')
    .description('Operator commands. They run where Waypost runs and need no API key.')
    .exitOverride();
  addCommands(program, commands, send);
  if (!process.stdout.listeners('error').includes(ignoreClosedPipe)) process.stdout.on('error', ignoreClosedPipe);
  try {
    await program.parseAsync(argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    process.stderr.write(`${errorText(error as Error)}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

/** A reader such as `head` may close the pipe early, which is not a failure. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Runs `waypost` in the container of a service, with its `admin` commands. Resolves to the exit code. */
export const runInContainer = (
  commands: OperatorCommands<never>,
  [first, ...rest]: readonly string[] = process.argv.slice(2),
  environment: NodeJS.ProcessEnv = process.env,
): Promise<number> => runCommands(first === 'admin' ? rest : [], commands, sendBy(containerClient(environment)));

export const containerClient = ({ OPERATOR_SOCKET: socket = 'none' }: NodeJS.ProcessEnv) =>
  operatorClient(() => {
    if (socket === 'none')
      throw new Error(
        'OPERATOR_SOCKET is none, so this container accepts no operator commands. Set it to the path of a socket.',
      );
    return socket;
  });

/** The message, and what the process says of each field, line by line. */
export function errorText({ message, details = {} }: Error & { readonly details?: object }): string {
  const fields = Object.keys(details).length === 0 ? [] : [JSON.stringify(details)];
  return [...message.split('\n'), ...fields].map(safeText).join('\n');
}

function lineOf({ options }: OperatorCommand<never>) {
  const all = Object.entries(options);
  const argument = all.find(([, { from }]) => from !== undefined)?.[1];
  return {
    argument: argument && (argument.value ?? 'FILE'),
    argumentHelp: argument?.help,
    options: Object.fromEntries(all.filter(([, { from }]) => from === undefined)),
  };
}

function optionOf(name: string, { type, required, value, oneOf, help }: OperatorOptions[string]): Option {
  const usage = type === 'boolean' ? `--${name}` : `--${name} <${value ?? oneOf?.join('|')}>`;
  const option = new Option(usage, help);
  if (required) option.makeOptionMandatory();
  option.attributeName = () => name;
  if (type === 'boolean') return option;
  return option.argParser((text: string, previous: unknown) => {
    if (previous !== undefined) throw new InvalidArgumentError('Give this option only once.');
    if (oneOf?.includes(text) === false) throw new InvalidArgumentError(`It must be one of ${oneOf.join(', ')}.`);
    return text;
  });
}

async function complete(options: OperatorOptions, { argument, options: values }: CommandInput): Promise<Sent> {
  const name = Object.keys(options).find((each) => options[each]!.from !== undefined);
  if (name === undefined) return values;
  if (options[name]!.from === 'path') return { ...values, [name]: path.resolve(argument) };
  const content = argument === '-' ? await buffer(process.stdin) : await readFile(argument);
  return { ...values, [name]: content.toString('base64') };
}

/** A result may contain text from outside, for example from the server of a threat feed. */
function safeValues(value: unknown): unknown {
  if (typeof value === 'string') return safeText(value);
  if (Array.isArray(value)) return value.map(safeValues);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, safeValues(inner)]));
}
