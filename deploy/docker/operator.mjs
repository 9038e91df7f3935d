/**
 * An operator command from inside a container of link-api or the scanner, where its internal port and secret are:
 *
 *   docker compose exec link-api node /operator.mjs create-account email=you@example.org admin=true
 *
 * Prints the answer as JSON; 1 if the command was refused. `content=@FILE` (`@-`: standard input) sends a file (import-feed).
 */
import { readFileSync } from 'node:fs';

const [command, ...pairs] = process.argv.slice(2);
const options = Object.fromEntries(
  pairs.map((pair) => {
    const at = pair.indexOf('=');
    const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
    if (value.startsWith('@')) return [name, readFileSync(value === '@-' ? 0 : value.slice(1)).toString('base64')];
    return [name, value === 'true' ? true : value];
  }),
);
const { HOST = '127.0.0.1', INTERNAL_PORT, PORT, OPERATOR_SECRET } = process.env;
const host = HOST === '0.0.0.0' ? '127.0.0.1' : HOST;
const port = INTERNAL_PORT ?? PORT;
const response = await fetch(`http://${host}:${port}/operator`, {
  method: 'POST',
  headers: { authorization: `Bearer ${OPERATOR_SECRET}`, 'content-type': 'application/json' },
  body: JSON.stringify({ command, options }),
});
const answer = await response.json();
process.stdout.write(`${JSON.stringify(response.ok ? answer.result : answer)}\n`);
process.exit(response.ok ? 0 : 1);
