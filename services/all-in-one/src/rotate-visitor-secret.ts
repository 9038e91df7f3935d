/** This command is for a data folder. Separate processes get a new secret by a setting. */

import { OPERATOR } from '@waypost/domain';
import { type OperatorCommands, operatorCommand } from '@waypost/operator';
import type { Redirector } from '@waypost/redirector';
import type { Logger } from '@waypost/telemetry';
import type { Engines } from './engines.ts';

interface Deps extends Pick<Engines, 'audit' | 'rotateVisitorSecret'> {
  readonly redirector: Pick<Redirector, 'rotate'>;
  readonly logger: Pick<Logger, 'info'>;
  readonly now: () => Date;
}

export const secretCommands: OperatorCommands<Deps> = {
  'rotate-visitor-secret': operatorCommand({
    help: 'Replace the secret by which visitors are counted. The earlier one is kept while figures reach back to it.',
    options: { leaked: { type: 'boolean', help: 'keep no earlier one: visitors from before count once more' } },
    run: async ({ leaked }, { audit, rotateVisitorSecret, redirector, logger, now }: Deps) => {
      const { secret, rotatedAt, previousUntil } = rotateVisitorSecret(now(), { leaked });
      await redirector.rotate(secret);
      const rotation = {
        rotated_at: rotatedAt.toISOString(),
        previous_until: previousUntil?.toISOString() ?? null,
      };
      const detail = leaked ? 'No earlier secret is kept.' : '';
      await audit.note({ by: OPERATOR, action: 'visitor_secret.rotated', subject: '', detail });
      logger.info('visitor secret rotated', rotation);
      return rotation;
    },
    describe: ({ previous_until }) =>
      previous_until === null
        ? 'The visitor secret is new, and the earlier one is gone. Visitors from before count once more when they return.'
        : `The visitor secret is new. The earlier one is kept until ${previous_until}, so that figures stay right.`,
  }),
};
