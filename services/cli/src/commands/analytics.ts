import type { Command } from '@commander-js/extra-typings';
import { addCommand, addFlags, fieldsOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showAnalytics, showOverview } from '../show.ts';
import { slugOf } from './slug.ts';

export function addAnalytics(program: Command, { connect, print }: Session): void {
  const command = addCommand(program, 'analytics <SLUG>', 'Show the clicks of a link.', [
    'waypost analytics spring-menu',
    'waypost analytics spring-menu --period 90d --bots exclude --json',
  ]);
  addFlags(command, 'getAnalytics').action(async (slug, options) => {
    const query = fieldsOf('getAnalytics', options);
    print(options, await connect(options).analytics(slugOf(slug), query), showAnalytics);
  });
}

export function addOverview(program: Command, { connect, print }: Session): void {
  const command = addCommand(
    program,
    'overview',
    'Show the clicks of all your links, compared with the period before.',
    ['waypost overview', 'waypost overview --period 30d --bots exclude --json'],
  );
  addFlags(command, 'getOverview').action(async (options) => {
    print(options, await connect(options).overview(fieldsOf('getOverview', options)), showOverview);
  });
}
