/**
 * Runs the static checks of the project, two at a time: `npm run verify`. Prints the output of those that fail, and how
 * to correct them. Exits with 1 if one fails.
 */
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const bin = (name, ...args) => [`node_modules/.bin/${name}`, ...args];
const script = (name) => ['scripts/node.sh', `scripts/${name}`];

/** This check also prints its output if it succeeds. */
const LINES = 'lines of the product';

/** The slowest checks come first, so that no processor is idle at the end. */
const CHECKS = [
  ['expressions', script('check-expressions.mjs'), 'rewrite the expression: its time must be linear in its input'],
  ['types', bin('tsc', '-p', 'tsconfig.json'), 'correct the types'],
  ['types of the dashboard', bin('tsc', '-p', 'services/dashboard/tsconfig.json'), 'correct the types'],
  [
    'clients and examples',
    script('check-clients.mjs'),
    'correct the example, or use what Node 18.0 has: a user runs both',
  ],
  ['documents', script('check-docs.mjs'), 'correct the path, or run the script that the message names'],
  ['dependency rules', script('check-dependency-rules.mjs'), 'move the code: .dependency-cruiser.cjs has the reasons'],
  [LINES, script('check-budget.mjs'), 'remove code, or raise the number in budget.json and say why'],
  ['words', script('check-words.mjs'), 'say it in plain words: scripts/check-words.mjs has the reasons'],
  ['lint and format', bin('biome', 'check', '.'), 'run npm run format, then correct the rest'],
];
const AT_A_TIME = 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const pending = [...CHECKS];
await Promise.all(Array.from({ length: AT_A_TIME }, runPending));

async function runPending() {
  for (let check = pending.shift(); check !== undefined; check = pending.shift()) await run(...check);
}

async function run(name, [command, ...args], advice) {
  const start = performance.now();
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const output = await Promise.all([text(child.stdout), text(child.stderr)]);
  const seconds = Math.round((performance.now() - start) / 1_000);
  if ((await ended) === 0) {
    console.log(`ok      ${name} (${seconds} s)`);
    if (name === LINES) console.log(output.join('').trim());
    return;
  }
  process.exitCode = 1;
  console.log(`FAILED  ${name} (${seconds} s)\n${output.join('').trim()}\n-> ${advice}`);
}
