/**
 * Builds what is published: `@waypost/sdk` to DIR/sdk (DIR: `dist` unless it is given). Then `npm pack DIR/sdk`, or
 * `npm publish` with provenance where CI says which repository it is.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist'));

function buildSdk(to: string): void {
  run('node_modules/.bin/tsc', ['-p', 'libs/sdk/tsconfig.build.json', '--outDir', to]);
  describe('libs/sdk', to, 'docs/sdk.md', {
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  });
}

/** What a package has besides its code. Its manifest is that of the workspace, without what only the workspace needs. */
function describe(folder: string, to: string, readme: string, more: Readonly<Record<string, unknown>>): void {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
  const {
    private: _private,
    dependencies: _dependencies,
    devDependencies: _devDependencies,
    ...manifest
  } = JSON.parse(fs.readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8'));
  const repository =
    GITHUB_REPOSITORY === undefined
      ? {}
      : { repository: { type: 'git', url: `git+${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}.git`, directory: folder } };
  const published = { ...manifest, ...more, ...repository, publishConfig: { access: 'public', provenance: true } };
  fs.writeFileSync(path.join(to, 'package.json'), `${JSON.stringify(published, undefined, 2)}\n`);
  fs.copyFileSync(path.join(ROOT, readme), path.join(to, 'README.md'));
  fs.copyFileSync(path.join(ROOT, 'LICENSE'), path.join(to, 'LICENSE'));
}

function run(command: string, args: readonly string[]): void {
  const { status } = spawnSync(path.join(ROOT, command), args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} ended with ${status}`);
}

fs.rmSync(path.join(out, 'sdk'), { recursive: true, force: true });
buildSdk(path.join(out, 'sdk'));
