/** Usage, help and completion come from the declarations here and in `commands`. */
import { readFileSync } from 'node:fs';
import { Command, Help, InvalidArgumentError, Option, type OptionValues } from '@commander-js/extra-typings';
import type { Operations } from '@waypost/sdk';
import { COMMANDS, FLAGS } from './api-flags.ts';
import { EXIT_CODES } from './exit-codes.ts';
import type { Session } from './session.ts';

export type Declared<Usage> = [program: Command, usage: Usage, description: string, examples: readonly string[]];

export function addCommand<Usage extends string>(...declared: Declared<Usage>) {
  return addQuietCommand(...declared).option(
    '--json',
    'the answer on stdout, or the error on stderr, as one JSON value',
  );
}

export function addQuietCommand<Usage extends string>(...[program, usage, description, examples]: Declared<Usage>) {
  const [name = '', ...argument] = usage.replace(/[<>]/g, '').split(' ');
  const waypost = program.parent === null ? 'waypost' : `waypost ${program.name()}`;
  return program
    .command(usage)
    .description(description)
    .showHelpAfterError(
      `Usage: ${[waypost, name, ...argument, '[options]'].join(' ')}\nIts options: ${waypost} help ${name}`,
    )
    .addOption(new Option('--url <URL>', 'where the API is').argParser(once))
    .addOption(new Option('--profile <NAME>', 'with the address and key of this login').argParser(once))
    .addHelpText('after', `\nExamples:\n${examples.map((each) => `  ${each}`).join('\n')}`);
}

export const value = <Flags extends string>(flags: Flags, help: string) => new Option(flags, help).argParser(once);

function once(text: string, previous: unknown): string {
  if (previous !== undefined) throw new InvalidArgumentError('It may be given once.');
  return text;
}

/** More choices follow the help text, which can be wrapped. */
const CHOICES_COLUMNS = 32;

export function oneOf<Name extends string, const T extends readonly string[]>(name: Name, values: T, help: string) {
  const choices = values.join('|');
  const isShort = choices.length <= CHOICES_COLUMNS;
  const usage = `--${name} <${isShort ? choices : name.toUpperCase()}>` as `--${Name} <value>`;
  const option = new Option(usage, isShort ? help : `${help}; one of ${values.join(', ')}`);
  option.argChoices = [...values];
  return option.argParser((text: string, previous: unknown): T[number] => {
    once(text, previous);
    const choice = values.find((each) => each === text);
    if (choice === undefined) throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
    return choice;
  });
}

export const count = <Flags extends string>(flags: Flags, help: string) =>
  new Option(flags, help).argParser((text: string, previous: unknown): number => {
    once(text, previous);
    if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number from 1.');
    return Number(text);
  });

export const many = <Flags extends string>(flags: Flags, help: string) =>
  new Option(flags, help).argParser((text: string, previous: readonly string[] | undefined): readonly string[] => [
    ...(previous ?? []),
    text,
  ]);

type WithFlags = keyof typeof FLAGS;
type InputOf<Id extends WithFlags> = Operations[Id]['path'] &
  Operations[Id]['query'] &
  (Operations[Id]['body'] extends undefined ? unknown : Operations[Id]['body']);
type FieldOf<Id extends WithFlags> = keyof (typeof FLAGS)[Id] & keyof InputOf<Id>;

/** Adds a flag for each parameter and field that the API declares for the operation. */
export function addFlags<
  Args extends unknown[],
  Opts extends OptionValues,
  Id extends WithFlags,
  Without extends FieldOf<Id> = never,
>(command: Command<Args, Opts>, id: Id, ...without: readonly Without[]) {
  for (const [name, flag] of Object.entries<Flag>(FLAGS[id])) {
    if (!without.some((each) => each === name)) command.addOption(flagOf(name, flag));
  }
  return command as unknown as Command<Args, Opts & Pick<InputOf<Id>, Exclude<FieldOf<Id>, Without>>>;
}

/** Adds the command that the API declares for the operation, with its words and flags. */
export function addDeclared<Id extends keyof typeof COMMANDS, Without extends FieldOf<Id> = never>(
  admin: Command,
  id: Id,
  ...without: readonly Without[]
) {
  const { name, summary, description, example } = COMMANDS[id];
  return addFlags(addCommand(admin, name as 'audit', description, [example]).summary(summary), id, ...without);
}

/** Returns what the flags of `addFlags` were given, by the names of the API. */
export function fieldsOf<Id extends WithFlags, Given extends object>(id: Id, options: Given) {
  const entries = Object.entries(options).filter(([name]) => name in FLAGS[id]);
  return Object.fromEntries(entries) as Pick<Given, FieldOf<Id> & keyof Given>;
}

interface Flag {
  readonly type: 'string' | 'integer' | 'boolean' | 'array';
  readonly help: string;
  readonly values?: readonly string[];
  readonly required?: boolean;
}

const SHORT_NAMES: Readonly<Record<string, string>> = { custom_slug: 'slug', tags: 'tag', events: 'event' };

function flagOf(name: string, { type, help, values, required = false }: Flag): Option {
  const flag = (SHORT_NAMES[name] ?? name).replaceAll('_', '-');
  const usage = `--${flag} <${type === 'integer' ? 'N' : flag.toUpperCase()}>`;
  const option = {
    boolean: () => new Option(`--${flag}`, help),
    integer: () => count(usage, help),
    array: () => many(usage, values === undefined ? help : `${help}: ${values.join(', ')}`),
    string: () => (values === undefined ? value(usage, help) : oneOf(flag, values, help)),
  }[type]();
  option.attributeName = () => name;
  return option.makeOptionMandatory(required);
}

/** Longer lines are hard to read. */
const HELP_COLUMNS = 100;

const isCommon = ({ long }: { readonly long?: string | undefined }) =>
  ['--json', '--url', '--profile', '--help'].includes(long ?? '');

export function version(): string {
  const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

export function emptyProgram({ terminal }: Pick<Session, 'terminal'>): Command {
  return new Command('waypost')
    .description('Short links that keep their promises.')
    .version(`waypost ${version()}`, '--version', 'the version of this program')
    .helpCommand('help [COMMAND]', 'this, or a command with its options')
    .usage('COMMAND [options]')
    .exitOverride()
    .showHelpAfterError('Usage: waypost COMMAND [options]\nThe commands: waypost help')
    .configureHelp({
      visibleOptions: (command) =>
        new Help().visibleOptions(command).sort((a, b) => Number(isCommon(a)) - Number(isCommon(b))),
      optionTerm: ({ flags }) => flags.replace(/[<>]/g, ''),
      optionDescription: ({ description }) => description,
      subcommandTerm: (command) =>
        [command.name(), ...command.registeredArguments.map((argument) => argument.name())].join(' '),
    })
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      getOutHelpWidth: () => Math.min(terminal.columns ?? HELP_COLUMNS, HELP_COLUMNS),
      getErrHelpWidth: () => Math.min(terminal.columns ?? HELP_COLUMNS, HELP_COLUMNS),
      getOutHasColors: () => terminal.colours === true,
      getErrHasColors: () => false,
    })
    .addHelpText(
      'after',
      `
Environment:
  WAYPOST_API_KEY  your API key, instead of a login
  WAYPOST_URL      where the API is; default http://localhost:8080
  WAYPOST_PROFILE  the login to use
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY and NO_COLOR do what they do elsewhere.

Exit codes:
${EXIT_CODES.map((meaning, code) => `  ${code}  ${meaning.replaceAll('`', '')}`).join('\n')}`,
    );
}
