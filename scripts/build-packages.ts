/**
 * Builds the published packages: `@waypost/sdk` to DIR/sdk, `waypost` to DIR/waypost (by default in `dist`). `npm pack
 * DIR/sdk` then makes an archive, and `npm publish` adds provenance where CI supplies the repository.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundledFolders, licencesOf } from './licences.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const out = path.resolve(process.argv[2] ?? path.join(ROOT, 'dist'));

function buildSdk(to: string): void {
  run('node_modules/.bin/tsc', ['-p', 'libs/sdk/tsconfig.build.json', '--outDir', to]);
  describe('libs/sdk', to, 'docs/sdk.md', {
    sideEffects: false,
    exports: { '.': { types: './index.d.ts', default: './index.js' } },
  });
}

/** One file has the code of every command; other files have code that is rarely used. */
async function buildCommandLine(to: string): Promise<void> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['services/cli/src/waypost.ts'],
    outdir: path.join(to, 'dist'),
    bundle: true,
    splitting: true,
    minify: true,
    keepNames: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    // Bundled CommonJS code calls `require` for Node's modules, which ES modules do not have.
    banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    logLevel: 'warning',
    metafile: true,
  });
  fs.writeFileSync(
    path.join(to, 'THIRD-PARTY-LICENSES'),
    licencesOf(bundledFolders(ROOT, Object.keys(metafile.inputs))),
  );
  describe('services/cli', to, 'docs/cli.md', {
    name: 'waypost',
    bin: { waypost: 'dist/waypost.js' },
    exports: {},
  });
}

/**
 * Adds the files beside the code. The manifest is that of the workspace, without the fields that only the workspace
 * needs.
 */
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

for (const name of ['sdk', 'waypost']) fs.rmSync(path.join(out, name), { recursive: true, force: true });
buildSdk(path.join(out, 'sdk'));
await buildCommandLine(path.join(out, 'waypost'));
