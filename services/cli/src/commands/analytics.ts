import type { Command } from '@commander-js/extra-typings';
import { addCommand, oneOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showAnalytics } from '../show.ts';
import { slugOf } from './slug.ts';

export function addAnalytics(program: Command, { connect, say }: Session): void {
  addCommand(program, 'analytics <SLUG>', 'The clicks of one link.', [
    'waypost analytics spring-menu',
    'waypost analytics spring-menu --period 90d --bots exclude --json',
  ])
    .addOption(oneOf('period', ['7d', '30d', '90d'], 'default 7d'))
    .addOption(oneOf('bots', ['include', 'exclude'], 'whether bots count in every figure; default include'))
    .action(async (slug, options) => {
      const { period, bots } = options;
      say(options, await connect(options).analytics(slugOf(slug), { period, bots }), showAnalytics);
    });
}
