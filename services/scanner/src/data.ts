/** The data files beside the code; their sources and licences are in services/scanner/data/README.md. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export function dataPath(name: string): string {
  return fileURLToPath(new URL(`../data/${name}`, import.meta.url));
}

export interface Brand {
  readonly token: string;
  /** Domains that its owner uses. */
  readonly official: readonly string[];
}

/** Registrable domains, the most visited first. */
export const MOST_VISITED: readonly string[] = lines('most-visited.txt');
/** Hosts of link shorteners. */
export const SHORTENERS: ReadonlySet<string> = new Set(lines('shorteners.txt'));
/** Where many parties publish: `.suffix` for names below it, a bare name for that host. */
export const SHARED_HOSTS: readonly string[] = lines('shared-hosts.txt');
/** Pages that lead on to an address in their query or path, as Safe Browsing expressions. */
export const REDIRECTORS: ReadonlySet<string> = new Set(lines('redirectors.txt'));
/** Pages that carry an address without its scheme, as Safe Browsing expressions, and where in them it stands. */
export const CARRIERS: readonly (readonly [page: string, place: string])[] = lines('carriers.txt').map((line) => {
  const [page, place] = line.split(' ');
  return [page!, place!];
});
export const BRANDS: readonly Brand[] = JSON.parse(readFileSync(dataPath('brands.json'), 'utf8')).brands;

function lines(name: string): string[] {
  const text = readFileSync(dataPath(name), 'utf8');
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}
