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

export interface HostNames {
  /** The exact host, and up to four parents of at most five labels. */
  readonly near: readonly string[];
  /** The other parents. */
  readonly deeper: readonly string[];
}

/** The host and every parent down to its tenant: never a public suffix, nor a host that many tenants share. */
export function hostNamesOf(host: string): HostNames {
  const near = [host];
  const deeper: string[] = [];
  const tenant = host.startsWith('[') ? null : tenantOf(host);
  if (tenant === null) return { near, deeper };
  let labels = labelCount(host);
  const above = labels - labelCount(tenant);
  for (let rest = host, at = 1; at <= above; at++) {
    rest = rest.slice(rest.indexOf('.') + 1);
    labels--;
    const isNear = at > above - SUFFIX_HOSTS && labels <= SUFFIX_HOSTS + 1;
    (isNear ? near : deeper).push(rest);
  }
  return { near, deeper };
}

/** At most five hosts times six paths, the most specific first. `names`: of the URL's host. */
export function expressionsOf({ host, path, query }: CanonicalUrl, names = hostNamesOf(host)): string[] {
  const paths = query === '' ? [path] : [path + query, path];
  let count = 0;
  for (const directory of directoriesOf(path)) {
    if (++count > PREFIX_PATHS) break;
    if (directory !== path) paths.push(directory);
  }
  return names.near.flatMap((name) => paths.map((each) => name + each));
}

/**
 * What the specification leaves out: the path without a segment's parameters (`/page;x`), deeper directories, and the
 * hosts between the exact one and the last five.
 */
export function* deeperExpressionsOf({ host, path }: CanonicalUrl, names = hostNamesOf(host)): Generator<string> {
  const parameters = path.indexOf(';');
  if (parameters > 0 && path[parameters - 1] !== '/')
    for (const name of names.near) yield name + path.slice(0, parameters);
  for (const name of names.deeper) yield `${name}/`;
  let count = 0;
  for (const directory of directoriesOf(path)) {
    if (++count > PREFIX_PATHS && directory !== path) for (const name of names.near) yield name + directory;
  }
}

function* directoriesOf(path: string): Generator<string> {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) yield path.slice(0, at + 1);
}

function labelCount(host: string): number {
  let count = 1;
  for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) count++;
  return count;
}
