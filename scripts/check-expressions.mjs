/**
 * Proves that every regular expression of the sources takes linear time. With a backtracking expression, the author of
 * its input could block the process. Arguments name the files to check; without them it checks all sources. There is no
 * list of exceptions: an expression that cannot be proven must be rewritten.
 */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';
import ts from 'typescript';

// The JavaScript implementation of the checker gives the same result on every machine.
process.env.RECHECK_SYNC_BACKEND = 'pure';
const { checkSync } = await import('recheck');

/** Tests are excluded, because their input is only their own. */
const SOURCES = ['libs/*/src/**/*.ts', 'services/*/src/**/*.ts'];
const isTest = (file) => file.endsWith('.test.ts');
const LIMITS = { timeout: 60_000 };

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

/** The initialisers of exported constants, by name. A name that two files export is omitted. */
const exported = new Map();
for (const file of globSync(SOURCES, { exclude: isTest })) {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  for (const statement of source.statements) {
    if (!ts.isVariableStatement(statement) || !statement.getText().startsWith('export const ')) continue;
    for (const { name, initializer } of statement.declarationList.declarations)
      exported.set(name.getText(), exported.has(name.getText()) ? undefined : initializer);
  }
}

/** The checker must report these expressions, or the run fails: a checker that finds nothing would pass everything. */
const PLANTED = [
  'x.replace(/\\s+#.*$/, "")',
  'x.search(/(?<!x)\\s+#/)',
  `new RegExp(\`\${A}$\`); const A = '(?:a|a)*';`,
  'RegExp("[.]+" + "$", "g")',
  'const make = (part: string) => new RegExp(part);',
];
for (const [at, source] of PLANTED.entries()) {
  const expressions = expressionsIn(`planted-${at}.ts`, source);
  if (expressions.length !== 1 || problemOf(expressions[0]) === undefined) {
    fail(`the checker is blind: it passes ${source}`);
  }
}

const names = process.argv.slice(2);
const files = names.length > 0 ? names : globSync(SOURCES, { exclude: isTest }).sort();
const expressions = files.flatMap((file) => expressionsIn(file, readFileSync(file, 'utf8')));
const problems = new Map();
let faults = 0;
for (const expression of expressions) {
  const { file, line, shown } = expression;
  if (!problems.has(shown)) problems.set(shown, problemOf(expression));
  const problem = problems.get(shown);
  if (problem === undefined) continue;
  faults++;
  process.stdout.write(`${file}:${line}: ${shown}\n  ${problem}\n`);
}
process.stdout.write(`${expressions.length} expressions in ${files.length} files, ${faults} not proven linear\n`);
if (faults > 0 || expressions.length === 0) process.exit(1);

function expressionsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(source);
  const expressions = [];
  const add = (node, expression) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    expressions.push({ file, line, shown: node.getText(), ...expression });
  };
  const visit = (node) => {
    if (ts.isRegularExpressionLiteral(node)) add(node, partsOf(node));
    if ((ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp') {
      const [pattern, flags] = node.arguments ?? [];
      const parts = { source: pattern && textOf(pattern, constants), flags: flags ? textOf(flags, constants) : '' };
      add(
        node,
        parts.source === undefined || parts.flags === undefined
          ? {}
          : { ...parts, shown: `/${parts.source}/${parts.flags}` },
      );
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return expressions;
}

function partsOf(literal) {
  const end = literal.text.lastIndexOf('/');
  return { source: literal.text.slice(1, end), flags: literal.text.slice(end + 1) };
}

/** Returns the initialisers of a file's constants and imports, by name. A name that is declared twice is omitted. */
function constantsOf(source) {
  const constants = new Map();
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name)) {
      const isConstant = (node.parent.flags & ts.NodeFlags.Const) !== 0 && !constants.has(node.name.text);
      constants.set(node.name.text, isConstant ? node.initializer : undefined);
    }
    if (ts.isImportSpecifier(node) && node.propertyName === undefined) {
      const isOurs = /^[.]|^@waypost[/]/.test(node.parent.parent.parent.moduleSpecifier.text);
      constants.set(node.name.text, isOurs ? exported.get(node.name.text) : undefined);
    }
    if (ts.isParameter(node) && ts.isIdentifier(node.name)) constants.set(node.name.text, undefined);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return constants;
}

/** Returns the text of an expression, or undefined if it is known only at run time. */
function textOf(node, constants) {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isRegularExpressionLiteral(node)) return partsOf(node).source;
  if (ts.isIdentifier(node)) {
    const initialiser = constants.get(node.text);
    return initialiser && textOf(initialiser, constants);
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
    return 'cannot be known before it runs: write it as a literal, or from constants of its file or of an import';
  const { status, checker, complexity, error, attack } = checkSync(source, flags, LIMITS);
  if (status === 'safe') return undefined;
  // The checker finds some attacks by their time, which a busy machine distorts. A real one takes seconds.
  if (status === 'vulnerable' && checker === 'fuzz' && endsSoon(source, flags, attack.string)) return undefined;
  if (status === 'vulnerable') return `${complexity.summary}, for example by ${attack.pattern}`;
  return `cannot be proven: ${error?.kind ?? status}`;
}

function endsSoon(source, flags, text) {
  try {
    vm.runInNewContext('new RegExp(source, flags).exec(text)', { source, flags, text }, { timeout: 500 });
    return true;
  } catch {
    return false;
  }
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
