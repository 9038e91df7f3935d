import type { Command } from '@commander-js/extra-typings';
import { UsageError } from '@waypost/command-line';
import { addCommand, oneOf, value } from '../program.ts';
import type { Session } from '../session.ts';
import { showLink } from '../show.ts';
import { slugOf } from './slug.ts';

/** What an administrator's key can do from anywhere. In a clone and in the containers, `admin` is every operator command. */
export function addAdmin(program: Command, { connect, say, paint }: Session): void {
  const admin = program
    .command('admin')
    .description(
      'What an operator does; all of it where Waypost runs, from elsewhere what a key of an administrator may.',
    )
    .usage('COMMAND [options]');

  addCommand(admin, 'set-limit', 'How many links an account may make per hour.', [
    'waypost admin set-limit --email ada@example.org --creations-per-hour 1000',
  ])
    .addOption(value('--email <E>', 'of the account').makeOptionMandatory())
    .addOption(value('--creations-per-hour <N>', 'from 0').makeOptionMandatory())
    .action(async (options) => {
      const { email, creationsPerHour } = options;
      if (!/^\d{1,10}$/.test(creationsPerHour)) throw new UsageError('--creations-per-hour must be a whole number.');
      const limit = await connect(options).admin.setLimit(email, Number(creationsPerHour));
      say(options, limit, () => `${limit.email} may create ${limit.creations_per_hour} links per hour.`);
    });

  addCommand(admin, 'review', 'Decide about a flagged link.', [
    'waypost admin review --slug k7Qm2Rx --decision clear --reason "The listing was an error."',
  ])
    .addOption(value('--slug <S>', 'of the link').makeOptionMandatory())
    .addOption(oneOf('decision', ['clear', 'keep'], 'clear: it redirects again').makeOptionMandatory())
    .addOption(value('--reason <R>', 'kept with the link').makeOptionMandatory())
    .action(async (options) => {
      const { slug, decision, reason } = options;
      const link = await connect(options).admin.review(slugOf(slug), { decision, reason });
      say(options, link, () => showLink(link, paint));
    });
}
