/**
 * Safe Browsing expressions. The specification stops at five hosts and four directories, and our promise does not
 * (docs/contract.md, Matching), so the caller decides how many deeper expressions to take.
 */
import type { CanonicalUrl } from './canonical-url.ts';
import { tenantOf } from './hosts.ts';

/** Raise it when a URL gets other expressions, from here or from its canonical form: links are then filed again. */
export const EXPRESSIONS_VERSION = 1;

const SUFFIX_HOSTS = 4;
const PREFIX_PATHS = 4;

/** At most five hosts times six paths, the most specific first. `suffixes`: of the URL's host. */
export function expressionsOf(url: CanonicalUrl, suffixes = suffixesOf(url.host)): string[] {
  const directories = directoriesOf(url.path).take(PREFIX_PATHS);
  const exact = url.query === '' ? [url.path] : [url.path + url.query, url.path];
  const paths = [...exact, ...directories.filter((path) => path !== url.path)];
  return hostsOf(url.host, suffixes).flatMap((host) => paths.map((path) => host + path));
}

/**
 * What the specification leaves out: the path without a segment's parameters (`/page;x`), deeper directories, and the
 * hosts between the exact one and the last five.
 */
export function* deeperExpressionsOf(url: CanonicalUrl, suffixes = suffixesOf(url.host)): Generator<string> {
  const hosts = hostsOf(url.host, suffixes);
  const parameters = url.path.indexOf(';');
  if (parameters > 0 && url.path[parameters - 1] !== '/')
    for (const host of hosts) yield host + url.path.slice(0, parameters);
  for (const host of suffixes) if (!hosts.includes(host)) yield `${host}/`;
  for (const path of directoriesOf(url.path).drop(PREFIX_PATHS)) {
    if (path !== url.path) for (const host of hosts) yield host + path;
  }
}

function* directoriesOf(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) yield path.slice(0, at + 1);
}

/** The exact host, and up to four suffixes of its last five labels. */
function hostsOf(host: string, suffixes: readonly string[]): readonly string[] {
  // Each suffix has one label less than the one before it, so only the last few can be short enough.
  const last = suffixes.slice(-SUFFIX_HOSTS - 1);
  const near = last.filter((suffix) => labelCount(suffix) <= SUFFIX_HOSTS + 1);
  return [host, ...near.slice(-SUFFIX_HOSTS)];
}

/** Every parent of the host, down to its tenant: never a public suffix, nor a host that many tenants share. */
export function suffixesOf(host: string): readonly string[] {
  const tenant = host.startsWith('[') ? null : tenantOf(host);
  if (tenant === null) return [];
  const suffixes: string[] = [];
  for (let rest = host; rest.length > tenant.length; ) {
    rest = rest.slice(rest.indexOf('.') + 1);
    suffixes.push(rest);
  }
  return suffixes;
}

function labelCount(host: string): number {
  let count = 1;
  for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) count++;
  return count;
}
