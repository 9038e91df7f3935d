/**
 * Checks that names, comments, documents and the texts that users read use plain words. Each rule below states its
 * reason. A line with the comment `words: allow` is an exception. Paths limit the check: `check-words.mjs services`.
 * `--draw N --seed S` prints N texts that users read, from each kind in turn, for a person to judge.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { textsOf } from './user-texts.mjs';

/** These names say what happened to a value. They do not say what the value is. */
const NO_NAMES = new Set(['found', 'known', 'made', 'asked', 'left', 'say', 'wanted', 'given', 'kept', 'said', 'held']);
/** These words have a plainer synonym or need a second reading. */
const NO_WORDS = /\b(whoever|whomever|for good|so many|what is more|hitherto|thereof|heretofore|wherein|albeit)\b/i;
/** docs/writing.md has a plainer word for each of these, or the American spelling. */
const NO_TEXT =
  /\b(made|for good|such(?! as\b)|as asked|so many|whoever|whomever|it is told|switch(es|ed)? (it |them )?off|taken? back|goes? on|thrown? out|does not do|colour|behaviour|licence|cancelled|honoured)\b/i;
/** The name of a column says what its value is, like any other name. */
const NO_ALIAS = new RegExp(`\\bAS "?(${[...NO_NAMES, 'sent', 'told'].join('|')})\\b`);
/** A line of help fits on a terminal. */
const HELP_COLUMNS = 100;
/** Readers read a sentence with more words twice. */
const SENTENCE = 30;
/** The text of a longer comment belongs in a name, a docstring or a decision. */
const COMMENT_LINES = 3;
/** Two windows of this width fit beside each other on a screen. */
const COLUMNS = 120;
/**
 * These texts may be longer, because they cannot be broken: addresses, browsers' headers, expressions, long strings.
 */
const UNBREAKABLE = /https?:|Mozilla\/|^\s*\/.*\/\w*;$|'[^']{60}|`[^`]{60}|"[^"]{60}/;

/** Files of these types may have texts that users read. */
const WITH_TEXTS = /\.(tsx?|json|sql|yml)$/;

const isDeclaration = (node) =>
  ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionDeclaration(node) || ts.isBindingElement(node);

/** Each kind of text with each kind of breach: the check reports those that it does not see. `@` is the text. */
const CARRIERS = [
  ...['summary', 'description', 'title', 'means', 'help'].map((name) => `f({ ${name}: '@' })`),
  ...['describe', 'description', 'option', 'argument'].map((name) => `x.${name}('@')`),
  ...[
    "new DomainError('x', '@')",
    "wrong('@')",
    "joi.messages({ x: '@' })",
    "setting.port('@')",
    "metric.gauge('x', '@')",
  ],
  ...['logger.warn(`@`)', 'print(`@`)'],
];
const BREACHES = ['It is made for you.', `The ${'long '.repeat(SENTENCE)}sentence.`];
const PLANTED = [
  ...CARRIERS.map((code) => ['services/x/src/x.ts', code]),
  ['services/x/src/x.tsx', '(<p>@</p>)'],
  ['services/x/src/locales/en.json', '"x": "@"'],
  ['deploy/alerts.yml', '  description: @'],
].flatMap(([file, code]) => BREACHES.map((breach) => [file, code.replace('@', breach)]));
PLANTED.push(
  ['services/x/src/x.ts', 'query(`SELECT count(*) AS found FROM links`)'],
  ['services/x/migrations/0001.sql', 'SELECT count(*) AS found'],
  ['services/x/src/x.ts', `x.addHelpText(\`after\\nSome words ${'x'.repeat(HELP_COLUMNS)}\`)`],
);

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { draw: { type: 'string' }, seed: { type: 'string', default: '1' } },
});
const all = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => positionals.length === 0 || positionals.some((path) => file.startsWith(path)));
const files = all.filter((file) => !/api-types|\/(exports|data|sets|locales)\//.test(file));
const faults = [];

if (values.draw === undefined) check();
else draw(Number(values.draw), values.seed);

function check() {
  for (const file of files.filter((name) => /\.(tsx?|mjs|cjs)$/.test(name)))
    checkSource(file, readFileSync(file, 'utf8'));
  for (const file of files.filter((name) => name.endsWith('.md'))) checkDocument(file, readFileSync(file, 'utf8'));
  for (const file of all.filter((name) => WITH_TEXTS.test(name)))
    faults.push(...faultyTexts(file, readFileSync(file, 'utf8')));
  for (const [at, code] of PLANTED)
    if (faultyTexts(at, code).length === 0) faults.push({ at, problem: `the check does not see ${code}` });
  for (const { at, problem } of faults) console.error(`${at}: ${problem}`);
  console.log(`${files.length} files, ${faults.length} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}

/** The hash orders the texts of each kind. Kinds take turns, so that a rare kind is among few texts, too. */
function draw(count, seed) {
  const order = (at) => createHash('sha256').update(`${seed} ${at}`).digest('hex');
  const texts = all
    .filter((name) => WITH_TEXTS.test(name))
    .flatMap((file) =>
      textsOf(file, readFileSync(file, 'utf8')).map((each) => ({ ...each, at: `${file}:${each.line}` })),
    )
    .filter(({ kind, text }) => kind !== 'SQL' && (kind !== 'other' || /[.!?]\s*$/.test(text)))
    .sort((a, b) => order(a.at).localeCompare(order(b.at)));
  const kinds = [...Map.groupBy(texts, ({ kind }) => kind).values()];
  const drawn = Array.from({ length: count }, (_, i) => kinds[i % kinds.length][Math.floor(i / kinds.length)]);
  for (const each of drawn.filter(Boolean))
    console.log(`${each.kind}  ${each.at}\n    ${each.text.replace(/\s+/g, ' ').trim()}`);
}

function faultyTexts(file, content) {
  const lines = content.split('\n');
  return textsOf(file, content)
    .filter(({ line }) => !lines[line - 1].includes('words: allow'))
    .flatMap(({ kind, line, text }) =>
      (kind === 'SQL' ? aliasProblems(text) : textProblems(kind, text)).map((problem) => ({
        at: `${file}:${line}`,
        problem: `${problem} in a text (${kind})`,
      })),
    );
}

function aliasProblems(text) {
  return NO_ALIAS.test(text) ? [`"${NO_ALIAS.exec(text)[0]}"`] : [];
}

function textProblems(kind, text) {
  const word = NO_TEXT.exec(text)?.[0];
  // A list of words, such as names of brands, is no sentence.
  const sentences = kind === 'other' && !/[.!?]\s*$/.test(text) ? '' : text;
  const longest = Math.max(
    ...sentences.split(/[.:;!?](?=\s|$)/).map((each) => each.split(/\s+/).filter(Boolean).length),
  );
  const wide = kind === 'help' && text.includes('\n') && text.split('\n').some(({ length }) => length > HELP_COLUMNS);
  return [
    ...(word === undefined ? [] : [`"${word}"`]),
    ...(longest > SENTENCE ? [`a sentence of ${longest} words`] : []),
    ...(wide ? [`a line of more than ${HELP_COLUMNS} columns`] : []),
  ];
}

function checkSource(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const fault = (position, problem) => {
    const { line } = source.getLineAndCharacterOfPosition(position);
    if (!lines[line].includes('words: allow')) faults.push({ at: `${file}:${line + 1}`, problem });
  };
  lines.forEach((line, i) => {
    if (line.length > COLUMNS && !UNBREAKABLE.test(line))
      faults.push({ at: `${file}:${i + 1}`, problem: `longer than ${COLUMNS} columns` });
  });
  const visit = (node, depth) => {
    const { name } = node;
    if (name && ts.isIdentifier(name) && NO_NAMES.has(name.text) && isDeclaration(node))
      fault(name.getStart(), `the name ${name.text} does not say what the value is`);
    const inside = depth > 0 && ts.isStatement(node) ? (ts.getLeadingCommentRanges(text, node.pos) ?? []) : [];
    const length = inside.reduce((sum, { pos, end }) => sum + text.slice(pos, end).split('\n').length, 0);
    if (length > COMMENT_LINES) fault(inside[0].pos, `a comment of ${length} lines inside a function`);
    const deeper = depth + (ts.isFunctionLike(node) ? 1 : 0);
    ts.forEachChild(node, (child) => visit(child, deeper));
  };
  visit(source, 0);
  for (const { pos, end } of commentsOf(text)) {
    const word = NO_WORDS.exec(text.slice(pos, end))?.[0];
    if (word) fault(pos, `"${word}" in a comment`);
  }
}

function commentsOf(text) {
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, ts.LanguageVariant.JSX, text);
  const comments = [];
  for (let token = scanner.scan(); token !== ts.SyntaxKind.EndOfFileToken; token = scanner.scan()) {
    if (token === ts.SyntaxKind.SingleLineCommentTrivia || token === ts.SyntaxKind.MultiLineCommentTrivia)
      comments.push({ pos: scanner.getTokenStart(), end: scanner.getTokenEnd() });
  }
  return comments;
}

function checkDocument(file, text) {
  const blocks = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, '')).split('\n');
  let paragraph = [];
  let start = 0;
  const end = () => {
    const words = paragraph
      .join(' ')
      .replace(/`[^`]*`/g, 'x')
      .replace(/\]\([^)]*\)/g, ']');
    for (const sentence of words.split(/[.:;!?](?=\s|$)/)) {
      const count = sentence.split(/\s+/).filter(Boolean).length;
      if (count > SENTENCE)
        faults.push({
          at: `${file}:${start + 1}`,
          problem: `a sentence of ${count} words: ${sentence.trim().slice(0, 60)}…`,
        });
    }
    const word = NO_WORDS.exec(words)?.[0];
    if (word) faults.push({ at: `${file}:${start + 1}`, problem: `"${word}"` });
    paragraph = [];
  };
  blocks.forEach((line, i) => {
    const isRow = /^\s*(\||#|>|<|$)/.test(line);
    if (isRow || /^\s*([-*]|\d+\.)\s/.test(line)) end();
    if (line.startsWith('|')) {
      for (const cell of line.split('|')) {
        paragraph = [cell];
        start = i;
        end();
      }
    }
    if (isRow) return;
    if (paragraph.length === 0) start = i;
    paragraph.push(line);
  });
  end();
}
