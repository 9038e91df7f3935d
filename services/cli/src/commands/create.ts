import type { Command } from '@commander-js/extra-typings';
import { addCommand, addFlags, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { flaggedWords, showCreated } from '../show.ts';

export function addCreate(program: Command, { connect, print, terminal }: Session): void {
  const command = addCommand(program, 'create <URL>', 'Create a short link.', [
    'waypost create https://www.wikipedia.org/',
    'waypost create https://example.org/menu.pdf --slug spring-menu --tag print --tag spring',
  ]);
  addFlags(command, 'createLink', 'destination_url', 'dry_run')
    .option('--dry-run', 'Check and scan the link, but create nothing.')
    .action(async (url, options) => {
      const { dryRun = false } = options;
      const link = { ...fieldsOf('createLink', options), destination_url: url };
      const api = connect(options);
      const answer = await (dryRun ? api.check(link) : api.create(link));
      print(options, answer, (created, look) => showCreated(created, dryRun, look));
      const flagged = flaggedWords(answer);
      if (flagged !== undefined && !dryRun && !options.json) terminal.err(`${flagged}\n`);
    });
}
