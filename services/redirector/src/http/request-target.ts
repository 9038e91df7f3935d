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
/** What people and programs leave at the end when they copy an address out of a text. */
const TRAILING_PUNCTUATION = /[/.,)\]'"!;:]+$/;
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
  const decoded = decode(path.startsWith('/') ? path.slice(1) : path);
  const text = shown(decoded);
  if (isSlug(decoded)) return { slug: decoded, preview: false, text };
  const bare = decoded.replace(TRAILING_PUNCTUATION, '');
  const preview = bare.endsWith('+');
  const slug = preview ? bare.slice(0, -1).replace(TRAILING_PUNCTUATION, '') : bare;
  return isSlug(slug) ? { slug, preview, text } : { slug: undefined, preview, text };
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
