import { COMMANDS, type Command } from './commands.ts';

export function usageOf(name: string, { argument, options }: Command): string {
  const written = Object.entries(options).map(([option, { type, value, oneOf, multiple }]) => {
    const after = type === 'boolean' ? '' : ` ${oneOf?.join('|') ?? value}`;
    return `[--${option}${after}]${multiple ? '...' : ''}`;
  });
  return ['waypost', name, ...(argument === undefined ? [] : [argument]), ...written, '[--json]'].join(' ');
}

export function helpOf(name: string, command: Command): string {
  const options = Object.entries(command.options).map(([option, { oneOf, value, help }]): [string, string] => {
    const after = oneOf?.join('|') ?? value;
    return [`--${option}${after === undefined ? '' : ` ${after}`}`, help];
  });
  return `Usage: ${usageOf(name, command)}

${command.help}

${columns([...options, ['--json', "the API's answer on stdout, as one JSON value"]])}`;
}

export function help(): string {
  const commands = Object.entries(COMMANDS).map(([name, { argument, help: words }]): [string, string] => [
    argument === undefined ? name : `${name} ${argument}`,
    /^[^.]*\./.exec(words)![0],
  ]);
  return `Usage: waypost COMMAND [options]

${columns([
  ...commands,
  ['help [COMMAND]', 'This, or a command with its options.'],
  ['admin COMMAND', 'What an operator does, where Waypost runs; waypost admin names the commands.'],
  ['--version', 'The version of this program.'],
])}

Each command takes --json.

${columns([
  ['WAYPOST_API_KEY', 'your API key, with the scope read or write as the command needs'],
  ['WAYPOST_URL', 'where the API is; default http://localhost:8080'],
])}

Exit codes: 0 done, 1 the API or the network said no, 2 wrong usage.`;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, words]) => `  ${name.padEnd(width)}  ${words}`).join('\n');
}
