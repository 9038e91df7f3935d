/** Finds the texts that users read in a file of the product: the kind of each, its line and its words. */
import ts from 'typescript';

/** The kind of a text comes from the nearest property, call or class around it with one of these names. */
const KINDS = [
  ['summary', /^summary$|\.summary$/],
  ['description', /^(description|describe|purpose)$|\.(description|describe)$/],
  ['title', /^title$/],
  ['meaning', /^means$/],
  ['help', /^(help|argumentHelp)$|^add(Quiet)?Command$|\.addHelpText$/],
  ['option', /^(value|count|many|oneOf)$|\.(option|argument)$|^Option$/],
  ['setting', /^(setting|SETTING)\b/],
  ['metric', /^metric\b/],
  ['log', /logger\??\.\w+$/],
  ['error', /(Error|Mistake|Problem|Fault|Refused)$|^(fault|wrong|messages?)$|\.(messages?|error)$/],
];
/** An example of a command is no sentence. */
const isProse = (text) => !text.startsWith('waypost ') && /\p{L}{2,}[,.:;]? [\p{L}$]/u.test(text);
const SQL = /\b(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|WITH|FROM|WHERE|JOIN|GRANT|COPY|SETTINGS) /;

/** Returns nothing for a file without such texts. Values in a text are `x`. */
export function textsOf(file, text) {
  if (/locales\/en\.json$/.test(file)) return linesWith(text, /": "(.*)",?$/, 'locale');
  if (/alerts\.yml$/.test(file)) return linesWith(text, /^ +(?:summary|description): (.*)/, 'alert');
  if (!/^(services|libs)\/(?!contracts|test-support)[^/]+\/(src|migrations)\//.test(file)) return [];
  if (file.endsWith('.sql')) return linesWith(text, /^(?! *--)(.*)/, 'SQL');
  return /\.tsx?$/.test(file) && !/(\.test|\.stack|api-types)\.tsx?$/.test(file) ? textsOfSource(file, text) : [];
}

function linesWith(text, pattern, kind) {
  return text.split('\n').flatMap((line, i) => {
    const [, words] = pattern.exec(line) ?? [];
    return words === undefined ? [] : [{ kind, line: i + 1, text: words }];
  });
}

function textsOfSource(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const texts = [];
  const visit = (node) => {
    // The dashboard takes its texts from locales, so strings in its components are names of classes.
    const words = file.endsWith('.tsx') && !ts.isJsxText(node) ? undefined : wordsOf(node);
    if (words !== undefined && isProse(words)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      texts.push({ kind: SQL.test(words) ? 'SQL' : kindOf(node), line: line + 1, text: words });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}

function wordsOf(node) {
  if (ts.isStringLiteralLike(node) || ts.isJsxText(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map(({ literal }) => `x${literal.text}`).join('');
}

function kindOf({ parent }) {
  for (let at = parent; at !== undefined; at = at.parent) {
    const isCall = ts.isCallExpression(at) || ts.isNewExpression(at);
    const carrier = isCall ? at.expression : ts.isPropertyAssignment(at) ? at.name : undefined;
    const name = carrier?.getText().replace(/\s/g, '');
    const [kind] = KINDS.find(([, names]) => name !== undefined && names.test(name)) ?? [];
    if (kind !== undefined) return kind;
  }
  return 'other';
}
