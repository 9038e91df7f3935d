import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { asAdministrator, type Database, type DatabaseOptions, openDatabase } from '@waypost/postgres';
import { sharedByTests } from './shared.ts';

/** `template` is a database with the tables of all services (scripts/jest-setup.mjs). */
type Server = Pick<DatabaseOptions, 'host' | 'user'> & { readonly template: string };

const opened: Database[] = [];
afterAll(async () => {
  for (const db of opened.splice(0)) if (!db.pool.ending) await db.close();
});

/** Creates a migrated database on the server of this jest run. The connection closes at the end of the test file. */
export async function emptyDatabase(): Promise<Database> {
  return connectTo(await newDatabase());
}

/** Resolves to the address of a new, migrated database, so that a second process can connect, too. */
export function newDatabase(): Promise<DatabaseOptions> {
  return createDatabase(({ template }) => template);
}

/** Resolves to the address of a new database without any tables. */
export function bareDatabase(): Promise<DatabaseOptions> {
  return createDatabase(() => 'template1');
}

async function createDatabase(templateOf: (server: Server) => string): Promise<DatabaseOptions> {
  const server = await sharedByTests<Server>('WAYPOST_TEST_POSTGRES');
  const { host, user } = server;
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(server, 'postgres', (admin) =>
    admin.query(`CREATE DATABASE ${database} TEMPLATE ${templateOf(server)}`),
  );
  return { host, user, database, poolSize: 20 };
}

/** Opens another connection pool, like that of a second replica. */
export async function connectTo(options: DatabaseOptions): Promise<Database> {
  const db = await openDatabase(options);
  opened.push(db);
  return db;
}
