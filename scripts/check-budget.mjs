/**
 * Compares the lines of the product with budget.json, part by part, and prints both. Exits with 1 if a part has more. A
 * change that needs more lines raises the number of its part, and its commit says why. `--write` stores the present
 * numbers.
 *
 * A line of the product is one of TypeScript, JavaScript, CSS or SQL in `services` and `libs`, without tests, generated
 * types and the words of pages.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCE = /\.(?:tsx?|mjs|js|css|sql)$/;
const OTHERS = /\.test\.tsx?$|\/test\/|^libs\/(?:test-support|contracts)\/|\/api-types\.ts$|\/locales\/|words\.ts$/;

const root = fileURLToPath(new URL('..', import.meta.url));
const file = `${root}/budget.json`;
const lines = {};
// A new file counts before it is committed.
const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', 'services', 'libs'];
for (const path of execFileSync('git', list, { cwd: root }).toString().split('\0')) {
  if (!SOURCE.test(path) || OTHERS.test(path) || !fs.existsSync(`${root}/${path}`)) continue;
  const part = path.split('/', 2).join('/');
  lines[part] = (lines[part] ?? 0) + fs.readFileSync(`${root}/${path}`, 'utf8').split('\n').length - 1;
}
if (process.argv.includes('--write')) fs.writeFileSync(file, `${JSON.stringify(lines, null, 2)}\n`);

const budget = JSON.parse(fs.readFileSync(file, 'utf8'));
const sum = (numbers) => Object.values(numbers).reduce((total, each) => total + each, 0);
for (const part of Object.keys({ ...budget, ...lines })) {
  const [actual, most] = [lines[part] ?? 0, budget[part] ?? 0];
  console.log(
    `${part.padEnd(28)}${String(actual).padStart(6)} of ${String(most).padStart(6)}${actual > most ? '  TOO MANY' : ''}`,
  );
  if (actual > most) process.exitCode = 1;
}
console.log(`${'product'.padEnd(28)}${String(sum(lines)).padStart(6)} of ${String(sum(budget)).padStart(6)}`);
