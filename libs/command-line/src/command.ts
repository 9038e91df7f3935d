/** How a command of `waypost` is written: what it declares gives its usage, its help and how its arguments are read. */
import { parseArgs } from 'node:util';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly required?: true;
  readonly multiple?: true;
  /** What may stand after it, as usage and help say it. */
  readonly value?: string;
  /** Where the values are few. */
  readonly oneOf?: readonly string[];
  readonly number?: true;
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

export interface CommandWords {
  readonly argument?: string;
  readonly argumentHelp?: string;
  readonly help: string;
  readonly options: Options;
}

export interface Given {
  /** The argument; empty where the command takes none. */
  readonly argument: string;
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const after = ({ type, value, oneOf }: Option) => (type === 'boolean' ? '' : ` ${value ?? oneOf?.join('|')}`);

/** `name` is that of the command, with `admin` before it if it is an operator's. */
export function usageOf(name: string, { argument, options }: CommandWords): string {
  const written = Object.entries(options).map(([option, words]) => {
    const one = `--${option}${after(words)}`;
    return `${words.required ? one : `[${one}]`}${words.multiple ? '...' : ''}`;
  });
  return ['waypost', name, ...(argument === undefined ? [] : [argument]), ...written].join(' ');
}

/** `json` says what stands on stdout with `--json`. */
export function helpOf(name: string, command: CommandWords, json: string): string {
  const { argument, argumentHelp } = command;
  const rows = [
    ...(argument === undefined || argumentHelp === undefined ? [] : [[argument, argumentHelp] as const]),
    ...Object.entries(command.options).map(([option, words]) => [`--${option}${after(words)}`, words.help] as const),
    ['--json', json] as const,
  ];
  return `Usage: ${usageOf(name, command)} [--json]

${command.help}

${columns(rows)}`;
}

export function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, words]) => `  ${name.padEnd(width)}  ${words}`).join('\n');
}

export function wrongUsage(words: string, name: string, command: CommandWords): UsageError {
  return new UsageError(`${words}\nUsage: ${usageOf(name, command)} [--json]`);
}

/** Throws `UsageError` with the right usage. What the values may be is looked at by `valueProblem`. */
export function parse(name: string, command: CommandWords, args: readonly string[]): Given & { json: boolean } {
  const wrong = (words: string) => wrongUsage(words, name, command);
  const declared = Object.entries(command.options);
  const known: Record<string, { type: Option['type']; multiple: boolean }> = {
    json: { type: 'boolean', multiple: false },
  };
  for (const [option, { type, multiple = false }] of declared) known[option] = { type, multiple };
  const read = () => parseArgs({ args: [...args], options: known, allowPositionals: true, tokens: true });
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
  for (const [option, { multiple }] of declared) {
    if (!multiple && tokens.filter((token) => token.kind === 'option' && token.name === option).length > 1)
      throw wrong(`--${option} may be given once.`);
  }
  const { json, ...options } = values;
  return { argument: positionals[0] ?? '', options: options as Given['options'], json: json === true };
}

/** What is wrong with the value of an option, in words; undefined if nothing is. */
export function valueProblem(name: string, { oneOf, number }: Option, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (oneOf !== undefined && !oneOf.includes(value)) return `--${name} must be one of ${oneOf.join(', ')}`;
  if (number && !/^[1-9]\d{0,14}$/.test(value)) return `--${name} must be a whole number from 1`;
  return undefined;
}
