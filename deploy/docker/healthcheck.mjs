/** `node healthcheck.mjs PORT [PATH]`: 0 if the process answers 200 there within two seconds. */
import http from 'node:http';

const [port, path = '/healthz'] = process.argv.slice(2);
const host = process.env.HOST === undefined || process.env.HOST === '0.0.0.0' ? '127.0.0.1' : process.env.HOST;
http
  .get({ host, port, path, timeout: 2_000, agent: false }, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1))
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
