import { readFileSync } from 'node:fs';
import { asAdministrator, createDatabase } from '../../libs/postgres/src/index.ts';
import type { PostgresServer } from './postgres-server.ts';

const ROLES = new URL('../../deploy/postgres/roles.sql', import.meta.url);
const NAMES = ['waypost_owner', 'waypost_api', 'waypost_redirector', 'waypost_scanner'];

export async function makeRoles(server: PostgresServer, passwordOf: (role: string) => string): Promise<void> {
  const administrator = { host: server.socketDir, port: server.port, user: 'waypost' };
  await createDatabase(administrator, 'waypost');
  await asAdministrator(administrator, 'waypost', async (client) => {
    await client.query(readFileSync(ROLES, 'utf8'));
    for (const name of NAMES) {
      const password = client.escapeLiteral(passwordOf(name));
      await client.query(`ALTER ROLE ${client.escapeIdentifier(name)} PASSWORD ${password}`);
    }
  });
}
