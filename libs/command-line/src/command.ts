import { parseArgs } from 'node:util';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly required?: true;
  /** The name of the value in usage and help, for example `FILE`. */
  readonly value?: string;
  readonly oneOf?: readonly string[];
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

const COMMON: Options = { json: { type: 'boolean', help: 'the result on stdout, as one JSON value' } };

export interface CommandWords {
  readonly argument?: string;
  readonly argumentHelp?: string;
  readonly help: string;
  readonly options: Options;
}

export interface CommandInput {
  /** Empty if the command takes no argument. */
  readonly argument: string;
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** The program exits with 2 after this error. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A command that cannot be done as it was typed. The person reads why; for the process it is no error, so no log. */
export class CommandMistake extends Error {
  override readonly name: string = 'CommandMistake';
}

const after = ({ type, value, oneOf }: Option) => (type === 'boolean' ? '' : ` ${value ?? oneOf?.join('|')}`);

export function usageOf(name: string, { argument, options }: CommandWords): string {
  const flags = Object.entries(options).map(([option, declared]) => {
    const flag = `--${option}${after(declared)}`;
    return declared.required ? flag : `[${flag}]`;
  });
  return ['waypost admin', name, ...(argument === undefined ? [] : [argument]), ...flags].join(' ');
}

export function helpOf(name: string, command: CommandWords): string {
  const { argument, argumentHelp } = command;
  const rows = [
    ...(argument === undefined || argumentHelp === undefined ? [] : [[argument, argumentHelp] as const]),
    ...Object.entries({ ...command.options, ...COMMON }).map(
      ([option, declared]) => [`--${option}${after(declared)}`, declared.help] as const,
    ),
  ];
  return `Usage: ${usageOf(name, command)} [--json]

${command.help}

${columns(rows)}`;
}

export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n');
}

export function wrongUsage(problem: string, name: string, command: CommandWords): UsageError {
  return new UsageError(`${problem}\nUsage: ${usageOf(name, command)} [--json]`);
}

/** Throws `UsageError` with the correct usage. It does not check the values; `valueProblem` does. */
export function parse(name: string, command: CommandWords, args: readonly string[]): CommandInput & { json: boolean } {
  const wrong = (problem: string) => wrongUsage(problem, name, command);
  const declared = Object.entries(command.options);
  const allOptions = { ...command.options, ...COMMON };
  const read = () => parseArgs({ args: [...args], options: allOptions, allowPositionals: true, tokens: true });
  let parsed: ReturnType<typeof read>;
  try {
    parsed = read();
  } catch (error) {
    throw wrong((error as Error).message);
  }
  const { values, positionals, tokens } = parsed;
  const expected = command.argument === undefined ? 0 : 1;
  if (positionals.length !== expected || positionals.includes('')) {
    throw wrong(expected === 0 ? 'It takes no argument.' : `It takes one argument, ${command.argument}.`);
  }
  const missing = declared.filter(([option, { required }]) => required && values[option] === undefined);
  if (missing.length > 0) throw wrong(`Missing: ${missing.map(([option]) => `--${option}`).join(', ')}`);
  for (const [option] of declared) {
    if (tokens.filter((token) => token.kind === 'option' && token.name === option).length > 1)
      throw wrong(`--${option} may be given once.`);
  }
  const { json, ...options } = values;
  return { argument: positionals[0] ?? '', options, json: json === true };
}

export function valueProblem(name: string, { oneOf }: Option, value: unknown): string | undefined {
  if (typeof value !== 'string' || oneOf === undefined || oneOf.includes(value)) return undefined;
  return `--${name} must be one of ${oneOf.join(', ')}`;
}
