import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import type { LinkEdit } from '@waypost/sdk';
import { addCommand, addFlags, fieldsOf, value } from '../program.ts';
import type { Session } from '../session.ts';
import { showLink } from '../show.ts';
import { timeOf } from '../time.ts';
import { slugOf } from './slug.ts';

export const ENDS = (help: string) => value('--ends <T>', help);

export function addEdit(program: Command, { connect, print }: Session): void {
  const command = addCommand(
    program,
    'edit <SLUG>',
    "Update a link's title, note, tags or end. An empty value removes it: --title ''. Tags replace those of the link.",
    [
      "waypost edit spring-menu --title 'Menu of the spring festival' --tag print --tag spring",
      'waypost edit spring-menu --ends 30d',
      "waypost edit spring-menu --note '' --ends ''",
    ],
  ).summary('Update a link.');
  addFlags(command, 'updateLink', 'ends_at')
    .addOption(ENDS('When the link ends: a duration (14d) or a UTC date.'))
    .action(async (argument, options) => {
      const slug = slugOf(argument);
      const { tags, ...words } = fieldsOf('updateLink', options);
      const { ends } = options;
      const edit: LinkEdit = {
        ...Object.fromEntries(Object.entries(words).map(([field, text]) => [field, text === '' ? null : text])),
        ...(tags != null && { tags: tags.filter((tag) => tag !== '') }),
        ...(ends !== undefined && { ends_at: ends === '' ? null : timeOf('--ends', ends, 1) }),
      };
      if (Object.keys(edit).length === 0) throw new UsageError('Give --title, --note, --tag or --ends.');
      print(options, await connect(options).update(slug, edit), showLink);
    });
}
