/** The declaration of an operator command; its usage, its help and its parser come from that. */
import { parseArgs } from 'node:util';

export interface Option {
  readonly type: 'string' | 'boolean';
  readonly required?: true;
  /** The placeholder for the value in usage and help. */
  readonly value?: string;
  /** For a small set of values. */
  readonly oneOf?: readonly string[];
  readonly help: string;
}

export type Options = Readonly<Record<string, Option>>;

/** What every command takes. */
const COMMON: Options = { json: { type: 'boolean', help: 'the result on stdout, as one JSON value' } };

export interface CommandWords {
  readonly argument?: string;
  readonly argumentHelp?: string;
  readonly help: string;
  readonly options: Options;
}

export interface Given {
  /** The argument; empty if the command takes none. */
  readonly argument: string;
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const after = ({ type, value, oneOf }: Option) => (type === 'boolean' ? '' : ` ${value ?? oneOf?.join('|')}`);

export function usageOf(name: string, { argument, options }: CommandWords): string {
  const written = Object.entries(options).map(([option, declared]) => {
    const one = `--${option}${after(declared)}`;
    return declared.required ? one : `[${one}]`;
  });
  return ['waypost admin', name, ...(argument === undefined ? [] : [argument]), ...written].join(' ');
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

/** Throws `UsageError` with the correct usage. `valueProblem` checks the values. */
export function parse(name: string, command: CommandWords, args: readonly string[]): Given & { json: boolean } {
  const wrong = (problem: string) => wrongUsage(problem, name, command);
  const declared = Object.entries(command.options);
  const known = { ...command.options, ...COMMON };
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
  for (const [option] of declared) {
    if (tokens.filter((token) => token.kind === 'option' && token.name === option).length > 1)
      throw wrong(`--${option} may be given once.`);
  }
  const { json, ...options } = values;
  return { argument: positionals[0] ?? '', options, json: json === true };
}

/** What is wrong with the value of an option; undefined if nothing is. */
export function valueProblem(name: string, { oneOf }: Option, value: unknown): string | undefined {
  if (typeof value !== 'string' || oneOf === undefined || oneOf.includes(value)) return undefined;
  return `--${name} must be one of ${oneOf.join(', ')}`;
}
