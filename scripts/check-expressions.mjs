/**
 * Proves that every regular expression of the sources is linear: an expression that backtracks lets the author of its
 * input block the process. Without arguments it checks all sources, otherwise the given files. There is no list of
 * exceptions: an expression that cannot be proven must be rewritten.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

// The checker's JavaScript implementation, in this thread: the same on every machine.
process.env.RECHECK_SYNC_BACKEND = 'pure';
const { checkSync } = await import('recheck');

/** Without tests, which see only their own input. */
const SOURCES = ['libs/*/src/**/*.ts', 'services/*/src/**/*.ts'];
const isTest = (file) => file.endsWith('.test.ts');
const LIMITS = { timeout: 60_000 };

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** A checker that finds nothing proves nothing: it must find these, or the run fails. */
const PLANTED = [
  'x.replace(/\\s+#.*$/, "")',
  `new RegExp(\`\${A}$\`); const A = '(?:a|a)*';`,
  'RegExp("[.]+" + "$", "g")',
  'const make = (part: string) => new RegExp(part);',
];
for (const [at, source] of PLANTED.entries()) {
  const found = expressionsIn(`planted-${at}.ts`, source);
  if (found.length !== 1 || problemOf(found[0]) === undefined) {
    fail(`the checker is blind: it passes ${source}`);
  }
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given : globSync(SOURCES, { exclude: isTest }).sort();
const expressions = files.flatMap((file) => expressionsIn(file, readFileSync(file, 'utf8')));
const known = new Map();
let faults = 0;
for (const expression of expressions) {
  const { file, line, shown } = expression;
  if (!known.has(shown)) known.set(shown, problemOf(expression));
  const problem = known.get(shown);
  if (problem === undefined) continue;
  faults++;
  process.stdout.write(`${file}:${line}: ${shown}\n  ${problem}\n`);
}
process.stdout.write(`${expressions.length} expressions in ${files.length} files, ${faults} not proven linear\n`);
if (faults > 0 || expressions.length === 0) process.exit(1);

function expressionsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const found = [];
  const add = (node, expression) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ file, line, shown: node.getText(), ...expression });
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) add(node, partsOf(node));
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [pattern, flags] = node.arguments ?? [];
      const known = { source: pattern && textOf(pattern, constants), flags: flags ? textOf(flags, constants) : '' };
      add(
        node,
        known.source === undefined || known.flags === undefined
          ? {}
          : { ...known, shown: `/${known.source}/${known.flags}` },
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function partsOf(literal) {
  const end = literal.text.lastIndexOf('/');
  return { source: literal.text.slice(1, end), flags: literal.text.slice(end + 1) };
}

/** The initialisers of a file's constants, by name; a name that is declared twice has none. */
function constantsOf(source) {
  const constants = new Map();
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      const isConstant = (node.parent.flags & ts.NodeFlags.Const) !== 0 && !constants.has(node.name.text);
      constants.set(node.name.text, isConstant ? node.initializer : undefined);
    }
    if (ts.isParameter(node) && ts.isIdentifier(node.name)) constants.set(node.name.text, undefined);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return constants;
}

/** The text of an expression; undefined if only running the code would tell. */
function textOf(node, constants) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node).source;
  if (ts.isIdentifier(node)) {
    const made = constants.get(node.text);
    return made && textOf(made, constants);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') return textOf(node.expression, constants);
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw') {
    return ts.isNoSubstitutionTemplateLiteral(node.template) ? node.template.rawText : undefined;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    return joined([textOf(node.left, constants), textOf(node.right, constants)]);
  }
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.flatMap((span) => [textOf(span.expression, constants), span.literal.text]);
    return joined([node.head.text, ...spans]);
  }
  return undefined;
}

function joined(parts) {
  return parts.includes(undefined) ? undefined : parts.join('');
}

function problemOf({ source, flags }) {
  if (source === undefined)
    return 'cannot be known before it runs: write it as a literal, or from constants of its file';
  let result = checkSync(source, flags, LIMITS);
  // An attack is tried out by the clock, which a busy machine stretches: one that works does so again.
  if (result.status === 'vulnerable') result = checkSync(source, flags, LIMITS);
  const { status, complexity, error, attack } = result;
  if (status === 'safe') return undefined;
  if (status === 'vulnerable') return `${complexity.summary}, for example by ${attack.pattern}`;
  return `cannot be proven: ${error?.kind ?? status}`;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
