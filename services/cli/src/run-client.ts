import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { connect, readConnection } from './api.ts';
import { COMMANDS, type Command, type Given } from './commands.ts';
import { ApiError, UsageError } from './errors.ts';
import { help, helpOf, usageOf } from './help.ts';
import { safeJson, safeText } from './safe-text.ts';
import { processTerminal, type Terminal } from './terminal.ts';

/** The command-line client of the REST API. Resolves to the exit code: 0, 1 for an error, 2 for wrong usage. */
export async function runClient(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const { out, err } = withoutKey(terminal, environment.WAYPOST_API_KEY?.trim());
  try {
    out(`${await answer(argv, environment, { ...terminal, out, err })}\n`);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      err(`${error.message.split('\n').map(safeText).join('\n')}\n`);
      return 2;
    }
    if (!(error instanceof ApiError)) throw error;
    err(`${errorWords(error)}\n`);
    return 1;
  }
}

async function answer(argv: readonly string[], environment: NodeJS.ProcessEnv, terminal: Terminal): Promise<string> {
  const [first, ...rest] = argv;
  if (first === '--version') return version();
  if (first === 'help' || first === '--help' || first === '-h') return helpFor(rest);
  const name = first ?? '';
  const command = commandOf(name);
  if (command === undefined) {
    throw new UsageError(first === undefined ? help() : `There is no command "${name}".\n\n${help()}`);
  }
  if (rest.includes('--help') || rest.includes('-h')) return helpOf(name, command);
  const { given, json } = parse(name, command, rest);
  const body = await command.run(given, connect(readConnection(environment), terminal), terminal);
  if (json) return safeJson(body);
  try {
    return command.show(body as never, given, terminal);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ApiError('The answer is not that of a Waypost: is WAYPOST_URL right?');
  }
}

function helpFor([name, ...more]: readonly string[]): string {
  if (name === undefined) return help();
  const command = commandOf(name);
  if (command === undefined || more.length > 0)
    throw new UsageError(`Usage: waypost help [${Object.keys(COMMANDS).join('|')}]`);
  return helpOf(name, command);
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return `waypost ${(JSON.parse(manifest) as { version: string }).version}`;
}

function parse(name: string, command: Command, args: readonly string[]): { given: Given; json: boolean } {
  const wrong = (words: string) => new UsageError(`${words}\nUsage: ${usageOf(name, command)}`);
  const known = Object.entries(command.options).map(([option, { type, multiple = false }]) => [
    option,
    { type, multiple },
  ]);
  let values: Record<string, string | boolean | (string | boolean)[] | undefined>;
  let positionals: string[];
  let tokens: { kind: string; name?: string }[];
  try {
    ({ values, positionals, tokens } = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(known), json: { type: 'boolean' } },
      allowPositionals: true,
      tokens: true,
    }));
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const expected = command.argument === undefined ? 0 : 1;
  if (positionals.length !== expected || positionals.includes('')) {
    throw wrong(expected === 0 ? 'It takes no argument.' : `It takes one argument, ${command.argument}.`);
  }
  for (const [option, { multiple, oneOf, number }] of Object.entries(command.options)) {
    const value = values[option];
    if (!multiple && tokens.filter((token) => token.kind === 'option' && token.name === option).length > 1) {
      throw wrong(`--${option} may be given once.`);
    }
    if (typeof value !== 'string') continue;
    if (oneOf !== undefined && !oneOf.includes(value)) throw wrong(`--${option} must be one of ${oneOf.join(', ')}.`);
    if (number && !/^[1-9]\d{0,14}$/.test(value)) throw wrong(`--${option} must be a whole number from 1.`);
  }
  const { json, ...options } = values;
  return { given: { argument: positionals[0] ?? '', options: options as Given['options'] }, json: json === true };
}

function errorWords({ message, details, errorId }: ApiError): string {
  const fields = Object.entries(details).map(([field, problem]) => {
    const words = Array.isArray(problem)
      ? problem.join(', ')
      : typeof problem === 'string'
        ? problem
        : safeJson(problem);
    return `  ${safeText(field)}: ${safeText(words)}`;
  });
  return [
    safeText(message),
    ...fields,
    ...(errorId === undefined ? [] : [`  error_id: ${safeText(errorId)} (tell your administrator this number)`]),
  ].join('\n');
}

/** Whatever an answer or an error repeats, the key is not printed. Too short a text is no key, and may be any word. */
function withoutKey(terminal: Terminal, key = ''): Pick<Terminal, 'out' | 'err'> {
  const hide = (text: string) => (key.length < 16 ? text : text.replaceAll(key, '[API key]'));
  return { out: (text) => terminal.out(hide(text)), err: (text) => terminal.err(hide(text)) };
}
