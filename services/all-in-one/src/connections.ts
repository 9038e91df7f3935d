/** The embedded PostgreSQL must allow the sum of the connections of all pools. */
export const CONNECTIONS_OF_A_THREAD = 4;
export const CONNECTIONS = 20;
/** These are for a backup, PostgreSQL itself, and an operator who looks at the database. */
const SPARE = 20;

export const mostConnections = (threads: number) => CONNECTIONS + SPARE + threads * CONNECTIONS_OF_A_THREAD;
