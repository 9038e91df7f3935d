import { randomUUID } from 'node:crypto';
import { afterAll } from '@jest/globals';
import { type DatabaseOptions, openDatabase } from '@waypost/postgres';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { sharedByTests } from './shared.ts';

type Server = Pick<DatabaseOptions, 'host' | 'user'>;

const TEMPLATE = 'migrated';
const TEMPLATE_LOCK = 1;

const opened: DataSource[] = [];
afterAll(async () => {
  for (const db of opened.splice(0)) if (db.isInitialized) await db.destroy();
});

/** Creates a migrated database on the server of this jest run. The connection closes at the end of the test file. */
export async function emptyDatabase(): Promise<DataSource> {
  return connectTo(await newDatabase());
}

/** Resolves to the address of a new, migrated database, so that a second process can connect, too. */
export function newDatabase(): Promise<DatabaseOptions> {
  return createDatabase(async (admin, server) => {
    await admin.query('SELECT pg_advisory_lock($1)', [TEMPLATE_LOCK]);
    const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [TEMPLATE]);
    if (rowCount === 0) await makeTemplate(server, admin);
    return TEMPLATE;
  });
}

/** Resolves to the address of a new database without any tables. */
export function bareDatabase(): Promise<DatabaseOptions> {
  return createDatabase(async () => 'template1');
}

async function createDatabase(
  template: (admin: pg.Client, server: Server) => Promise<string>,
): Promise<DatabaseOptions> {
  const server = await sharedByTests<Server>('WAYPOST_TEST_POSTGRES');
  const database = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(server, async (admin) => {
    await admin.query(`CREATE DATABASE ${database} TEMPLATE ${await template(admin, server)}`);
  });
  return { ...server, database, poolSize: 20 };
}

/** Opens another connection pool, like that of a second replica. */
export async function connectTo(options: DatabaseOptions): Promise<DataSource> {
  const db = await openDatabase(options);
  opened.push(db);
  return db;
}

async function makeTemplate(server: Server, admin: pg.Client): Promise<void> {
  const making = `${TEMPLATE}_making`;
  await admin.query(`DROP DATABASE IF EXISTS ${making}`);
  await admin.query(`CREATE DATABASE ${making}`);
  const db = await openDatabase({ ...server, database: making, poolSize: 2 });
  await db.destroy();
  // The template gets its final name only when it is complete, so that no test copies a half-migrated one.
  for (let attempt = 1; ; attempt++) {
    try {
      await admin.query(`ALTER DATABASE ${making} RENAME TO ${TEMPLATE}`);
      return;
    } catch (error) {
      // A server process may still run for a moment after its client has disconnected.
      if ((error as { code?: string }).code !== '55006' || attempt === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

async function asAdministrator(server: Server, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ ...server, database: 'postgres' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
