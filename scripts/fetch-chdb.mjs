/**
 * Fetches the embedded ClickHouse of this platform where pnpm-lock.yaml has none: the registry that the lockfile comes
 * from lacks some. npm compares it with the registry's own hash; docs/self-hosting.md says how to lock the hashes. It
 * needs only npm, on Node.js >= 18.
 *
 *   node scripts/fetch-chdb.mjs [WORKSPACE [NODE]]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Throws if the platform has no library, or one that does not work. `node` is the program that will load it. */
export function fetchChdb(workspace, node) {
  const platform = `${process.platform}-${process.arch}`;
  const chdb = realpathSync(join(workspace, 'libs/adapter-embedded/node_modules/chdb'));
  const { optionalDependencies } = manifest(chdb);
  const name = Object.keys(optionalDependencies).find((each) => each.replace('-gnu', '').endsWith(`lib-${platform}`));
  if (name === undefined) throw new Error(`chDB has no library for ${platform}`);
  const version = optionalDependencies[name];
  if (installedVersion(chdb, name) === version) return;

  process.stderr.write(`pnpm-lock.yaml has no ${name}: npm fetches its version ${version}, about 150 MB.\n`);
  const folder = mkdtempSync(join(workspace, 'node_modules/.chdb-'));
  const target = join(workspace, 'node_modules', name);
  try {
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
    const npm = run('npm', ['install', '--prefix', folder, ...options, `${name}@${version}`]);
    if (npm.status !== 0) throw new Error(`the npm registry gives no ${name}@${version}: ${npm.stderr.trim()}`);
    const got = manifest(join(folder, 'node_modules', name)).version;
    if (got !== version) throw new Error(`the npm registry gives ${name}@${got} as version ${version}`);
    rmSync(target, { recursive: true, force: true });
    mkdirSync(dirname(target), { recursive: true });
    renameSync(join(folder, 'node_modules', name), target);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const script = `process.stdout.write(require(${JSON.stringify(chdb)}).query('SELECT version()', 'TabSeparated'))`;
  const { status, stdout, stderr } = run(node, ['-e', script]);
  // Library 26.7.3 has engine 26.7.2.1.
  const [release] = /^\d+\.\d+\./.exec(version) ?? [version];
  if (status === 0 && stdout.startsWith(release)) return;
  rmSync(target, { recursive: true, force: true });
  throw new Error(`${name}@${version} does not work: SELECT version() gives ${stdout.trim() || stderr.trim()}`);
}

const manifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Looks where chDB itself does. */
function installedVersion(chdb, name) {
  const places = createRequire(join(chdb, 'package.json')).resolve.paths(name);
  const folder = places.map((place) => join(place, name)).find((each) => existsSync(join(each, 'package.json')));
  return folder && manifest(folder).version;
}

function run(command, args) {
  const { error, ...result } = spawnSync(command, args, { encoding: 'utf8' });
  if (error !== undefined) throw error;
  return result;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    fetchChdb(resolve(process.argv[2] ?? '.'), process.argv[3] ?? process.execPath);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
