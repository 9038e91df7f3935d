/**
 * Exits with 0 if this container answers 200 to /healthz on its internal port within two seconds. An argument replaces
 * the address of that port, for a process whose HOST is not its internal address.
 */
import http from 'node:http';

const { HOST = '0.0.0.0', INTERNAL_PORT, PORT } = process.env;
const host = process.argv[2] ?? { '0.0.0.0': '127.0.0.1', '::': '::1' }[HOST] ?? HOST;
http
  .get({ host, port: INTERNAL_PORT ?? PORT, path: '/healthz', timeout: 2_000 }, ({ statusCode }) =>
    process.exit(statusCode === 200 ? 0 : 1),
  )
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
