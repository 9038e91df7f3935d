import type { Command } from '@commander-js/extra-typings';
import { safeText } from '@waypost/command-line';
import { addCommand } from '../program.ts';
import { Ended, type Session } from '../session.ts';
import { slugOf } from './slug.ts';

export function addOpen(program: Command, { connect, print, terminal }: Session): void {
  addCommand(program, 'open <SLUG>', "Open a link's destination in your browser, without counting a click.", [
    'waypost open spring-menu',
  ]).action(async (slug, options) => {
    const link = await connect(options).get(slugOf(slug));
    if (link.status !== 'active') {
      terminal.err(`The link is ${safeText(link.status)} and does not redirect.\n`);
      throw new Ended(1);
    }
    try {
      if (!/^https?:/i.test(link.destination_url)) throw new Error('the destination is not a web address');
      await terminal.browse?.(link.destination_url);
    } catch {
      terminal.err('No browser could be opened.\n');
      throw new Ended(1);
    } finally {
      print(options, link, () => safeText(link.destination_url));
    }
  });
}
