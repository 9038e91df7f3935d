import type { Command } from '@commander-js/extra-typings';
import { addCommand, addFlags, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { slugOf } from './slug.ts';

export function addTag(program: Command, { connect, print }: Session): void {
  const command = addCommand(program, 'tag <SLUG...>', 'Add and remove tags of links, of all or none.', [
    'waypost tag spring-menu summer-menu --add print --remove draft',
  ]);
  addFlags(command, 'tagLinks', 'slugs').action(async (slugs, options) => {
    const change = { ...fieldsOf('tagLinks', options), slugs: slugs.map(slugOf) };
    const changed = await connect(options).tag(change);
    print(options, changed, ({ total_changed: count }) => `${count} ${count === 1 ? 'link' : 'links'} changed.`);
  });
}
