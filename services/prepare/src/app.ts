/** The operator commands that work on the engines of separate processes directly, not inside a running process. */
import { backupCommand, exportRevokedCommand, restoreCommand } from '@waypost/backup/commands';
import { type OperatorCommands, operatorCommand } from '@waypost/operator';
import type { Environment } from '@waypost/settings';

/** Imported only when a command runs: help and usage do not need the engines' clients. */
const engines = () => import('./engines.ts');

export const prepareCommands: OperatorCommands<Environment> = {
  prepare: operatorCommand({
    help: 'Create the missing Kafka topics and database schemas. Existing topics stay unchanged.',
    options: {},
    run: async (_, environment: Environment) => (await engines()).prepareEngines(environment),
    describe: ({ created, existing, warnings }) =>
      [
        `Topics created: ${created.join(', ') || 'none'}. Existing: ${existing.join(', ') || 'none'}.`,
        ...warnings.map((warning) => `Unchanged: ${warning}.`),
        'The schemas of PostgreSQL and ClickHouse are up to date.',
      ].join('\n'),
  }),
  backup: backupCommand(async (...all) => (await engines()).backUpEngines(...all)),
  restore: restoreCommand(async (...all) => (await engines()).restoreEngines(...all)),
  'export-revoked': exportRevokedCommand(async (environment, use) =>
    (await engines()).withArchives(environment, ({ postgres }) => use(postgres)),
  ),
};
