/** The data files; services/scanner/data/README.md has their sources and licences. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function dataPath(name: string): string {
  return fileURLToPath(new URL(`../data/${name}`, import.meta.url));
}

/** Registrable domains, most visited first. */
export const MOST_VISITED: readonly string[] = lines('most-visited.txt').map((domain) => domain.toLowerCase());
export const SHORTENERS: ReadonlySet<string> = new Set(lines('shorteners.txt'));
/** Hosting services where anybody has a name at once, and the weight of that sign. */
export const INSTANT_HOSTS: ReadonlyMap<string, number> = new Map(
  pairs('instant-hosts.txt').map(([name, points]) => [name, Number(points)]),
);
/** Hosts where many parties publish: `.suffix` for names below it, a bare name for that host. */
export const SHARED_HOSTS: readonly string[] = [
  ...lines('shared-hosts.txt'),
  ...Array.from(INSTANT_HOSTS.keys(), (name) => `.${name}`),
];
/** Safe Browsing expressions of pages that redirect to an address in their query or path. */
export const REDIRECTORS: ReadonlySet<string> = new Set(lines('redirectors.txt'));
/** Safe Browsing expressions of pages that carry an address without its scheme, and the place of that address. */
export const CARRIERS = pairs('carriers.txt');
export const BRANDS: readonly { readonly token: string; readonly official: readonly string[] }[] = JSON.parse(
  readFileSync(dataPath('brands.json'), 'utf8'),
).brands;

function pairs(name: string): (readonly [string, string])[] {
  return lines(name).map((line) => line.split(' ') as [string, string]);
}

function lines(name: string): string[] {
  const text = readFileSync(dataPath(name), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
