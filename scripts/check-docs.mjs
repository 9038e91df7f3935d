/** Every path that README and the decision records name exists; every section of the contract has a row in README. */
import fs from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const documents = [
  'README.md',
  'CHANGELOG.md',
  ...fs.globSync('{libs,services,deploy,bench}/**/*.md', {
    cwd: root,
    exclude: (name) => name.includes('node_modules'),
  }),
];
const problems = [];

for (const document of documents) {
  const text = fs.readFileSync(`${root}${document}`, 'utf8');
  for (const [, path] of text.matchAll(/`((?:services|libs|bench|scripts|deploy|\.ci)\/[\w./@-]+)`/g)) {
    const folders = ['', `${dirname(document)}/`, `${dirname(dirname(document))}/`]; // as seen from here, or from the package
    const names = folders.flatMap((folder) => [`${folder}${path}`, `${folder}${path}.test.ts`]);
    if (!names.some((name) => fs.existsSync(`${root}${name}`)))
      problems.push(`${document} names ${path}, which does not exist`);
  }
}
const readme = fs.readFileSync(`${root}README.md`, 'utf8');
const sections = [
  'Resources and their fields',
  'States and transitions',
  'Endpoints',
  'Authentication',
  'Errors',
  'Limits',
  'Versioning',
];
for (const section of sections) {
  if (!readme.includes(`| ${section}`)) problems.push(`README.md has no row for the section "${section}"`);
}
const scripts = JSON.parse(fs.readFileSync(`${root}package.json`, 'utf8')).scripts;
for (const [, script] of readme.matchAll(/npm run (?:-s )?([\w:-]+)/g)) {
  if (!(script in scripts)) problems.push(`README.md names npm run ${script}, which does not exist`);
}
for (const problem of problems) console.error(problem);
console.log(`${documents.length} documents, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
