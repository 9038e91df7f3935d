import type { Command } from '@commander-js/extra-typings';
import { addCommand, many, value } from '../program.ts';
import type { Session } from '../session.ts';
import { showCreated } from '../show.ts';

export function addCreate(program: Command, { connect, print }: Session): void {
  addCommand(program, 'create <URL>', 'Make one short link.', [
    'waypost create https://www.wikipedia.org/',
    'waypost create https://example.org/menu.pdf --slug spring-menu --tag print --tag spring',
  ])
    .addOption(value('--slug <S>', 'your own slug, 3 to 50 of A-Z a-z 0-9 _ -; random without it'))
    .addOption(many('--tag <T>', 'a label; may be given up to 10 times'))
    .option('--dry-run', 'check and scan, but create nothing')
    .action(async (url, options) => {
      const { slug, tag, dryRun = false } = options;
      const link = {
        destination_url: url,
        ...(slug !== undefined && { custom_slug: slug }),
        ...(tag !== undefined && { tags: tag }),
      };
      const api = connect(options);
      const answer = await (dryRun ? api.check(link) : api.create(link));
      print(options, answer, (created, look) => showCreated(created, dryRun, look));
    });
}
