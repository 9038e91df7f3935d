import type { Command } from '@commander-js/extra-typings';
import { addCommand } from '../program.ts';
import type { Session } from '../session.ts';
import { showLink } from '../show.ts';
import { confirmed, YES } from './confirm.ts';
import { slugOf } from './slug.ts';

export function addRevoke(program: Command, { connect, say, terminal, paint }: Session): void {
  addCommand(program, 'revoke <SLUG>', 'Switch a link off, at once and for good. The slug can never be used again.', [
    'waypost revoke spring-menu',
    'waypost revoke spring-menu --yes --json',
  ])
    .addOption(YES())
    .action(async (argument, options) => {
      const slug = slugOf(argument);
      const api = connect(options);
      await confirmed(terminal, options.yes, `Revoke ${slug}, at once and for good?`, 'Nothing was revoked.');
      const link = await api.revoke(slug);
      say(options, link, () => `${showLink(link, paint)}\nRevoked. It no longer redirects anywhere.`);
    });
}
