/** The licences of what is bundled. Each requires a copy of itself in what is distributed. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const REFERENCE_LICENCES = fileURLToPath(
  new URL('../services/dashboard/licences/reference.txt', import.meta.url),
);
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

/** Returns the folders of the packages to which the bundled files belong. */
export const bundledFolders = (root: string, files: readonly string[]): string[] => [
  ...new Set(files.flatMap((file) => PACKAGE.exec(file)?.[0] ?? []).map((folder) => path.join(root, folder))),
];

/** Returns each text once, below the names of its packages. */
export function licencesOf(folders: readonly string[]): string {
  const foldersOf = Map.groupBy([...folders].sort(), textOf);
  const parts = [...foldersOf].map(([text, all]) => `${all.map(nameOf).join('\n')}\n\n${text}\n`);
  return parts.join(`\n${'-'.repeat(80)}\n`);
}

/** Returns the names of the packages inside the one file of Scalar, the API reference, from its source map. */
export function insideReference(): string[] {
  const scalar = '../services/dashboard/node_modules/@scalar/api-reference/dist/browser/standalone.js.map';
  const { sources } = JSON.parse(fs.readFileSync(new URL(scalar, import.meta.url), 'utf8')) as { sources: string[] };
  return [...new Set(sources.flatMap((file) => PACKAGE.exec(file)?.[0].split('node_modules/').at(-1) ?? []))];
}

/** A few packages name their licence, but have no text of it. */
function textOf(folder: string): string {
  const [file] = fs.globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: folder });
  if (file !== undefined) return fs.readFileSync(path.join(folder, file), 'utf8').trim();
  const { license, author, repository } = manifestOf(folder);
  if (license === undefined) throw new Error(`${folder} has no licence`);
  return [license, author?.name ?? author, repository?.url ?? repository].filter(Boolean).join('\n');
}

const manifestOf = (folder: string) => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
const nameOf = (folder: string): string => manifestOf(folder).name;
