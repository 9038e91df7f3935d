/** Completes commands, options and their values in a shell. The shell runs `waypost complete` for each word. */
import { Argument, type Command } from '@commander-js/extra-typings';
import type { Session } from '../session.ts';

const SCRIPTS = {
  bash: `_waypost() {
  local IFS=$'\\n'
  COMPREPLY=($(waypost complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _waypost waypost`,
  zsh: `_waypost() {
  local -a found=("\${(@f)$(waypost complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  if [[ -n $found ]]; then compadd -a found; else _files; fi
}
compdef _waypost waypost`,
  fish: `complete -c waypost -f -a '(waypost complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
complete -c waypost -n '__fish_seen_subcommand_from bulk qr export' -F`,
} as const;
const SHELLS = ['bash', 'zsh', 'fish'] as const;

export function addCompletion(program: Command, { terminal }: Session): void {
  program
    .command('completion')
    .description('Print the completion script for your shell.')
    .addArgument(new Argument('<SHELL>', 'Your shell.').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  eval "$(waypost completion bash)"      in ~/.bashrc
  eval "$(waypost completion zsh)"       in ~/.zshrc, after compinit
  waypost completion fish > ~/.config/fish/completions/waypost.fish`,
    )
    .action((shell) => terminal.out(`${SCRIPTS[shell]}\n`));

  program.command('complete [WORDS...]', { hidden: true }).action((words) =>
    terminal.out(
      candidates(program, words)
        .map((word) => `${word}\n`)
        .join(''),
    ),
  );
}

function candidates(program: Command, words: readonly string[]): string[] {
  const before = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  let command: Pick<Command, 'commands' | 'options' | 'registeredArguments'> = program;
  for (const word of before) command = command.commands.find((each) => each.name() === word) ?? command;
  const { commands, options, registeredArguments } = command;
  const option = options.find(({ long }) => long === before.at(-1));
  const values = [
    ...program
      .createHelp()
      .visibleCommands(command as Command)
      .map((each) => each.name()),
    ...registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
    ...(last.startsWith('-') || commands.length + registeredArguments.length === 0
      ? options.flatMap(({ long }) => long ?? [])
      : []),
  ];
  const all = option?.required ? (option.argChoices ?? []) : values;
  return all.filter((each) => each.startsWith(last));
}
