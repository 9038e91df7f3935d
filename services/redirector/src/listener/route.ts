/** Finds out what a visitor asks for, from the request line alone. No input makes it throw. */
import { percentDecoded, slugOfPath } from '@waypost/domain';
import { isWellKnown, type WellKnownPath } from '../pages/well-known.ts';

export type Route = (
  | { readonly kind: 'home' }
  | { readonly kind: 'health' }
  | { readonly kind: 'readiness' }
  | { readonly kind: 'file'; readonly path: WellKnownPath }
  | RequestedLink
  | { readonly kind: 'nothing'; readonly text: string }
) & { readonly query: string };

export interface RequestedLink {
  readonly kind: 'link';
  readonly slug: string;
  /** True for `/<slug>+`, which shows the destination without a redirect. */
  readonly preview: boolean;
  /** The path as a page may show it: decoded and shortened. */
  readonly text: string;
}

const TEXT_MAX = 100;
/** Any percent-encoded slug with trailing characters is shorter. A longer path is not parsed. */
const PATH_MAX = 512;
const ABSOLUTE_FORM = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i;

export function route(target: string): Route {
  const { path, query } = splitTarget(target);
  if (path === '/') return { kind: 'home', query };
  if (path === '/healthz') return { kind: 'health', query };
  if (path === '/readyz') return { kind: 'readiness', query };
  if (isWellKnown(path)) return { kind: 'file', path, query };
  return { ...linkOf(path), query };
}

/** Accepts a request target in origin form (`/a?b`) or absolute form (`http://host/a?b`). Removes a fragment. */
function splitTarget(target: string): { path: string; query: string } {
  const rest = target.startsWith('/') ? target : target.replace(ABSOLUTE_FORM, '');
  const end = rest.search(/[?#]/);
  const path = end === -1 ? rest : rest.slice(0, end);
  const query = end === -1 || rest[end] === '#' ? '' : rest.slice(end + 1);
  return { path: path === '' ? '/' : path, query };
}

function linkOf(path: string): RequestedLink | { readonly kind: 'nothing'; readonly text: string } {
  const decoded = decode(path.slice(path.startsWith('/') ? 1 : 0, PATH_MAX));
  const text = readable(decoded);
  const link = path.length > PATH_MAX ? undefined : slugOfPath(decoded);
  if (link === undefined) return { kind: 'nothing', text };
  return { kind: 'link', slug: link.slug, preview: link.ending.includes('+'), text };
}

/** Node passes on a byte beyond ASCII as one character. */
function decode(path: string): string {
  // A path that is not percent-encoded UTF-8 is no slug.
  return percentDecoded(Buffer.from(path, 'latin1').toString()) ?? path;
}

/** Control and direction characters could make an address look like another one. */
function readable(text: string): string {
  const plain = text.toWellFormed().replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
  const characters = Array.from(plain.slice(0, 2 * TEXT_MAX + 2));
  return characters.length > TEXT_MAX ? `${characters.slice(0, TEXT_MAX - 1).join('')}…` : plain;
}
