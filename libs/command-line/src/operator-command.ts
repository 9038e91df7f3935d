import {
  type CommandInput,
  CommandMistake,
  type CommandWords,
  type Option,
  type Options,
  valueProblem,
} from './command.ts';

export interface OperatorOption extends Option {
  /**
   * Where the text comes from if it is not given as an option. `file`: from the file that the argument names, or from
   * stdin if it is `-`. `path`: the argument, as an absolute path. `stdin`: from stdin if the user passes
   * `--NAME-stdin`.
   */
  readonly from?: 'file' | 'path' | 'stdin';
}

type OperatorOptions = Readonly<Record<string, OperatorOption>>;

/** The values that are sent with a command, by option name. The content of a file is in base64. */
export type Sent = Readonly<Record<string, string | boolean | undefined>>;

type Text<O> = O extends { oneOf: readonly (infer One)[] } ? One : string;
type Accepted<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { required: true }
      ? Text<O[Name]>
      : Text<O[Name]> | undefined;
};

/** This part of a command runs on the command line. It may read or write a large file and send several messages. */
export interface LocalPart<Answer, Result> {
  /** The usage on the command line. The `options` of the command itself describe one message. */
  readonly words: Omit<CommandWords, 'help'>;
  readonly run: (options: CommandInput, send: (sent: Sent) => Promise<Answer>) => Promise<Result>;
}

export interface OperatorCommand<Deps> {
  readonly help: string;
  readonly options: OperatorOptions;
  readonly local?: LocalPart<unknown, unknown>;
  /** Rejects if an option is missing, wrong or unknown. It does not trust the sender. */
  readonly run: (sent: Sent, deps: Deps) => Promise<unknown>;
  readonly describe: (result: unknown) => string;
}

export type OperatorCommands<Deps> = Readonly<Record<string, OperatorCommand<Deps>>>;

/** `run` resolves to the output of `--json`. If there is a local part, it resolves to the response to one message. */
export function operatorCommand<const O extends OperatorOptions, Deps, Answer, Result = Answer>(command: {
  readonly help: string;
  readonly options: O;
  readonly run: (options: Accepted<O>, deps: Deps) => Promise<Answer>;
  readonly local?: LocalPart<Answer, Result>;
  readonly describe: (result: Result) => string;
}): OperatorCommand<Deps> {
  const { help, options, local } = command;
  return {
    help,
    options,
    run: async (sent, deps) => command.run(accept(options, sent), deps),
    // Responses and results are plain JSON, because another process may have run the command.
    ...(local && {
      local: { ...local, run: (options, send) => local.run(options, async (sent) => (await send(sent)) as Answer) },
    }),
    describe: (result) => command.describe(result as Result),
  };
}

export type RunningCommands = Readonly<Record<string, (sent: Sent) => Promise<unknown>>>;

export function running<Deps>(commands: OperatorCommands<Deps>, deps: Deps): RunningCommands {
  return Object.fromEntries(Object.entries(commands).map(([name, { run }]) => [name, (sent: Sent) => run(sent, deps)]));
}

function accept<O extends OperatorOptions>(options: O, sent: Sent): Accepted<O> {
  const unknown = Object.keys(sent).find((name) => sent[name] !== undefined && !Object.hasOwn(options, name));
  if (unknown !== undefined) {
    const names = Object.keys(options).map((name) => `--${name}`);
    const list = names.join(', ') || 'none';
    throw new CommandMistake(`there is no option --${unknown.slice(0, 100)}; the options of this command: ${list}`);
  }
  const accepted = Object.entries(options).map(([name, option]) => [name, acceptedValue(name, option, sent[name])]);
  return Object.fromEntries(accepted) as Accepted<O>;
}

function acceptedValue(name: string, option: OperatorOption, value: string | boolean | undefined) {
  if (option.type === 'boolean') {
    if (typeof value === 'string') throw new CommandMistake(`--${name} takes no value`);
    return value === true;
  }
  if (value === undefined && !option.required) return undefined;
  if (value === true) throw new CommandMistake(`--${name} needs a value`);
  if (typeof value !== 'string') throw new CommandMistake(`--${name} is missing`);
  const problem = valueProblem(name, option, value);
  if (problem !== undefined) throw new CommandMistake(problem);
  return option.from === 'file' ? Buffer.from(value, 'base64').toString() : value;
}
