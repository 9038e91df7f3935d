/**
 * Safe Browsing expressions: the host and path combinations under which a list may name a URL. The specification stops
 * at five hosts and four directories. Our promise has no such limit (docs/contract.md, Matching: a host covers its
 * subdomains, a directory everything below it), so deeper expressions follow, one at a time, and the caller decides
 * when to stop.
 */
import { memo } from '@waypost/resilience';
import type { CanonicalUrl } from './canonical-url.ts';
import { HOSTS, tenantOf } from './hosts.ts';

/** Goes up when a URL gets other expressions, by this module or by what it is handed: links are then filed anew. */
export const EXPRESSIONS_VERSION = 1;

const SUFFIX_HOSTS = 4;
const PREFIX_PATHS = 4;

/** As specified: at most five hosts times six paths, the most specific first. */
export function expressionsOf(url: CanonicalUrl): string[] {
  const directories = directoriesOf(url.path).take(PREFIX_PATHS);
  const paths = [...exactPaths(url), ...directories.filter((path) => path !== url.path)];
  return hostsOf(url.host).flatMap((host) => paths.map((path) => host + path));
}

/**
 * What the specification leaves out: the path without a segment's parameters (`/page;x`), deeper directories, and the
 * hosts between the exact one and the last five.
 */
export function* deeperExpressionsOf(url: CanonicalUrl): Generator<string> {
  const hosts = hostsOf(url.host);
  const parameters = url.path.indexOf(';');
  if (parameters > 0 && url.path[parameters - 1] !== '/')
    for (const host of hosts) yield host + url.path.slice(0, parameters);
  for (const host of suffixesOf(url.host)) if (!hosts.includes(host)) yield `${host}/`;
  for (const path of directoriesOf(url.path).drop(PREFIX_PATHS)) {
    if (path !== url.path) for (const host of hosts) yield host + path;
  }
}

function exactPaths({ path, query }: CanonicalUrl): string[] {
  return query === '' ? [path] : [path + query, path];
}

/** `/`, `/a/`, `/a/b/`: the directory entries that match this path. */
function* directoriesOf(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) yield path.slice(0, at + 1);
}

/** The exact host, and up to four suffixes of its last five labels. */
const hostsOf = memo((host): readonly string[] => {
  // Each has a label less than the one before: only the last few can be short enough, and counting costs.
  const last = suffixesOf(host).slice(-SUFFIX_HOSTS - 1);
  const near = last.filter((suffix) => labelCount(suffix) <= SUFFIX_HOSTS + 1);
  return unique([host, ...near.slice(-SUFFIX_HOSTS)]);
}, HOSTS);

/** Every parent of the host, down to its tenant: never a public suffix, nor a host that many tenants share. */
function suffixesOf(host: string): string[] {
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

function unique(values: string[]): string[] {
  return values.length < 2 ? values : [...new Set(values)];
}
