import type { Command } from '@commander-js/extra-typings';
import { addCommand } from '../program.ts';
import type { Session } from '../session.ts';
import { showLink } from '../show.ts';
import { slugOf } from './slug.ts';

export function addGet(program: Command, { connect, print }: Session): void {
  addCommand(program, 'get <SLUG>', 'Get a link.', ['waypost get spring-menu']).action(async (slug, options) => {
    print(options, await connect(options).get(slugOf(slug)), showLink);
  });
}
