/** The tables of the scanner. */
import { type ServiceSchema, sqlMigration } from '@waypost/postgres';
import { RIGHTS } from './grants.ts';

export const SCANNER_SCHEMA: ServiceSchema = {
  migrations: [sqlMigration('ScannerInitial1700000000002', new URL('./0001-initial.sql', import.meta.url))],
  rights: RIGHTS,
  refilled: ['scanner_files', 'scanner_state'],
  restoring: async (db, load) => {
    const { rows } = await db.query<{ version: string }>('SELECT version FROM scanner_state');
    await load();
    // Running scanners have loaded an older version, so the version number must be higher than theirs.
    await db.query('UPDATE scanner_state SET version = version + $1', [rows[0]?.version ?? 0]);
  },
};
