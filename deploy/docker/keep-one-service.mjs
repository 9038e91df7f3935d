/**
 * Copies a service and its libraries to a folder, ready to run: sources, data and node_modules, without tests.
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
// No process reads types, source maps or typeorm's second copy for browsers (12 MB).
const isDeadWeight = (file) => /\.d\.[cm]?ts$|\.map$|\/typeorm\/browser(\/|$)/.test(file);
/** pnpm links all libraries, but the folder does not contain all of them. */
const isLinkToNothing = (file) => {
  if (!fs.lstatSync(file).isSymbolicLink()) return false;
  const folder = path.relative(workspace, fs.realpathSync(file));
  return /^(libs|services)\//.test(folder) && !needed.has(folder);
};
fs.cpSync(path.join(workspace, 'node_modules'), path.join(target, 'node_modules'), {
  recursive: true,
  verbatimSymlinks: true,
  filter: (file) => !isDeadWeight(file) && !isLinkToNothing(file),
});
fs.copyFileSync(path.join(workspace, 'package.json'), path.join(target, 'package.json'));
