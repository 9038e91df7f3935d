/** The tables of all services in PostgreSQL, for `prepare` and the one process: no other knows more than its own. */

import { copyRevoked, LINK_API_SCHEMA, revise } from '@waypost/link-api-schema';
import type { LinkArchive } from '@waypost/ports';
import { asAdministrator, type Client, type DatabaseOptions, migrationNames } from '@waypost/postgres';
import { postgresArchive } from '@waypost/postgres/archive';
import { SCANNER_SCHEMA } from '@waypost/scanner-schema';

export const SCHEMAS = [LINK_API_SCHEMA, SCANNER_SCHEMA];
export const MIGRATION_NAMES = migrationNames(SCHEMAS);
export const SERVICE_ROLES = [...new Set(SCHEMAS.flatMap(({ rights }) => Object.keys(rights ?? {})))];

export function postgresLinkArchive(options: DatabaseOptions, schemas = SCHEMAS): LinkArchive {
  const connected = <T>(work: (db: Client) => Promise<T>) => asAdministrator(options, options.database, work);
  return {
    ...postgresArchive(options, schemas),
    saveRevoked: (write) => connected((db) => copyRevoked(db, write)),
    revise: (revision) =>
      connected(async (db) => {
        await db.query('BEGIN');
        const revised = await revise(db, revision);
        await db.query('COMMIT');
        return revised;
      }),
  };
}
