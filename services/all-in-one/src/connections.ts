/** Connections to the embedded PostgreSQL, which must allow the sum of all pools. */
export const CONNECTIONS_OF_A_THREAD = 4;
export const CONNECTIONS = 20;
/** Of a backup, of PostgreSQL itself, and of an operator who looks into it. */
const SPARE = 20;

/** For so many threads that answer visitors. */
export const mostConnections = (threads: number) => CONNECTIONS + SPARE + threads * CONNECTIONS_OF_A_THREAD;
