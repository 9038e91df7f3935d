import type { Command } from '@commander-js/extra-typings';
import { makeProgram } from './commands/index.ts';
import { version } from './program.ts';
import { openSession } from './session.ts';

export function manualPage(): string {
  let written = '';
  const out = (text: string) => {
    written += text;
  };
  const nobody = async () => {};
  const terminal = {
    out,
    err: out,
    readStdin: async () => Buffer.of(),
    columns: 78,
    sleep: nobody,
    random: Math.random,
  };
  const program = makeProgram(openSession({}, terminal));

  const helpText = (command: Command): string => {
    written = '';
    command.outputHelp();
    return written;
  };
  const shown = (command: Command) => ['.nf', roff(helpText(command)), '.fi'];
  const sections = program
    .createHelp()
    .visibleCommands(program)
    .filter((command) => command.name() !== 'help')
    .flatMap((command) => [command as Command, ...(command.commands as Command[])])
    .flatMap((command) => [`.SS ${roff(nameOf(command))}`, ...shown(command)]);
  return `${[
    `.TH WAYPOST 1 "" "waypost ${version()}"`,
    '.SH NAME',
    'waypost \\- short links that keep their promises',
    '.SH SYNOPSIS',
    '.B waypost',
    'COMMAND [options]',
    '.SH DESCRIPTION',
    ...shown(program),
    '.SH COMMANDS',
    ...sections,
  ].join('\n')}\n`;
}

function nameOf(command: Command): string {
  const { parent } = command;
  return parent?.parent ? `${parent.name()} ${command.name()}` : command.name();
}

/** Escapes text for roff, which reads a line that begins with a dot or a quote as a command. */
function roff(text: string): string {
  return text
    .trimEnd()
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
