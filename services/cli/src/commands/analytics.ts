import type { Command } from '@commander-js/extra-typings';
import { CHOICES } from '@waypost/sdk';
import { addCommand, oneOf } from '../program.ts';
import type { Session } from '../session.ts';
import { showAnalytics } from '../show.ts';
import { slugOf } from './slug.ts';

export function addAnalytics(program: Command, { connect, print }: Session): void {
  addCommand(program, 'analytics <SLUG>', 'The clicks of one link.', [
    'waypost analytics spring-menu',
    'waypost analytics spring-menu --period 90d --bots exclude --json',
  ])
    .addOption(oneOf('period', CHOICES.getAnalytics.period, 'default 7d'))
    .addOption(oneOf('bots', CHOICES.getAnalytics.bots, 'whether bots count in every figure; default include'))
    .action(async (slug, options) => {
      const { period, bots } = options;
      print(options, await connect(options).analytics(slugOf(slug), { period, bots }), showAnalytics);
    });
}
