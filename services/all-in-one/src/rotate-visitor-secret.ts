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
    help: 'Rotate the secret used to count unique visitors. The previous one is kept while statistics need it.',
    options: {
      leaked: { type: 'boolean', help: 'Discard the previous secret at once; returning visitors are counted again.' },
    },
    run: async ({ leaked }, { audit, rotateVisitorSecret, redirector, logger, now }: Deps) => {
      const { secret, rotatedAt, previousUntil } = rotateVisitorSecret(now(), { leaked });
      await redirector.rotate(secret);
      const rotation = {
        rotated_at: rotatedAt.toISOString(),
        previous_until: previousUntil?.toISOString() ?? null,
      };
      const detail = leaked ? 'The previous secret was discarded.' : '';
      await audit.note({ by: OPERATOR, action: 'visitor_secret.rotated', subject: '', detail });
      logger.info('visitor secret rotated', rotation);
      return rotation;
    },
    describe: ({ previous_until }) =>
      previous_until === null
        ? 'The visitor secret was rotated and the previous one discarded. Returning visitors are counted again.'
        : `The visitor secret was rotated. The previous one is kept until ${previous_until}, so that visitor counts stay correct.`,
  }),
};
