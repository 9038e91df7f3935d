import { columns } from '@waypost/command-line';
import { COMMANDS } from './commands.ts';

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
