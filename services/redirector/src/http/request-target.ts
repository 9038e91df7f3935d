/** What a visitor asked for, read from the request line. Nothing in it can make this throw. */
import { isSlug } from '@waypost/domain';

export interface RequestTarget {
  /** As sent, with its leading slash. */
  readonly path: string;
  readonly query: string;
}

export interface AskedLink {
  /** Undefined if the path can be no slug. */
  readonly slug: string | undefined;
  /** `/<slug>+`: where it leads, without going there. */
  readonly preview: boolean;
  /** The path in words a page may show: decoded, of bounded length. */
  readonly text: string;
}

const TEXT_MAX = 100;
/** More than any slug with what is left behind it, percent-encoded. What is longer is not even read. */
const PATH_MAX = 512;
/** What people and programs leave at the end when they copy an address out of a text. */
const TRAILING_PUNCTUATION = `/.,)]'"!;:`;
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

/** Splits origin-form (`/a?b`) and absolute-form (`http://host/a?b`) targets; a fragment has no business here. */
export function splitTarget(target: string): RequestTarget {
  const rest = target.startsWith('/') ? target : target.replace(ABSOLUTE_FORM, '');
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const query = end === -1 || rest[end] === '#' ? '' : rest.slice(end + 1);
  return { path: path === '' ? '/' : path, query };
}

export function readPath(path: string): AskedLink {
  const decoded = decode(path.slice(path.startsWith('/') ? 1 : 0, PATH_MAX));
  const text = shown(decoded);
  if (path.length > PATH_MAX) return { slug: undefined, preview: false, text };
  if (isSlug(decoded)) return { slug: decoded, preview: false, text };
  const bare = withoutPunctuation(decoded);
  const preview = bare.endsWith('+');
  const slug = preview ? withoutPunctuation(bare.slice(0, -1)) : bare;
  return isSlug(slug) ? { slug, preview, text } : { slug: undefined, preview, text };
}

/** A loop, since an expression that looks for the end of a run starts again at each of its characters. */
function withoutPunctuation(text: string): string {
  let end = text.length;
  while (end > 0 && TRAILING_PUNCTUATION.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path; // not UTF-8 or not percent-encoding: no slug, shown as it came
  }
}

/** Control and direction characters would let an address pretend to be another one. */
function shown(text: string): string {
  const plain = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  const characters = Array.from(plain.slice(0, 2 * TEXT_MAX + 2));
  return characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX - 1).join('')}…` : plain;
}
