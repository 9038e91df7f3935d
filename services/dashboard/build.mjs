/**
 * Builds the dashboard and the API reference into `dist`, unless they were built from the same sources and versions.
 * Takes a second or two.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import { bundledFolders, licencesOf, REFERENCE_LICENCES } from '../../scripts/licences.ts';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
/** The best quality, 11, would make the API reference a tenth smaller but takes ten seconds. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const PAGES = ['index.html', 'reference.html'];
const folders = ['src', ...['sdk', 'links-file', 'qr-code', 'domain'].map((lib) => `../../libs/${lib}/src`)];
const sources = [...PAGES, 'build.mjs', 'tsconfig.json', 'licences/reference.txt'].concat(
  folders.flatMap((folder) => fs.globSync(`${folder}/**/*.*`, { cwd: here('.') }).sort()),
);
const hash = createHash('sha256').update(fs.readFileSync(here('../../pnpm-lock.yaml')));
for (const source of sources) hash.update(source).update(fs.readFileSync(here(source)));
const stamp = hash.digest('hex');

const dist = here('dist');
const stampFile = `${dist}/.sources`;
if (!fs.existsSync(stampFile) || fs.readFileSync(stampFile, 'utf8') !== stamp) {
  // The build goes into its own folder first, so that nobody reads a half-built `dist`.
  const own = here(`dist.${process.pid}`);
  const modules = [];
  const noteModules = {
    name: 'note-modules',
    generateBundle() {
      modules.push(...this.getModuleIds());
    },
  };
  await build({
    root: here('.'),
    configFile: false,
    logLevel: 'error',
    plugins: [noteModules],
    build: {
      outDir: own,
      rolldownOptions: { input: PAGES.map(here) },
      emptyOutDir: true,
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      target: 'es2023',
    },
  });
  const inside = fs.readFileSync(REFERENCE_LICENCES, 'utf8');
  fs.writeFileSync(`${own}/licences.txt`, `${licencesOf(bundledFolders('/', modules))}\n${inside}`);
  // The server sends a compressed copy to each browser that accepts it. Most browsers accept brotli only over https.
  for (const name of fs.globSync('assets/*.{js,css}', { cwd: own })) {
    const content = fs.readFileSync(`${own}/${name}`);
    fs.writeFileSync(`${own}/${name}.br`, brotliCompressSync(content, BROTLI));
    fs.writeFileSync(`${own}/${name}.gz`, gzipSync(content));
  }
  // The server reads this file to know which paths it must answer with the page.
  fs.copyFileSync(here('src/screens.json'), `${own}/screens.json`);
  fs.writeFileSync(`${own}/.sources`, stamp);
  fs.rmSync(dist, { recursive: true, force: true });
  fs.renameSync(own, dist);
}
