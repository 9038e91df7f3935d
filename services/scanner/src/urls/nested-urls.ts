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

const COLON = '(?::|%(?:25)*3a)';
const SLASH = '(?:/|%(?:25)*2f)';

/** How the start of a nested URL looks, percent-encoded any number of times or not at all. */
interface Start {
  readonly pattern: RegExp;
  /** What it looks like when enough layers of escapes are off. */
  readonly plain: RegExp;
  /** What has to stand before it to make it a URL. */
  readonly prefix: string;
}

const STARTS: readonly Start[] = [
  // A scheme and its slashes; servers also take one slash.
  { pattern: new RegExp(`https?${COLON}${SLASH}+`, 'gi'), plain: /^https?:\//i, prefix: '' },
  // `?to=//host/`: the scheme of the page.
  { pattern: new RegExp(`(?<==)${SLASH}{2}[a-z0-9]`, 'gi'), plain: /^\/\//, prefix: 'http:' },
  // `?to=host.example/path`: a host and a path, not a mere name that somebody asks about.
  {
    pattern: new RegExp(`(?<==)(?:[a-z0-9-]+\\.)+[a-z]{2,}${SLASH}[^&#]`, 'gi'),
    plain: /^[^/%]+\//,
    prefix: 'http://',
  },
];
/** `http:` and `https:` in base64, in lower and upper case. */
const BASE64 = /(?:aHR0cDov|aHR0cHM6|SFRUUDov|SFRUUFM6)[A-Za-z0-9+/_-]+/g;

function* candidatesIn(outer: string): Generator<string | undefined> {
  const text = outer.slice(outer.indexOf('//') + 2);
  const start = text.search(/[/?#]/);
  if (start < 0) return;
  const tail = text.slice(start);
  for (const { pattern, plain, prefix } of STARTS) {
    for (const match of tail.matchAll(pattern)) {
      for (const spelling of spellingsOf(tail.slice(match.index), match[0], plain)) yield parsed(prefix + spelling);
    }
  }
  for (const match of unescapedOnce(tail).matchAll(BASE64)) {
    const decoded = Buffer.from(match[0], 'base64').toString('latin1');
    yield parsed(/^[\x21-\x7e]*/.exec(decoded)![0]);
  }
}

/**
 * Where a nested URL ends is known only to the server: at the next `&` if it is one parameter of several, at the end
 * if it is the rest of a path. Both are tried.
 */
function spellingsOf(text: string, start: string, plain: RegExp): string[] {
  const parameter = /^[^&]*/.exec(text)![0];
  if (start.includes('%')) return [decoded(parameter, plain)];
  return parameter.length < text.length ? [parameter, text] : [parameter];
}

/** Layer by layer until the start is plain, so that escapes that belong to the nested URL itself are kept. */
function decoded(text: string, plain: RegExp): string {
  let next = text;
  for (let layer = 0; layer < 5 && !plain.test(next); layer++) next = unescapedOnce(next);
  return next;
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
