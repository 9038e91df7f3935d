/**
 * Checks that documents and sources name only things that exist: paths, `*.md` files, their headings, decisions, npm
 * scripts. Commands with npx must name a version. Each section of the contract must have a row in the map of
 * docs/contributing.md, and the first ones in README. Generated files (tables of documents, the API's types, the tables
 * of ClickHouse) must match their declarations. No file may cite a document that is not in the repository.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const ROOMS = '{libs,services,scripts,bench,deploy,docs,.ci}';
const filesOf = (patterns) =>
  fs.globSync(patterns, { cwd: root, exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name) }).sort();
const documents = filesOf(['*.md', `${ROOMS}/**/*.md`]);
const kinds = '*.{ts,mjs,cjs,js,sql,sh,yml,yaml}';
const sources = filesOf([kinds, `${ROOMS}/**/${kinds}`, '.ci/run']);
const problems = [];

const exists = (path) => fs.existsSync(join(root, path));
const lineOf = (text, index) => text.slice(0, index).split('\n').length;

/** A name of a `*.md` file must be a path from the root or from the folder of the file that names it. */
function checkDocumentNames(file, text) {
  for (const { 0: path, index } of text.matchAll(/(?<!:\/\/\S*)(?:[\w@-]|\.{1,2}\/)[\w./@-]*\.md\b/g)) {
    if (!exists(path) && !exists(join(dirname(file), path)))
      problems.push(`${file}:${lineOf(text, index)} names ${path}, which does not exist`);
  }
}

const headingsOf = (document) =>
  [...fs.readFileSync(join(root, document), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading);

/** After a document in `docs` and a comma, the text must name one of its headings, or the number of one. */
function checkSections(file, text) {
  for (const { 1: document, 2: section, index } of text.matchAll(
    /(docs\/[\w-]+\.md),\s+(?:\*\s+)?(?=(\d+|[A-Z][^\n]*))/g,
  )) {
    if (!exists(document)) continue;
    const isThere = headingsOf(document).some((heading) =>
      /^\d+$/.test(section) ? heading.startsWith(`${section}. `) : section.startsWith(heading),
    );
    if (!isThere)
      problems.push(`${file}:${lineOf(text, index)} names ${section} of ${document}, which has no such heading`);
  }
}

const decisions = fs.readdirSync(join(root, 'libs/domain/decisions'));
function checkDecisionNumbers(file, text) {
  for (const { 1: number, index } of text.matchAll(/\bdecisions? (\d{4})\b/gi)) {
    if (!decisions.some((name) => name.startsWith(`${number}-`)))
      problems.push(`${file}:${lineOf(text, index)} names decision ${number}, which does not exist`);
  }
}

/** Between a document's name and its heading there may be white space and the prefixes of comment lines. */
const GAP = String.raw`(?:\s|\n\s*(?:\*|//|#|--)\s)+`;
const VAGUE = new RegExp(
  [
    `[Pp]itfalls?${GAP}\\d+`,
    `[Ii]nterface${GAP}document`,
    `[Oo]perator${GAP}interface`,
    `[Dd]ecisions(?:${GAP}page|-on-gaps|,${GAP}[A-Z]|'${GAP}[A-Z])`,
    `of${GAP}the${GAP}decisions\\b(?!${GAP}page)`,
    '[(]design:',
  ].join('|'),
  'g',
);
function checkVagueNames(file, text) {
  const lines = text.split('\n');
  for (const { 0: phrase, index } of text.matchAll(VAGUE)) {
    const first = lineOf(text, index);
    const around = lines.slice(first - 1, first + phrase.split('\n').length - 1).join('\n');
    if (!/\.md\b/.test(around))
      problems.push(`${file}:${first} says "${phrase.replace(/\s+/g, ' ').trim()}" without the path of a document`);
  }
}

/** npx runs the newest version of a name without one, with the caller's key. */
const { version } = JSON.parse(fs.readFileSync(join(root, 'services/cli/package.json'), 'utf8'));
function checkVersions(file, text) {
  for (const { 1: name, 2: named, index } of text.matchAll(
    /(?:\bnpx (?:--yes )?|"npx", "args": \["--yes", ")(@?[a-z][\w/-]*)(?:@(\d[\w.-]*))?/g,
  )) {
    if (named === undefined || (name === 'waypost' && named !== version))
      problems.push(
        `${file}:${lineOf(text, index)}: npx ${name} must name a version${name === 'waypost' ? `, ${version}` : ''}`,
      );
  }
}

for (const document of documents) {
  const text = fs.readFileSync(join(root, document), 'utf8');
  checkDocumentNames(document, text);
  if (!document.startsWith('bench/')) checkVersions(document, text);
  for (const [, path] of text.matchAll(/`((?:services|libs|bench|scripts|deploy|docs|\.ci)\/[\w./@-]+)`/g)) {
    const folders = ['', `${dirname(document)}/`, `${dirname(dirname(document))}/`]; // relative to root, file, package
    const names = folders.flatMap((folder) => [`${folder}${path}`, `${folder}${path}.test.ts`]);
    if (!names.some(exists)) problems.push(`${document} names ${path}, which does not exist`);
  }
}
for (const source of sources) {
  const text = fs.readFileSync(join(root, source), 'utf8');
  checkDocumentNames(source, text);
  checkSections(source, text);
  checkDecisionNumbers(source, text);
  checkVagueNames(source, text);
  if (source.startsWith('services/cli/src/')) checkVersions(source, text);
}

const readme = fs.readFileSync(join(root, 'README.md'), 'utf8');
const map = fs.readFileSync(join(root, 'docs/contributing.md'), 'utf8');
for (const [, section] of fs.readFileSync(join(root, 'docs/contract.md'), 'utf8').matchAll(/^## (.*)$/gm)) {
  if (!map.includes(`| ${section}`)) problems.push(`docs/contributing.md has no row for the section "${section}"`);
}
const sections = headingsOf('docs/contract.md');
for (const section of [
  'Resources and their fields',
  'States and transitions',
  'Endpoints',
  'Authentication',
  'Errors',
  'Limits',
  'Versioning',
]) {
  if (!readme.includes(`| ${section}`)) problems.push(`README.md has no row for the section "${section}"`);
  if (!sections.includes(section)) problems.push(`docs/contract.md has no section "${section}"`);
}
// The numbers of README's first page are those of the tests and the alert that it names.
const textOf = (file) => fs.readFileSync(join(root, file), 'utf8');
const revokes = textOf('services/all-in-one/test/revoke-on-redis.stack.ts');
const constant = (name) => Number(new RegExp(`const ${name} = (\\d+)`).exec(revokes)[1]);
const [, previews] = /CHAT_PREVIEWS = \[\n(.*?)\n\]/s.exec(
  textOf('services/all-in-one/test/analytics/analytics.test.ts'),
);
const [, hours] = /kind="review"}\) > (\d+) \* 3600/.exec(textOf('deploy/chart/monitoring/alerts.yml'));
for (const claim of [
  `${constant('REVOKES') * revokes.match(/^ {4}\['/gm).length} links are revoked`,
  `${constant('REPLICAS') * constant('CLIENTS_PER_REPLICA')} clients visit each through ${['no', 'one', 'two', 'three'][constant('REPLICAS')]} redirectors`,
  `previews of ${{ 10: 'ten' }[previews.split('\n').length]} chats`,
  `in ${hours} hours`,
]) {
  if (!readme.replaceAll(/\s+/g, ' ').includes(claim)) problems.push(`README.md does not say "${claim}"`);
}
const scripts = JSON.parse(fs.readFileSync(join(root, 'package.json'), 'utf8')).scripts;
for (const [, script] of readme.matchAll(/npm run (?:-s )?([\w:-]+)/g)) {
  if (!(script in scripts)) problems.push(`README.md names npm run ${script}, which does not exist`);
}
const GENERATORS = ['settings-table', 'metrics-table', 'api-types', 'clickhouse-schema', 'document-tables'];
for (const generator of GENERATORS.map((name) => `scripts/${name}.ts`)) {
  const { status, stderr } = spawnSync('scripts/node.sh', [generator, '--check'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) problems.push(stderr.trim());
}
for (const problem of problems) console.error(problem);
console.log(`${documents.length} documents, ${sources.length} sources, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
