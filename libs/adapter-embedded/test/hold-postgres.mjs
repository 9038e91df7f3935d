/** Starts PostgreSQL on the given folder and prints its address. It then waits until it is killed. */
import { startEmbeddedPostgres } from '../src/postgres.ts';

const { host, user } = await startEmbeddedPostgres(process.argv[2]);
console.log(JSON.stringify({ host, user }));
setInterval(() => undefined, 60_000);
