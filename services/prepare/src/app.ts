/** The one operator command that works on the engines directly, not inside a running process. */
import { type OperatorCommands, operatorCommand } from '@waypost/command-line';
import type { Environment } from '@waypost/settings';
import { prepareEngines } from './engines.ts';

export const prepareCommands: OperatorCommands<Environment> = {
  prepare: operatorCommand({
    help: 'Make the topics and schemas of engines of your own. Changes nothing that is there.',
    options: {},
    run: (_, environment: Environment) => prepareEngines(environment),
    say: ({ created, existing, warnings }) =>
      [
        `Topics made: ${created.join(', ') || 'none'}. There already: ${existing.join(', ') || 'none'}.`,
        ...warnings.map((warning) => `Left as it is: ${warning}.`),
        'The schemas of PostgreSQL and ClickHouse are up to date.',
      ].join('\n'),
  }),
};
