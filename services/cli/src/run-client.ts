import { readFileSync } from 'node:fs';
import { helpOf, parse, safeJson, safeText, UsageError, valueProblem, wrongUsage } from '@waypost/command-line';
import { connect, readConnection } from './api.ts';
import { COMMANDS, type Command } from './commands.ts';
import { ApiError } from './errors.ts';
import { help } from './help.ts';
import { processTerminal, type Terminal } from './terminal.ts';

const JSON_HELP = "the API's answer on stdout, as one JSON value";

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
  if (rest.includes('--help') || rest.includes('-h')) return helpOf(name, command, JSON_HELP);
  const { json, ...given } = parse(name, command, rest);
  for (const [option, words] of Object.entries(command.options)) {
    const problem = valueProblem(option, words, given.options[option]);
    if (problem !== undefined) throw wrongUsage(`${problem}.`, name, command);
  }
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
  return helpOf(name, command, JSON_HELP);
}

function commandOf(name: string): Command | undefined {
  return Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
}

function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return `waypost ${(JSON.parse(manifest) as { version: string }).version}`;
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
