/**
 * The Safe Browsing canonical form (developers.google.com/safe-browsing/v4/urls-hashing): for matching only, never to
 * show or visit. Each character is a byte, since escapes such as `%80` are not text in any encoding.
 */
import { domainToASCII } from 'node:url';

export interface CanonicalUrl {
  readonly scheme: string;
  /** Without a port; an IPv4 address in dotted decimal. */
  readonly host: string;
  readonly path: string;
  /** With its `?`, or empty. */
  readonly query: string;
}

/** A URL as `URL` serializes most: a name in lower case, no escape, no fragment. Only its path may have another form. */
const PLAIN =
  /^(https?):\/\/([a-z][a-z0-9-]*(?:\.[a-z0-9-]+)+)(?::\d+)?(\/[^?#%\x00-\x20\x7f-\uffff]*)(\?[^#%\x00-\x20\x7f-\uffff]*)?$/;

/** Undefined if there is no host to match. */
export function canonicalUrl(input: string | Uint8Array): CanonicalUrl | undefined {
  const plain = typeof input === 'string' ? PLAIN.exec(input) : null;
  if (plain !== null)
    return { scheme: plain[1]!, host: plain[2]!, path: canonicalPath(plain[3]!), query: plain[4] ?? '' };
  const raw = typeof input === 'string' ? bytesOf(input) : Buffer.from(input).toString('latin1');
  const text = unescaped(withoutFragment(withoutOuterSpaces(raw.replace(/[\t\r\n]/g, ''))));
  const { scheme, rest } = splitScheme(text);
  const end = rest.search(/[/?]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  const host = canonicalHost(authority);
  if (host === undefined) return undefined;
  const tail = end < 0 ? '' : rest.slice(end);
  const mark = tail.indexOf('?');
  const path = canonicalPath(mark < 0 ? tail : tail.slice(0, mark));
  return {
    scheme,
    host: escaped(host),
    path: escaped(path),
    query: mark < 0 ? '' : escaped(tail.slice(mark)),
  };
}

/**
 * Unescapes repeatedly, but in one pass, since repeated passes would take quadratic time for a hostile `%252525…`. A
 * decoded byte can only complete an escape that began before it, so looking back is enough.
 */
export function unescaped(text: string): string {
  if (!text.includes('%')) return text;
  const out = Buffer.allocUnsafe(text.length);
  let size = 0;
  for (let at = 0; at < text.length; at++) {
    let byte = text.charCodeAt(at);
    for (;;) {
      out[size++] = byte;
      if (size < 3 || out[size - 3] !== PERCENT) break;
      const high = hexValue(out[size - 2]!);
      const low = hexValue(out[size - 1]!);
      if (high < 0 || low < 0) break;
      size -= 3;
      byte = high * 16 + low;
    }
  }
  return out.toString('latin1', 0, size);
}

export const PERCENT = 0x25;

/** Returns a number far below zero if there is no hex digit. */
export function hexValue(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1000;
}

function bytesOf(text: string): string {
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1');
}

function withoutOuterSpaces(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
}

function withoutFragment(text: string): string {
  const mark = text.indexOf('#');
  return mark < 0 ? text : text.slice(0, mark);
}

function splitScheme(text: string): { scheme: string; rest: string } {
  const match = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text);
  // Without slashes, text before a colon that no port follows is a scheme without a host (mailto:), not a host.
  if (match === null) return { scheme: 'http', rest: /^[a-z][a-z0-9+.-]*:(?!\d*(?:[/?]|$))/i.test(text) ? '' : text };
  return { scheme: match[1]!.toLowerCase(), rest: text.slice(match[0].length) };
}

function canonicalHost(authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (host.startsWith('[')) {
    const end = host.indexOf(']');
    return end < 0 ? undefined : host.slice(0, end + 1).toLowerCase();
  }
  const [, name, port] = /^([^:]*)(?::(.*))?$/s.exec(host)!;
  if (port !== undefined && !/^\d*$/.test(port)) return undefined;
  const dotted = name!.replace(/\.{2,}/g, '.').replace(/^\.|\.$/g, '');
  if (dotted === '') return undefined;
  return canonicalIpv4(dotted) ?? asciiHost(dotted).toLowerCase();
}

function asciiHost(host: string): string {
  if (/^[\x00-\x7f]*$/.test(host)) return host;
  const text = Buffer.from(host, 'latin1').toString('utf8');
  if (text.includes('\ufffd')) return host;
  return domainToASCII(text) || host;
}

/** inet_aton: one to four numbers in decimal, octal or hex; the last one fills the remaining bytes. */
export function canonicalIpv4(host: string): string | undefined {
  if (!/^\d/.test(host)) return undefined;
  // Resolvers ignored everything after a space.
  const parts = host.replace(/ .*$/s, '').split('.');
  if (parts.length > 4) return undefined;
  let value = 0;
  for (const [at, part] of parts.entries()) {
    const number = numberOf(part);
    if (number === undefined) return undefined;
    const last = at === parts.length - 1;
    const weight = 256 ** (last ? 0 : 3 - at);
    const room = last ? 256 ** (5 - parts.length) : 256;
    value += (last ? number % room : number & 0xff) * weight;
  }
  return [value / 2 ** 24, value / 2 ** 16, value / 2 ** 8, value].map((part) => Math.floor(part) % 256).join('.');
}

function numberOf(text: string): number | undefined {
  if (/^0x[0-9a-f]+$/i.test(text)) return Number.parseInt(text.slice(2), 16) % 2 ** 32;
  if (/^0[0-7]*$/.test(text)) return Number.parseInt(text, 8) % 2 ** 32;
  return /^[1-9]\d*$/.test(text) ? Number(text) % 2 ** 32 : undefined;
}

function canonicalPath(path: string): string {
  if (path === '') return '/';
  if (!/\/\/|\/\./.test(path)) return path;
  const resolved: string[] = [];
  const segments = path.split('/');
  for (const segment of segments) {
    if (segment === '..') resolved.pop();
    else if (segment !== '.' && segment !== '') resolved.push(segment);
  }
  const isDirectory = ['', '.', '..'].includes(segments.at(-1)!);
  return resolved.length === 0 ? '/' : `/${resolved.join('/')}${isDirectory ? '/' : ''}`;
}

const HEX = Array.from({ length: 256 }, (_, byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`);

function escaped(text: string): string {
  return text.replace(/[\x00-\x20\x7f-\xff#%]/g, (char) => HEX[char.charCodeAt(0)]!);
}
