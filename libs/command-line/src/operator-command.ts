/**
 * An operator command, declared once by the service that runs it. Its usage, its parser, the check in its process and
 * its output come from this.
 */
import { type CommandWords, type Given, type Option, type Options, valueProblem } from './command.ts';

export interface OperatorOption extends Option {
  /**
   * Where the text comes from if it is not an option: `file` is the command's argument, a file or `-` for stdin; `path`
   * is the argument itself, sent as an absolute path; `stdin` is requested by `--NAME-stdin`.
   */
  readonly from?: 'file' | 'path' | 'stdin';
}

type OperatorOptions = Readonly<Record<string, OperatorOption>>;

/** The values that are sent with a command, by option name. The content of a file is base64. */
export type Sent = Readonly<Record<string, string | boolean | undefined>>;

type Text<O> = O extends { oneOf: readonly (infer One)[] } ? One : string;
type Accepted<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { required: true }
      ? Text<O[Name]>
      : Text<O[Name]> | undefined;
};

/**
 * The part of a command that runs on the command line: it reads or writes a file of any size there, and sends the
 * command itself as often as it must.
 */
export interface LocalPart<Answer, Result> {
  /** What stands on the command line; the command's own options are those of a message. */
  readonly words: Omit<CommandWords, 'help'>;
  readonly run: (given: Given, send: (sent: Sent) => Promise<Answer>) => Promise<Result>;
}

export interface OperatorCommand<Deps> {
  readonly help: string;
  readonly options: OperatorOptions;
  readonly local?: LocalPart<unknown, unknown>;
  /** Rejects if an option is missing, wrong or unknown, whatever the sender. */
  readonly run: (sent: Sent, deps: Deps) => Promise<unknown>;
  /** The result as text for a person; a script reads `--json`. */
  readonly say: (result: unknown) => string;
}

export type OperatorCommands<Deps> = Readonly<Record<string, OperatorCommand<Deps>>>;

/** `run` resolves to the output of `--json`, or answers one message of the local part; `say` turns the output into text. */
export function operatorCommand<const O extends OperatorOptions, Deps, Answer, Result = Answer>(command: {
  readonly help: string;
  readonly options: O;
  readonly run: (options: Accepted<O>, deps: Deps) => Promise<Answer>;
  readonly local?: LocalPart<Answer, Result>;
  readonly say: (result: Result) => string;
}): OperatorCommand<Deps> {
  const { help, options, local } = command;
  return {
    help,
    options,
    run: async (sent, deps) => command.run(accept(options, sent), deps),
    // Answers and results are through JSON if another process ran the command.
    ...(local && {
      local: { ...local, run: (given, send) => local.run(given, async (sent) => (await send(sent)) as Answer) },
    }),
    say: (result) => command.say(result as Result),
  };
}

/** The commands that a process answers, bound to their dependencies. */
export type RunningCommands = Readonly<Record<string, (sent: Sent) => Promise<unknown>>>;

export function running<Deps>(commands: OperatorCommands<Deps>, deps: Deps): RunningCommands {
  return Object.fromEntries(Object.entries(commands).map(([name, { run }]) => [name, (sent: Sent) => run(sent, deps)]));
}

function accept<O extends OperatorOptions>(options: O, sent: Sent): Accepted<O> {
  const unknown = Object.keys(sent).find((name) => sent[name] !== undefined && !Object.hasOwn(options, name));
  if (unknown !== undefined) {
    const known = Object.keys(options).map((name) => `--${name}`);
    const list = known.join(', ') || 'none';
    throw new Error(`there is no option --${unknown.slice(0, 100)}; the options of this command: ${list}`);
  }
  const accepted = Object.entries(options).map(([name, option]) => [name, acceptedValue(name, option, sent[name])]);
  return Object.fromEntries(accepted) as Accepted<O>;
}

function acceptedValue(name: string, option: OperatorOption, value: string | boolean | undefined) {
  if (option.type === 'boolean') {
    if (typeof value === 'string') throw new Error(`--${name} takes no value`);
    return value === true;
  }
  if (value === undefined && !option.required) return undefined;
  if (value === true) throw new Error(`--${name} needs a value`);
  if (typeof value !== 'string') throw new Error(`--${name} is missing`);
  const problem = valueProblem(name, option, value);
  if (problem !== undefined) throw new Error(problem);
  return option.from === 'file' ? Buffer.from(value, 'base64').toString() : value;
}
