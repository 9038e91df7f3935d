/**
 * Compiles the published clients and the `ts` examples of the documents as a user would: strictly, with the JavaScript
 * of Node 18.0. Refuses what Node has only since a later version, by the `@since` of its types.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const LOWEST = [18, 0];
const clients = fs
  .globSync(['services/cli/src/**/*.ts', 'libs/{sdk,links-file,qr-code}/src/**/*.ts'], { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => path.join(root, file));

/** The key is the path of a file that does not exist, beside packages that depend on the SDK. */
const examples = new Map();
for (const document of fs.globSync(['*.md', 'docs/*.md', '{libs,services}/*/README.md'], { cwd: root })) {
  const text = fs.readFileSync(path.join(root, document), 'utf8');
  for (const { 1: code, index } of text.matchAll(/^```ts\n(.*?)^```$/gms)) {
    const line = text.slice(0, index).split('\n').length;
    const name = `${document.replaceAll('/', '-')}-${line}.ts`;
    examples.set(path.join(root, 'services/cli', name), { code: `${code}export {};\n`, document, line });
  }
}

const { config } = ts.readConfigFile(path.join(root, 'tsconfig.base.json'), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(
  {
    compilerOptions: { ...config.compilerOptions, target: 'es2022', lib: ['es2022'], noUnusedLocals: false },
    files: [],
  },
  ts.sys,
  root,
);
const host = ts.createCompilerHost(options);
const { fileExists, getSourceFile } = host;
host.fileExists = (file) => examples.has(file) || fileExists(file);
host.getSourceFile = (file, ...rest) => {
  const example = examples.get(file);
  return example === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, example.code, ...rest);
};
const program = ts.createProgram([...clients, ...examples.keys()], options, host);
const checker = program.getTypeChecker();
const problems = [];

function placeOf(file, position) {
  const line = file.getLineAndCharacterOfPosition(position).line + 1;
  const example = examples.get(file.fileName);
  return example === undefined
    ? `${path.relative(root, file.fileName)}:${line}`
    : `${example.document}:${example.line + line}`;
}

const isChecked = (file) => examples.has(file.fileName) || clients.includes(file.fileName);
const files = program.getSourceFiles().filter(isChecked);
for (const file of files) {
  for (const { start, messageText } of [
    ...program.getSyntacticDiagnostics(file),
    ...program.getSemanticDiagnostics(file),
  ])
    problems.push(`${placeOf(file, start)} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  if (!examples.has(file.fileName)) visit(file, file);
}

function visit(node, file) {
  if (ts.isIdentifier(node)) {
    const since = sinceOf(checker.getSymbolAtLocation(node));
    if (since !== undefined && !isInLowest(since))
      problems.push(`${placeOf(file, node.getStart(file))} ${node.text} is not in Node ${LOWEST.join('.')}: ${since}`);
  }
  ts.forEachChild(node, (child) => visit(child, file));
}

/** Returns, for example, `v18.3.0, v16.17.0`. */
function sinceOf(symbol) {
  const isOfNode = symbol?.declarations?.every((each) => each.getSourceFile().fileName.includes('/@types/node/'));
  const tag = isOfNode ? symbol.getJsDocTags().find(({ name }) => name === 'since') : undefined;
  return tag && ts.displayPartsToString(tag.text);
}

/** Of several versions, that of the same line counts: a later version of an older line is younger than 18.0. */
function isInLowest(since) {
  const versions = [...since.matchAll(/v(\d+)\.(\d+)/g)].map(([, major, minor]) => [Number(major), Number(minor)]);
  const ofLine = versions.filter(([major]) => major === LOWEST[0]);
  return ofLine.length > 0
    ? ofLine.some(([, minor]) => minor <= LOWEST[1])
    : versions.some(([major]) => major < LOWEST[0]);
}

for (const problem of problems) console.error(problem);
console.log(`${files.length - examples.size} files, ${examples.size} examples, ${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);
