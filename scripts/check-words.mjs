/**
 * Checks that names, comments and documents use plain words. Each rule below states its reason. A line with the comment
 * `words: allow` is an exception.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** These names say what happened to a value. They do not say what the value is. */
const NO_NAMES = new Set(['found', 'known', 'made', 'asked', 'left', 'say', 'wanted', 'given', 'kept', 'said', 'held']);
/** These words have a plainer synonym or need a second reading. */
const NO_WORDS = /\b(whoever|whomever|for good|so many|what is more|hitherto|thereof|heretofore|wherein|albeit)\b/i;
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

const isDeclaration = (node) =>
  ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isFunctionDeclaration(node) || ts.isBindingElement(node);

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => !/api-types|\/(exports|data|sets|locales)\//.test(file));
const faults = [];

for (const file of files.filter((name) => /\.(tsx?|mjs|cjs)$/.test(name)))
  checkSource(file, readFileSync(file, 'utf8'));
for (const file of files.filter((name) => name.endsWith('.md'))) checkDocument(file, readFileSync(file, 'utf8'));
for (const { at, problem } of faults) console.error(`${at}: ${problem}`);
console.log(`${files.length} files, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;

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
