/**
 * Writes the licences of what Scalar's one file has inside: `scripts/node.sh scripts/reference-licences.mjs`. Run it
 * after a new version of Scalar. Its dependencies are not installed with Waypost (`.pnpmfile.cjs`), so this installs
 * them in a temporary folder. `services/dashboard/test/licences.test.ts` fails while one is absent.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { insideReference, licencesOf, REFERENCE_LICENCES } from './licences.ts';

const manifest = fileURLToPath(new URL('../services/dashboard/package.json', import.meta.url));
const scalar = '@scalar/api-reference';
const version = JSON.parse(fs.readFileSync(manifest, 'utf8')).dependencies[scalar];
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-licences-'));
process.on('exit', () => fs.rmSync(dir, { recursive: true, force: true }));

function install(...packages) {
  const { status } = spawnSync(
    'npm',
    ['install', '--silent', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', ...packages],
    {
      cwd: dir,
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) throw new Error(`npm install ended with ${status}`);
}
fs.writeFileSync(path.join(dir, 'package.json'), '{}');
install(`${scalar}@${version}`);
// Scalar bundles some packages that it does not declare.
const absent = insideReference().filter((name) => !fs.existsSync(path.join(dir, 'node_modules', name)));
if (absent.length > 0) install(...absent);

const folders = fs.globSync('node_modules/{*,@*/*}/package.json', { cwd: dir }).map((file) => path.dirname(file));
fs.writeFileSync(REFERENCE_LICENCES, licencesOf(folders.map((folder) => path.join(dir, folder))));
