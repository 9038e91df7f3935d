import type { Command } from '@commander-js/extra-typings';
import { addCommand } from '../program.ts';
import type { Session } from '../session.ts';
import { showLink, withWords } from '../show.ts';
import { confirmed, YES } from './confirm.ts';
import { slugOf } from './slug.ts';

export function addRevoke(program: Command, { connect, print, terminal }: Session): void {
  addCommand(program, 'revoke <SLUG>', 'Switch a link off, at once and for good. The slug can never be used again.', [
    'waypost revoke spring-menu',
    'waypost revoke spring-menu --yes --json',
  ])
    .addOption(YES())
    .action(async (argument, options) => {
      const slug = slugOf(argument);
      const api = connect(options);
      await confirmed(terminal, options.yes, `Revoke ${slug}, at once and for good?`, 'Nothing was revoked.');
      const words = 'Revoked. It no longer redirects anywhere.';
      print(options, await api.revoke(slug), (link, look) => withWords(look, showLink(link, look), [words]));
    });
}
