/**
 * Runs the commands of the documents, unchanged, against one installation. Needs curl. `ELSEWHERE` lists the commands
 * that this file does not run, with what runs them. Any other command is run here.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { newFolder } from '@waypost/test-support/afterwards';
import { product } from '../product.ts';
import { CLIENT, NODE, ROOT, WAYPOST } from '../programs.ts';

const DOCUMENTS = ['README.md', ...fs.globSync('docs/*.md', { cwd: ROOT }).sort()];

const ELSEWHERE: readonly (readonly [begins: string, by: string])[] = [
  ['npm start', 'scripts/check-clean-clone.mjs'],
  ['npm test', '.ci/run'],
  ['npm run verify', '.ci/run'],
  ['npm run stack', 'services/all-in-one/test/faults/stack/stack-under-test.ts'],
  ['WAYPOST_STACK=', 'services/all-in-one/test/operations/backup.stack.ts'],
  ['docker ', 'scripts/check-containers.sh'],
  ['git clone', 'scripts/check-clean-clone.mjs'],
  ['node scripts/install.mjs', 'scripts/check-clean-clone.mjs'],
  ['npx --yes pnpm@', 'writes into the repository'],
  ['printf ', 'a machine with systemd; scripts/check-deploy.mjs checks the unit'],
  ['cp deploy/systemd', 'a machine with systemd'],
  ['systemctl ', 'a machine with systemd'],
  ['systemd-run ', 'a machine with systemd'],
  ['claude mcp', 'a program of others'],
  ['codex mcp', 'a program of others'],
  ['OIDC_', 'settings: services/link-api/src/accounts/oidc/provider-sign-in.test.ts'],
  ['scripts/node.sh services/scanner/scripts/train-lexical-model.ts', 'writes into the repository'],
  ['npm run -s waypost -- admin backup', 'services/all-in-one/test/operations/backup.long.ts'],
  ['npm run -s waypost -- admin restore', 'services/all-in-one/test/operations/backup.long.ts'],
  ['npm run -s waypost -- admin export-revoked', 'services/all-in-one/test/operations/restore.long.ts'],
  ['npm run -s waypost -- admin list-credentials', 'services/all-in-one/test/accounts/secure-account.test.ts'],
  ['npm run -s waypost -- admin secure-account', 'services/all-in-one/test/accounts/secure-account.test.ts'],
  ['npx waypost@0.1.0 reviews request', 'a flagged link; services/cli/test/more-commands.test.ts'],
  ['age', 'a program of others; services/all-in-one/test/operations/restore.long.ts'],
  ['restic ', 'a program of others'],
];

/** Returns the commands in fenced blocks. A line that ends with a backslash continues on the next line. */
function commandsOf(document: string): string[] {
  const text = fs.readFileSync(path.join(ROOT, document), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].flatMap(([, block]) =>
    block!
      .replaceAll('\\\n', ' ')
      .split('\n')
      .filter((line) => line.trim() !== ''),
  );
}

const beginsElsewhere = (command: string) => ELSEWHERE.find(([begins]) => command.startsWith(begins));

const { waypost } = product({});
let key: string;
let adminKey: string;
const bin = newFolder();

beforeAll(async () => {
  ({ key } = await waypost.newKey('read,write', { email: 'reader@example.org' }));
  ({ key: adminKey } = await waypost.newKey('admin', { admin: true }));
  const shim = (name: string, script: string) =>
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  // `waypost` runs from its source here. services/cli/test/packages.test.ts runs the published package.
  shim('waypost', `exec ${NODE} ${CLIENT} "$@"`);
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it
  shim('npx', '[ "$1" = --yes ] && shift; program=${1%@*}; shift; exec "$program" "$@"');
  // This npm runs scripts of package.json in the reader's folder, without an installation.
  shim(
    'npm',
    `script=$2; [ "$2" = -s ] && script=$3
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done; [ "$1" = -- ] && shift
case $script in
  waypost) exec ${NODE} ${WAYPOST} "$@" ;;
  evaluate:scanner) exec ${NODE} ${ROOT}services/scanner/scripts/evaluate.ts "$@" ;;
esac
echo "no script $script"; exit 1`,
  );
});

function run(script: string, folder: string): Promise<{ code: number | null; output: string }> {
  const environment = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: folder,
    DATA_DIR: waypost.dataDir,
    WAYPOST_URL: waypost.api,
  };
  const child = spawn('/bin/sh', ['-ec', script], { cwd: folder, env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  child.stdin.on('error', () => undefined).end(`${key}\n`); // `login` reads the key from stdin
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

function files(document: string, folder: string): void {
  const bulk = 'destination_url,custom_slug,tags\nhttps://www.wikipedia.org/wiki/One,,\n';
  const bitly = path.join(ROOT, 'services/all-in-one/test/moving/exports/bitly.csv');
  if (document === 'docs/moving.md') fs.copyFileSync(bitly, path.join(folder, 'links.csv'));
  else fs.writeFileSync(path.join(folder, 'links.csv'), bulk);
  for (const kind of ['harmful', 'harmless']) {
    fs.mkdirSync(path.join(folder, 'FOLDER', kind), { recursive: true });
    fs.writeFileSync(path.join(folder, 'FOLDER', kind, 'some.txt'), 'https://www.wikipedia.org/\n');
  }
}

const documents = DOCUMENTS.map((document) => ({
  document,
  commands: commandsOf(document).filter((command) => beginsElsewhere(command) === undefined),
})).filter(({ commands }) => commands.length > 0);

test('every command in ELSEWHERE is in a document', () => {
  const all = DOCUMENTS.flatMap(commandsOf);
  expect(ELSEWHERE.filter(([begins]) => !all.some((command) => command.startsWith(begins)))).toEqual([]);
});

test.each(documents)('the commands of $document succeed', async ({ document, commands }) => {
  const folder = fs.mkdtempSync(path.join(bin, 'home-'));
  files(document, folder);
  const here = (command: string) =>
    command
      .replaceAll('http://localhost:8080', waypost.api)
      .replaceAll('http://localhost:8081', waypost.redirect)
      .replaceAll('https://links.example.com', waypost.api)
      .replaceAll(/\bFOLDER\b/g, path.join(folder, 'FOLDER'))
      .replaceAll('wp_…', key)
      .replaceAll('you@example.org', document === 'docs/moving.md' ? 'reader@example.org' : 'you@example.org');
  const environment = document === 'docs/webhooks.md' ? [`export WAYPOST_API_KEY=${adminKey}`] : [];
  const { code, output } = await run(
    [...environment, ...commands.map(here)].join('\n').replaceAll('curl ', 'curl -sS --fail '),
    folder,
  );
  if (code !== 0) throw new Error(`ended with ${code}: ${output}`);
});
