/** Parses what a visitor requests from the request line. No input makes it throw. */
import { isSlug } from '@waypost/domain';

export interface RequestTarget {
  /** As sent, with its leading slash. */
  readonly path: string;
  readonly query: string;
}

export interface RequestedLink {
  /** Undefined if the path cannot be a slug. */
  readonly slug: string | undefined;
  /** `/<slug>+`: shows where the link leads, without a redirect. */
  readonly preview: boolean;
  /** The path as a page may show it: decoded, of bounded length. */
  readonly text: string;
}

const TEXT_MAX = 100;
/** Longer than any percent-encoded slug with trailing characters. A longer path is not parsed. */
const PATH_MAX = 512;
/** Trailing characters that people and programs copy along with an address. */
const TRAILING_PUNCTUATION = `/.,)]'"!;:`;
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Splits origin-form (`/a?b`) and absolute-form (`http://host/a?b`) targets; drops a fragment. */
export function splitTarget(target: string): RequestTarget {
  const rest = target.startsWith('/') ? target : target.replace(ABSOLUTE_FORM, '');
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const query = end === -1 || rest[end] === '#' ? '' : rest.slice(end + 1);
  return { path: path === '' ? '/' : path, query };
}

export function readPath(path: string): RequestedLink {
  const decoded = decode(path.slice(path.startsWith('/') ? 1 : 0, PATH_MAX));
  const text = shown(decoded);
  if (path.length > PATH_MAX) return { slug: undefined, preview: false, text };
  if (isSlug(decoded)) return { slug: decoded, preview: false, text };
  const bare = withoutPunctuation(decoded);
  const preview = bare.endsWith('+');
  const slug = preview ? withoutPunctuation(bare.slice(0, -1)) : bare;
  return isSlug(slug) ? { slug, preview, text } : { slug: undefined, preview, text };
}

/** A loop, because a regular expression would restart at each character of a run, in quadratic time. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && TRAILING_PUNCTUATION.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not UTF-8 or not percent-encoded: no slug, shown as received
  }
}

/** Control and direction characters could make an address look like another one. */
function shown(text: string): string {
  const plain = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  const characters = Array.from(plain.slice(0, 2 * TEXT_MAX + 2));
  return characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX - 1).join('')}…` : plain;
}
