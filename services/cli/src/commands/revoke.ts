import type { Command } from '@commander-js/extra-typings';
import { addCommand } from '../program.ts';
import type { Session } from '../session.ts';
import { showLink, withWords } from '../show.ts';
import { confirmed, YES } from './confirm.ts';
import { slugOf } from './slug.ts';

export function addRevoke(program: Command, { connect, print, terminal }: Session): void {
  addCommand(program, 'revoke <SLUG>', 'Permanently disable a link. Its slug can never be used again.', [
    'waypost revoke spring-menu',
    'waypost revoke spring-menu --yes --json',
  ])
    .addOption(YES())
    .action(async (argument, options) => {
      const slug = slugOf(argument);
      const api = connect(options);
      await confirmed(terminal, options.yes, `Permanently revoke ${slug}?`, 'Nothing was revoked.');
      const words = 'Revoked. The link no longer redirects.';
      print(options, await api.revoke(slug), (link, look) => withWords(look, showLink(link, look), [words]));
    });
}
