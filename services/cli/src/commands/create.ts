import type { Command } from '@commander-js/extra-typings';
import { addCommand, addFlags, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { flaggedWords, showCreated } from '../show.ts';
import { ENDS } from './edit.ts';
import { timeOf } from './new-key.ts';

export function addCreate(program: Command, { connect, print, terminal }: Session): void {
  const command = addCommand(program, 'create <URL>', 'Create a short link.', [
    'waypost create https://www.wikipedia.org/',
    'waypost create https://example.org/menu.pdf --slug spring-menu --tag print --tag spring',
    "waypost create https://example.org/sale --title 'Spring sale' --ends 14d",
  ]);
  addFlags(command, 'createLink', 'destination_url', 'dry_run', 'ends_at')
    .addOption(ENDS('When the link ends: a duration (14d) or a UTC date. Default: never.'))
    .option('--dry-run', 'Check and scan the link, but create nothing.')
    .action(async (url, options) => {
      const { dryRun = false, ends } = options;
      const end = ends !== undefined && { ends_at: timeOf('--ends', ends, 1) };
      const link = { ...fieldsOf('createLink', options), ...end, destination_url: url };
      const api = connect(options);
      const answer = await (dryRun ? api.check(link) : api.create(link));
      print(options, answer, (created, look) => showCreated(created, dryRun, look));
      const flagged = flaggedWords(answer);
      if (flagged !== undefined && !dryRun && !options.json) terminal.err(`${flagged}\n`);
    });
}
