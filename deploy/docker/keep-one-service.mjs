/**
 * Copies a service to a folder, ready to run: its sources, data, libraries and packages, without tests.
 *
 *   node keep-one-service.mjs <workspace> <service> <target>
 */
import fs from 'node:fs';
import path from 'node:path';

const [workspace, service, target] = process.argv.slice(2);
const manifest = (folder) => JSON.parse(fs.readFileSync(path.join(workspace, folder, 'package.json'), 'utf8'));

const folderOf = new Map();
// The tables of a service are a package of their own.
for (const group of ['libs', 'services'])
  for (const name of fs.readdirSync(path.join(workspace, group)))
    for (const folder of [`${group}/${name}`, `${group}/${name}/migrations`])
      if (fs.existsSync(path.join(workspace, folder, 'package.json'))) folderOf.set(manifest(folder).name, folder);

const needed = new Set();
function keep(folder) {
  if (needed.has(folder)) return;
  needed.add(folder);
  for (const [name, version] of Object.entries(manifest(folder).dependencies ?? {}))
    if (version.startsWith('workspace:')) keep(folderOf.get(name));
}
keep(`services/${service}`);

const isForTests = (file) => /\.test\.ts$|\/src\/contract(\/|$)/.test(file);
for (const folder of needed)
  for (const part of folder.endsWith('/migrations') ? ['.'] : ['package.json', 'src', 'data', 'node_modules']) {
    const from = path.join(workspace, folder, part);
    if (!fs.existsSync(from)) continue;
    fs.cpSync(from, path.join(target, folder, part), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => !isForTests(file),
    });
  }
// pnpm puts each package beside links to its dependencies, in a folder of node_modules/.pnpm.
const modules = path.join(workspace, 'node_modules');
const packageOf = (link) => /^(\.pnpm\/[^/]+)\//.exec(path.relative(modules, fs.realpathSync(link)))?.[1];
const linksIn = (folder) =>
  fs
    .globSync(['*', '@*/*'], { cwd: folder })
    .map((name) => path.join(folder, name))
    .filter((file) => fs.lstatSync(file).isSymbolicLink());
const packages = new Set();
function keepPackages(folder) {
  for (const name of linksIn(folder).map(packageOf)) {
    if (name === undefined || packages.has(name)) continue;
    packages.add(name);
    keepPackages(path.join(modules, name, 'node_modules'));
  }
}
for (const folder of needed) keepPackages(path.join(workspace, folder, 'node_modules'));
// scripts/fetch-chdb.mjs puts the library of some platforms beside them.
if ([...packages].some((name) => name.startsWith('.pnpm/chdb@'))) packages.add('@chdb');

// No process reads types, source maps or typeorm's second copy for browsers (12 MB).
const isDeadWeight = (file) => /\.d\.[cm]?ts$|\.map$|\/typeorm\/browser(\/|$)/.test(file);
const copy = (name) =>
  fs.cpSync(path.join(modules, name), path.join(target, 'node_modules', name), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (file) => !isDeadWeight(file),
  });
for (const name of packages) if (fs.existsSync(path.join(modules, name))) copy(name);
// A package may import what it does not declare: pnpm links all packages for it.
const HOISTED = '.pnpm/node_modules';
for (const link of linksIn(path.join(modules, HOISTED)))
  if (packages.has(packageOf(link))) copy(path.relative(modules, link));
fs.copyFileSync(path.join(workspace, 'package.json'), path.join(target, 'package.json'));
