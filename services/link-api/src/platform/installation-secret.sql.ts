import { type Database, rows } from '@waypost/postgres';
import type { InstallationSecret } from './signed.ts';

/** The migration makes the secret, and it never changes. So a process reads it once. */
export function postgresInstallationSecret(db: Database): InstallationSecret {
  let secret: Promise<Buffer> | undefined;
  const read = async () => {
    const [row] = await rows<{ secret: Buffer }>(db, 'SELECT secret FROM installation', []);
    return row!.secret;
  };
  return () => {
    secret ??= read().catch((error: unknown) => {
      secret = undefined;
      throw error;
    });
    return secret;
  };
}
