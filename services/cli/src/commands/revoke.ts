import type { Command } from '@commander-js/extra-typings';
import { addCommand } from '../program.ts';
import { Ended, type Session } from '../session.ts';
import { showLink } from '../show.ts';
import { slugOf } from './slug.ts';

export function addRevoke(program: Command, { connect, say, terminal, paint }: Session): void {
  addCommand(program, 'revoke <SLUG>', 'Switch a link off, at once and for good. The slug can never be used again.', [
    'waypost revoke spring-menu',
    'waypost revoke spring-menu --yes --json',
  ])
    .option('--yes', 'do not ask; without a terminal nobody is asked')
    .action(async (argument, options) => {
      const slug = slugOf(argument);
      const api = connect(options);
      if (!options.yes && terminal.ask !== undefined) {
        const answer = await terminal.ask(`Revoke ${slug}, at once and for good? [y/N] `);
        if (!/^y(es)?$/i.test(answer.trim())) {
          terminal.err('Nothing was revoked.\n');
          throw new Ended(1);
        }
      }
      const link = await api.revoke(slug);
      say(options, link, () => `${showLink(link, paint)}\nRevoked. It no longer redirects anywhere.`);
    });
}
