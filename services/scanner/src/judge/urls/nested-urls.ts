/**
 * URLs inside a URL: the targets of open redirectors, link checkers, archives and mail wrappers. They are in the path,
 * the query or the fragment, in JSON or text there; unchanged, percent-encoded (once for each service on the way) or in
 * base64; and in every spelling that a browser accepts. Each layer of escapes is read once, from its end.
 */
import { hexValue, PERCENT } from './canonical-url.ts';
import { carriedBy } from './carriers.ts';
import { isHost } from './hosts.ts';

export interface NestedUrls {
  /** Unique, as serialised by `new URL`. */
  readonly urls: readonly string[];
  /** Those whose host may be the end of one line and the start of another: rules prove nothing about it. */
  readonly doubtful: ReadonlySet<string>;
  /** False if a limit was reached: the URL is built to hide something, since no honest one has as many. */
  readonly isComplete: boolean;
}

/** Of 45,000 URLs that people share, none contains more than eight. One that is nested in itself ten times has 20. */
const MOST_URLS = 20;
/** The places where a URL may start, in all layers. Of 120,000 real URLs, phishing included, none has more than 15. */
const MOST_PLACES = 24;
/** The number of characters of possible URLs, and of layers. Each is several times the longest URL. */
const MOST_PARSED = 8_000;
const MOST_READ = 16_000;
/** A URL needs three layers, and one more for each URL that has it as a parameter. */
const MOST_LAYERS = 6;

export function nestedUrls(outer: URL): NestedUrls {
  const search = new Search();
  search.read(plainLayer(outer.pathname + outer.search + outer.hash));
  for (const text of carriedBy(outer)) search.read(plainLayer(text), true);
  // The loop also visits what it adds to the map.
  for (const { url } of search.urls.values()) {
    if (!search.isComplete) break;
    for (const text of carriedBy(url)) search.read(plainLayer(text), true);
  }
  search.urls.delete(outer.href);
  const doubtful = [...search.urls].flatMap(([href, { isDoubtful }]) => (isDoubtful ? href : []));
  return { urls: [...search.urls.keys()], doubtful: new Set(doubtful), isComplete: search.isComplete };
}

/** A text after one more layer of escapes was removed. */
interface Layer {
  readonly text: string;
  /** Where a tab or a line end was dropped from the text, as browsers do. It may also end a URL. */
  readonly breaks: ReadonlySet<number>;
}

const plainLayer = (text: string): Layer => ({ text, breaks: new Set() });

interface Start {
  /** The place where the host starts. */
  readonly at: number;
  /** Without one, only a name under a listed suffix counts as a host. */
  readonly scheme?: string;
  readonly colon?: number;
}

class Search {
  readonly urls = new Map<string, { readonly url: URL; readonly isDoubtful: boolean }>();
  isComplete = true;
  readonly #texts = new Set<string>();
  /** Texts may repeat. Null for a text that is no URL. */
  readonly #urlOfText = new Map<string, URL | null>();
  #read = 0;
  #parsed = 0;
  #places = 0;

  /** `isCarried`: the text belongs to a carrier, so it may start with a host or have one as a path segment. */
  read(first: Layer, isCarried = false): void {
    const id = `${isCarried} ${first.text}`;
    if (this.#texts.has(id)) return;
    this.#texts.add(id);
    let layer: Layer | undefined = first;
    for (let depth = 0; layer !== undefined && depth <= MOST_LAYERS; depth++) {
      this.#read += layer.text.length;
      if (this.#read > MOST_READ) this.isComplete = false;
      if (!this.isComplete) return;
      const colons = this.#readLayer(layer, isCarried);
      if (layer.text.includes('\\') && layer.text.includes('"')) this.read(withoutJsonBreaks(layer.text), isCarried);
      layer = withoutOneLayer(layer, colons);
    }
  }

  /** Returns the places of the URLs' colons: the next layer need not find these URLs again. */
  #readLayer(of: Layer, isCarried: boolean): ReadonlySet<number> {
    const starts = startsIn(of.text, isCarried);
    const hosts = starts.filter(({ at }) => mayBeHost(of.text, at));
    const inBase64 = matchesOf(BASE64, of.text);
    this.#places += hosts.length + inBase64.length;
    if (this.#places > MOST_PLACES) this.isComplete = false;
    if (!this.isComplete) return NOWHERE;
    for (const [encoded] of inBase64) {
      const decoded = Buffer.from(plain(encoded), 'base64')
        .toString('latin1')
        .replace(/[\t\n\r]/g, '');
      this.read(plainLayer(/^[\x21-\x7e]*/.exec(decoded)![0]));
    }
    return hosts.length === 0 ? NOWHERE : this.#takeAll(of, starts, new Set(hosts));
  }

  #takeAll(of: Layer, starts: readonly Start[], hosts: ReadonlySet<Start>): Set<number> {
    const layer = of.text;
    const colons = new Set<number>();
    const text = plain(layer);
    const ends = new Ends(of);
    const hasEscapedBreak = ESCAPED_BREAK.test(layer);
    for (let next = starts.length - 1; next >= 0 && this.isComplete; next--) {
      const start = starts[next]!;
      const urlEnds = ends.after(start.at, next === 0);
      if (!hosts.has(start) || !this.#take(text, start, urlEnds, ends.lineEnd) || start.colon === undefined) continue;
      if (!hasEscapedBreak || !ESCAPED_BREAK.test(layer.slice(start.at, urlEnds.at(-1)))) colons.add(start.colon);
    }
    return colons;
  }

  /** Returns false if no URL starts here. `unmarked`: the layer without marks of earlier separators. */
  #take(unmarked: string, { at, scheme }: Start, ends: readonly number[], lineEnd: number): boolean {
    const isLine = lineEnd > at && isHost(unmarked.slice(at, lineEnd));
    const texts = new Map<string, boolean>();
    for (const end of ends) {
      for (const text of spellings(unmarked.slice(at, end)))
        if (!texts.has(text)) texts.set(text, isLine && end > lineEnd);
    }
    let isUrl = false;
    for (const [text, isDoubtful] of texts) {
      this.#parsed += text.length;
      if (this.#parsed > MOST_PARSED || this.urls.size > MOST_URLS) this.isComplete = false;
      if (!this.isComplete) return isUrl;
      if (scheme === undefined && !isHost(/^[^/?#]*/.exec(text)![0])) continue;
      const url = this.#urlOf(`${scheme ?? 'http'}://${text}`);
      if (url === null) continue;
      const { href } = url;
      this.urls.set(href, { url, isDoubtful: isDoubtful && this.urls.get(href)?.isDoubtful !== false });
      isUrl = true;
    }
    return isUrl;
  }

  #urlOf(text: string): URL | null {
    let url = this.#urlOfText.get(text);
    if (url === undefined) {
      url = URL.parse(text);
      if (url !== null && !(/[.:]/.test(url.hostname) && url.hostname.length <= LONGEST_HOST)) url = null;
      this.#urlOfText.set(text, url);
    }
    return url;
  }
}

const LONGEST_HOST = 254;
const NOWHERE: ReadonlySet<number> = new Set();

/**
 * In a layer, the separators of an earlier layer have the eighth bit set: a URL that was encoded as a parameter ends
 * where the parameter ended. Everything else is ASCII.
 */
const EARLIER = 0x80;

/** A tab or a line end that a later layer drops, so that the URL around it changes. */
const ESCAPED_BREAK = /%(?:25)*0[9ad]/i;
/** A tab or a line end in JSON. After a second backslash, the letter is an ordinary letter. */
const JSON_BREAKS = /(?<!\\)\\(?:[tnr]|u000[9ad])/gi;

/** `http:` and any slashes or backslashes, or none. */
const SCHEME = /(https?):[/\\\xaf]*/gi;
/** With the scheme of the page: `//host`, `/\host`. */
const SLASHES = /(?<![:\xba/\\\xaf])[/\\\xaf]{2,}/g;
/** `?to=host.example/path`: a host and a path, not a bare name. */
const VALUE = /[=\xbd](?:[a-z0-9-]+\.)+[a-z]{2,}(?=[/\xaf])/gi;
/** A segment of a carrier's text that is a host, unless a scheme or slashes precede it. */
const SEGMENT = /(?<![^/\xaf:])(?<![:/\xaf][/\xaf])(?:[a-z0-9_-]+\.)+[a-z0-9-]+(?![^/\\?#&:\xaf\xbf\xa3\xa6])/gi;
/** An authority with a dot, a port, a password or an escape, or that is a number. */
const HOST_LIKE =
  /[^/\\?#&"'<> \xaf\xbf\xa3\xa6.:%]*(?:[.%]|:(?=[^/\\?#&"'<> \xaf\xbf\xa3\xa6]))|\d[^/\\?#&"'<> \xaf\xbf\xa3\xa6.:%]*:|\d+(?![^/\\?#&"'<> \xaf\xbf\xa3\xa6])/y;
/** `http:` and `https:` in base64, also in upper case. */
const BASE64 = /(?:aHR0c|SHR0c|SFRUU)[A-Za-z0-9+/_\-\xaf]+/g;

/** Unlike `matchAll`, it does not copy the expression for each text, which takes longer than most searches. */
function matchesOf(pattern: RegExp, text: string): RegExpExecArray[] {
  const matches: RegExpExecArray[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) matches.push(match);
  return matches;
}

function startsIn(layer: string, isCarried: boolean): Start[] {
  const starts: Start[] = [];
  for (const { index, 0: all, 1: scheme } of matchesOf(SCHEME, layer)) {
    starts.push({ at: index + all.length, scheme: scheme!.toLowerCase(), colon: index + scheme!.length });
  }
  for (const { index, 0: slashes } of matchesOf(SLASHES, layer)) {
    if (/[/\\]/.test(slashes)) starts.push({ at: index + slashes.length });
  }
  for (const { index } of matchesOf(VALUE, layer)) starts.push({ at: index + 1 });
  if (isCarried) {
    const first = layer.matchAll(SEGMENT).find(([host]) => isHost(host));
    if (first !== undefined) starts.push({ at: first.index });
  }
  return starts.sort((a, b) => a.at - b.at);
}

function mayBeHost(layer: string, at: number): boolean {
  HOST_LIKE.lastIndex = at;
  return HOST_LIKE.test(layer);
}

/**
 * Only the server knows where a nested URL ends: at the next separator of the previous layer, the next separator of its
 * parameters, the next `&`, the next character that no URL has, the next one that text has after a URL, or before the
 * parameter with the next URL. We try all of them. The first URL of a text may also extend to the end.
 */
const END_CHARACTERS = ['\xaf\xbf\xa6\xa3\xbd', '\xbf\xa6\xa3', '&', ' "<>^`{|}', `'()[],;*!+`];
/** For each character, the kinds of end that it marks. */
const ENDS_AT: readonly (readonly number[] | undefined)[] = Array.from({ length: 256 }, (_, code) => {
  const kinds = END_CHARACTERS.flatMap((characters, kind) =>
    characters.includes(String.fromCharCode(code)) ? [kind] : [],
  );
  return kinds.length === 0 ? undefined : kinds;
});
/** Quotes and spaces, which no URL contains: `new URL` escapes them where they surround a plain one. */
const TEXT_KIND = 3;
const endsText = (byte: number) => (byte >= 0 && byte < 0x20) || (ENDS_AT[byte]?.includes(TEXT_KIND) ?? false);
/** Proofpoint's wrapper puts two underscores after the URL. */
const UNDERSCORE = 0x5f;
const AMPERSAND = 0x26;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** What follows the backslash of a tab or a line end in JSON. */
const JSON_BREAK_LETTERS = 'tnru';
const UNDERSCORES_KIND = END_CHARACTERS.length;
const JSON_BREAK_KIND = UNDERSCORES_KIND + 1;
const LINE_KIND = JSON_BREAK_KIND + 1;
/** Whether a character can be an end at all. Most cannot, and each character of each layer is looked at. */
const MAY_END = ENDS_AT.map((kinds, code) => {
  const others = [PERCENT, AMPERSAND, AMPERSAND | EARLIER, BACKSLASH, UNDERSCORE];
  return kinds !== undefined || others.includes(code);
});

/** The nearest end of each kind after a place that moves towards the start of the text. */
class Ends {
  readonly #nearest = new Array<number>(LINE_KIND + 1).fill(-1);
  readonly #text: string;
  readonly #breaks: ReadonlySet<number>;
  #place: number;
  #parameterEnd: number;
  #isInParameterOfNext = false;

  constructor({ text, breaks }: Layer) {
    this.#text = text;
    this.#breaks = breaks;
    this.#place = text.length;
    this.#parameterEnd = text.length;
  }

  #passTo(place: number): void {
    const text = this.#text;
    const hasBreaks = this.#breaks.size > 0;
    for (let at = this.#place - 1; at >= place; at--) {
      if (hasBreaks && this.#breaks.has(at + 1)) this.#nearest[LINE_KIND] = at + 1;
      const code = text.charCodeAt(at);
      if (MAY_END[code]) this.#pass(code, at);
    }
    this.#place = Math.min(this.#place, place);
  }

  #pass(code: number, at: number): void {
    const text = this.#text;
    const kinds = ENDS_AT[code];
    if (kinds !== undefined) for (const kind of kinds) this.#nearest[kind] = at;
    if (code === PERCENT && endsText(byteAt(text, at + 1))) this.#nearest[TEXT_KIND] = at;
    if (code === BACKSLASH && JSON_BREAK_LETTERS.includes(text[at + 1] ?? ' ')) this.#nearest[JSON_BREAK_KIND] = at;
    if (code === UNDERSCORE && text.charCodeAt(at + 1) === UNDERSCORE) this.#nearest[UNDERSCORES_KIND] = at;
    if ((code & ~EARLIER) === AMPERSAND && this.#isInParameterOfNext) {
      this.#parameterEnd = at;
      this.#isInParameterOfNext = false;
    }
  }

  /** The nearest tab or line end; -1 if there is none. */
  get lineEnd(): number {
    return this.#nearest[LINE_KIND]!;
  }

  /** Returns the possible ends of the URL that starts here, in ascending order. Later calls are for earlier places. */
  after(at: number, isFirst: boolean): number[] {
    this.#passTo(at);
    const ends: number[] = [];
    const add = (end: number) => void (end <= at || ends.includes(end) || ends.push(end));
    for (const end of this.#nearest) add(end);
    add(this.#parameterEnd);
    if (isFirst) add(this.#text.length);
    this.#isInParameterOfNext = true;
    return ends.sort((a, b) => a - b);
  }
}

/** The text, and the text without a sentence's full stop. Backslashes may be slashes, or escape slashes or quotes. */
function spellings(text: string): string[] {
  const end = endBefore('.:!?\\', text);
  const both = end === text.length ? [text] : [text.slice(0, end), text];
  return text.includes('\\') ? both.map((spelling) => spelling.replace(/\\[/\\]*/g, '/')) : both;
}

function endBefore(characters: string, text: string): number {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1]!)) end--;
  return end;
}

/** Node reads `ascii` without the eighth bit. */
function plain(layer: string): string {
  return Buffer.from(layer, 'latin1').toString('ascii');
}

function withoutJsonBreaks(text: string): Layer {
  const breaks = new Set<number>();
  let dropped = 0;
  const rest = text.replace(JSON_BREAKS, (written, at: number) => {
    breaks.add(at - dropped);
    dropped += written.length;
    return '';
  });
  return { text: rest, breaks };
}

const IS_SEPARATOR = Array.from({ length: 256 }, (_, code) => '/?&#='.includes(String.fromCharCode(code)));

/**
 * Unescapes printable ASCII once, and drops tabs and line ends as browsers do; undefined if there is nothing to
 * unescape. `new URL` understands other escapes, as of a host name in UTF-8.
 */
function withoutOneLayer({ text: layer, breaks }: Layer, colons: ReadonlySet<number>): Layer | undefined {
  if (!layer.includes('%')) return undefined;
  const newBreaks = new Set<number>();
  const out = Buffer.allocUnsafe(layer.length);
  let size = 0;
  let isChanged = false;
  for (let at = 0; at < layer.length; at++) {
    const code = layer.charCodeAt(at);
    const byte = code === PERCENT ? byteAt(layer, at + 1) : -1;
    if (breaks.size > 0 && breaks.has(at)) newBreaks.add(size);
    if (byte === 0x09 || byte === 0x0a || byte === 0x0d || (byte >= 0x20 && byte < 0x7f)) {
      if (byte >= 0x20) out[size++] = byte;
      else newBreaks.add(size);
      isChanged = true;
      at += 2;
    } else {
      out[size++] = IS_SEPARATOR[code] || (code === COLON && colons.has(at)) ? code | EARLIER : code;
    }
  }
  return isChanged ? { text: out.toString('latin1', 0, size), breaks: newBreaks } : undefined;
}

function byteAt(text: string, at: number): number {
  return 16 * hexValue(text.charCodeAt(at)) + hexValue(text.charCodeAt(at + 1));
}
