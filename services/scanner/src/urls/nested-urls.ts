/**
 * URLs inside a URL: what an open redirector, a link checker or an archive leads to. They stand in the path, the query
 * or the fragment, as they are, percent-encoded (several times, if they went through several hands) or in base64.
 */
export const NESTED_PER_URL = 8;
const DEEPEST = 3;
/** What looks like a URL and is none costs as much as one that is: a hostile URL may hold hundreds. */
const MOST_TRIED = 32;

/** At most eight, at most three deep, each once, in the form that `new URL` gives them. */
export function nestedUrls(href: string): string[] {
  const found = new Set<string>();
  let level = [href];
  let tried = 0;
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const next: string[] = [];
    for (const outer of level) {
      for (const candidate of candidatesIn(outer)) {
        if (found.size >= NESTED_PER_URL || ++tried > MOST_TRIED) return [...found];
        if (candidate === undefined || candidate === href || found.has(candidate)) continue;
        found.add(candidate);
        next.push(candidate);
      }
    }
    level = next;
  }
  return [...found];
}

/** A scheme and its slashes, plain or percent-encoded any number of times. Servers also take one slash, or none spelt. */
const COLON = '(?::|%(?:25)*3a)';
const SLASH = '(?:/|%(?:25)*2f)';
const PLAIN = new RegExp(`https?${COLON}${SLASH}+`, 'gi');
/** `?to=//host/`: the scheme of the page. */
const SCHEMELESS = new RegExp(`=(${SLASH}{2}[a-z0-9])`, 'gi');
/** `http:` and `https:` in base64, in lower and upper case. */
const BASE64 = /(?:aHR0cDov|aHR0cHM6|SFRUUDov|SFRUUFM6)[A-Za-z0-9+/_-]+/g;

function* candidatesIn(outer: string): Generator<string | undefined> {
  const text = outer.slice(outer.indexOf('//') + 2);
  const start = text.search(/[/?#]/);
  if (start < 0) return;
  const tail = text.slice(start);
  for (const match of tail.matchAll(PLAIN)) yield* spellingsOf(tail.slice(match.index), match[0]);
  for (const match of tail.matchAll(SCHEMELESS)) yield* spellingsOf(`http:${tail.slice(match.index + 1)}`, match[1]!);
  for (const match of unescapedOnce(tail).matchAll(BASE64)) {
    const decoded = Buffer.from(match[0], 'base64').toString('latin1');
    yield parsed(/^[\x21-\x7e]*/.exec(decoded)![0]);
  }
}

/**
 * Where a nested URL ends is known only to the server: at the next `&` if it is one parameter of several, at the end
 * if it is the rest of a path. Both are tried.
 */
function* spellingsOf(text: string, start: string): Generator<string | undefined> {
  const parameter = /^[^&]*/.exec(text)![0];
  if (start.includes('%')) {
    yield parsed(decoded(parameter));
    return;
  }
  yield parsed(parameter);
  if (parameter.length < text.length) yield parsed(text);
}

/** Layer by layer until the scheme shows, so that escapes that belong to the nested URL itself are kept. */
function decoded(text: string): string {
  let plain = text;
  for (let layer = 0; layer < 5 && !/^https?:\/\//i.test(plain); layer++) plain = unescapedOnce(plain);
  return plain;
}

/** Escapes of printable ASCII only: others (a host name in UTF-8) `new URL` understands as they are. */
function unescapedOnce(text: string): string {
  return text.replace(/%(2[1-9a-f]|[3-6][0-9a-f]|7[0-9a-e])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function parsed(text: string): string | undefined {
  // One slash, or three: browsers and archives read them as two.
  const url = URL.parse(text.replace(/^(https?:)\/+/i, '$1//'));
  return url !== null && /[.:]/.test(url.hostname) ? url.href : undefined;
}
