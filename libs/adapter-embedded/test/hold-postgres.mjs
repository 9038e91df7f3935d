/** Starts PostgreSQL on the given folder, prints its address, and waits to be killed. */
import { startEmbeddedPostgres } from '../src/postgres.ts';

const { host, user } = await startEmbeddedPostgres(process.argv[2]);
console.log(JSON.stringify({ host, user }));
setInterval(() => undefined, 60_000);
