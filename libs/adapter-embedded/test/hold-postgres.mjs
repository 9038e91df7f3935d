/** Starts PostgreSQL on the folder named, says where it listens, and waits to be killed. */
import { startEmbeddedPostgres } from '../src/postgres.ts';

const { host, user } = await startEmbeddedPostgres(process.argv[2]);
console.log(JSON.stringify({ host, user }));
setInterval(() => undefined, 60_000);
