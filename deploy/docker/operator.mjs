/**
 * An operator command from inside a container of link-api or the scanner, by its unix socket (OPERATOR_SOCKET), in the
 * words of `waypost admin`:
 *
 *   docker compose exec link-api node /operator.mjs create-account --email you@example.org --admin
 *   docker compose exec -T scanner node /operator.mjs import-feed - --name mine --format urls --threat-type phishing < list.txt
 *
 * Prints the answer as one JSON value, with `--json` and without; 1 if the command was refused, 2 for wrong usage.
 */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { text } from 'node:stream/consumers';

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const escaped = (words) =>
  words.replace(UNSAFE, (char) =>
    char
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
const end = (code, words) => {
  process.stderr.write(`${escaped(words)}\n`);
  process.exit(code);
};

const { OPERATOR_SOCKET = 'none' } = process.env;
const [command, ...rest] = process.argv.slice(process.argv[2] === 'admin' ? 3 : 2);
if (command === undefined || command.startsWith('-'))
  end(2, 'Usage: operator.mjs COMMAND [FILE] [--option value] [--json]');
if (OPERATOR_SOCKET === 'none') end(1, 'OPERATOR_SOCKET is none: this container answers no operator commands');

const options = {};
const set = (name, value) => {
  if (name === '' || Object.hasOwn(options, name)) end(2, `--${name} is given twice, or has no name`);
  options[name] = value;
};
for (let i = 0; i < rest.length; i++) {
  const word = rest[i];
  if (!word.startsWith('--')) {
    if (command !== 'import-feed') end(2, `${word}: options are written --name value`);
    set('content', readFileSync(word === '-' ? 0 : word).toString('base64'));
  } else if (word.includes('=')) set(word.slice(2, word.indexOf('=')), word.slice(word.indexOf('=') + 1));
  else if (rest[i + 1] === undefined || rest[i + 1].startsWith('--')) set(word.slice(2), true);
  else set(word.slice(2), rest[++i]);
}
const json = options.json;
if (json !== undefined && json !== true) end(2, '--json takes no value');
delete options.json;
if (options['password-stdin'] === true) {
  delete options['password-stdin'];
  set('password', readFileSync(0, 'utf8').replace(/\r?\n$/, ''));
}

const request = http.request({ socketPath: OPERATOR_SOCKET, method: 'POST', path: '/' }, async (response) => {
  const said = JSON.parse(await text(response));
  if (response.statusCode !== 200)
    end(1, [said.message, ...(said.details ? [JSON.stringify(said.details)] : [])].join(' '));
  process.stdout.write(`${escaped(JSON.stringify(said.result))}\n`);
});
request.on('error', (error) => end(1, `nobody answers on ${OPERATOR_SOCKET}: ${error.message}`));
request.end(JSON.stringify({ command, options }));
