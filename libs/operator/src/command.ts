/**
 * What an operator can do and the API cannot: a command. The service that runs it declares it; parser, help and the way
 * to the service come from that. What the API can do, `waypost admin` does by the API (services/cli).
 */

interface OperatorOption {
  readonly type: 'string' | 'boolean';
  readonly required?: true;
  /** The name of the value in usage and help, for example `FILE`. */
  readonly value?: string;
  readonly oneOf?: readonly string[];
  readonly help: string;
  /**
   * The argument of the command instead of an option. `file`: what is in the file, or on stdin if the argument is `-`.
   * `path`: the argument itself, as an absolute path.
   */
  readonly from?: 'file' | 'path';
}

export type OperatorOptions = Readonly<Record<string, OperatorOption>>;

/** The values that are sent with a command, by option name. The content of a file is in base64. */
export type Sent = Readonly<Record<string, string | boolean | undefined>>;

type Text<O> = O extends { oneOf: readonly (infer One)[] } ? One : string;
type Accepted<O extends OperatorOptions> = {
  readonly [Name in keyof O]: O[Name] extends { type: 'boolean' }
    ? boolean
    : O[Name] extends { required: true }
      ? Text<O[Name]>
      : Text<O[Name]> | undefined;
};

export interface CommandInput {
  /** Empty if the command takes no argument. */
  readonly argument: string;
  readonly options: Sent;
}

/** This part of a command runs on the command line. It may read or write a large file and send several messages. */
interface LocalPart<Answer, Result> {
  readonly argument: string;
  readonly argumentHelp: string;
  /** What the command line takes. The `options` of the command itself describe one message. */
  readonly options: OperatorOptions;
  readonly run: (input: CommandInput, send: (sent: Sent) => Promise<Answer>) => Promise<Result>;
}

export interface OperatorCommand<Deps> {
  readonly help: string;
  readonly options: OperatorOptions;
  readonly local?: LocalPart<unknown, unknown>;
  /** Rejects if an option is missing or wrong. It does not trust the sender. */
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
      local: { ...local, run: (input, send) => local.run(input, async (sent) => (await send(sent)) as Answer) },
    }),
    describe: (result) => command.describe(result as Result),
  };
}

export type RunningCommands = Readonly<Record<string, (sent: Sent) => Promise<unknown>>>;

export function running<Deps>(commands: OperatorCommands<Deps>, deps: Deps): RunningCommands {
  return Object.fromEntries(Object.entries(commands).map(([name, { run }]) => [name, (sent: Sent) => run(sent, deps)]));
}

/** A command that cannot be done as it was typed. The person reads why; for the process it is no error, so no log. */
export class CommandMistake extends Error {
  override readonly name: string = 'CommandMistake';
}

function accept<O extends OperatorOptions>(options: O, sent: Sent): Accepted<O> {
  const accepted = Object.entries<OperatorOption>(options).map(([name, { type, required, oneOf, from }]) => {
    const value = sent[name] ?? (type === 'boolean' ? false : undefined);
    if (value === undefined && required) throw new CommandMistake(`--${name} is missing`);
    if (value !== undefined && typeof value !== type) throw new CommandMistake(`--${name} must be a ${type}`);
    if (typeof value === 'string' && oneOf?.includes(value) === false)
      throw new CommandMistake(`--${name} must be one of ${oneOf.join(', ')}`);
    return [name, from === 'file' ? Buffer.from(String(value), 'base64').toString() : value];
  });
  return Object.fromEntries(accepted) as Accepted<O>;
}
