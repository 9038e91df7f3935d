/** `waypost admin export-redirects` writes the active links to a file for another server or a browser. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { writeWhole } from '@waypost/command-line';
import type { CommandInput } from '@waypost/operator';
import type { RedirectFormat } from './names.ts';

export interface Redirect {
  readonly slug: string;
  /** The URL as in the `Location` header: ASCII, without white space, control characters and quotation marks. */
  readonly location: string;
}

type Pages = () => AsyncIterable<readonly Redirect[]>;
type Format = { readonly name: string; readonly text: (pages: Pages) => AsyncIterable<string> };

/** Netlify, Cloudflare Pages and other hosts read this format. */
const netlify: Format = {
  name: '_redirects',
  text: async function* (pages) {
    for await (const page of pages()) yield page.map(({ slug, location }) => `/${slug} ${location} 302\n`).join('');
  },
};

/**
 * nginx ignores case in the strings of a map, but not in its regular expressions. So slugs that differ only by case are
 * written as expressions, which nginx tries one by one after all strings.
 */
const nginx: Format = {
  name: 'waypost.conf',
  text: async function* (pages) {
    const seen = new Set<string>();
    const twins = new Set<string>();
    for await (const page of pages()) {
      for (const { slug } of page) {
        const folded = slug.toLowerCase();
        if (seen.has(folded)) twins.add(folded);
        seen.add(folded);
      }
    }
    // In nginx, a dollar sign always begins a variable and cannot be escaped. Only a geo block allows it as text.
    yield '# In http {}; in server {}: if ($waypost_location) { return 302 $waypost_location; }\n';
    yield 'map_hash_bucket_size 4096;\ngeo $waypost_dollar { default "$"; }\n';
    yield 'map $uri $waypost_location {\n  default "";\n';
    for await (const page of pages()) yield page.map((each) => `  ${mapLine(each, twins)}\n`).join('');
    yield '}\n';
  },
};

function mapLine({ slug, location }: Redirect, twins: ReadonlySet<string>): string {
  const key = twins.has(slug.toLowerCase()) ? `"~^/${slug}$"` : `"/${slug}"`;
  const value = location.replace(/["\\]/g, '\\$&').replaceAll('$', () => '$' + '{waypost_dollar}');
  return `${key} "${value}";`;
}

const SCRIPT = `
const links = new Map(Object.entries(JSON.parse(document.getElementById('links').textContent)));
const form = document.querySelector('form'), output = document.querySelector('output');
const show = (query) => {
  const location = links.get(query.trim().split(/[?#]/)[0].replace(/^.*\\//, ''));
  output.textContent = query === '' ? '' : location === undefined ? 'There is no link with this slug.' : '';
  if (location === undefined) return;
  const anchor = document.createElement('a');
  anchor.href = anchor.textContent = location;
  anchor.rel = 'noreferrer';
  output.append(anchor);
};
form.addEventListener('submit', (event) => { event.preventDefault(); show(form.elements.query.value); });
show(decodeURIComponent(document.location.hash.slice(1)));
`;

/** Writes one HTML file that resolves links in a browser, without a server and without any request. */
const resolver: Format = {
  name: 'index.html',
  text: async function* (pages) {
    const hash = createHash('sha256').update(SCRIPT).digest('base64');
    yield `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'sha256-${hash}'; form-action 'none'; base-uri 'none'">
<meta name="viewport" content="width=device-width">
<title>Short links</title>
<h1>Short links</h1>
<form><label>Short link or slug <input name="query" autofocus></label> <button>Look up</button></form>
<p><output></output></p>
<script type="application/json" id="links">{`;
    let comma = '';
    for await (const page of pages()) {
      for (const { slug, location } of page) {
        yield `${comma}\n${inScript(slug)}:${inScript(location)}`;
        comma = ',';
      }
    }
    yield `\n}</script>\n<script>${SCRIPT}</script>\n</html>\n`;
  },
};

/** Returns JSON without `<`, so that it cannot end the script element. */
const inScript = (text: string) => JSON.stringify(text).replaceAll('<', '\\u003c');

const formats: Readonly<Record<RedirectFormat, Format>> = { netlify, nginx, html: resolver };

/** Resolves to the links after the slug `after`, in order of slugs. The list is empty after the last link. */
type Send = (sent: { readonly after: string }) => Promise<readonly Redirect[]>;

export async function exportRedirects({ argument, options }: CommandInput, send: Send) {
  const { name, text } = formats[options.format as RedirectFormat];
  const file = fs.statSync(argument, { throwIfNoEntry: false })?.isDirectory() ? path.join(argument, name) : argument;
  let links = 0;
  async function* pages() {
    links = 0;
    for (let after = ''; ; ) {
      const page = await send({ after });
      if (page.length === 0) return;
      links += page.length;
      yield page;
      after = page.at(-1)!.slug;
    }
  }
  await writeWhole(file, text(pages));
  return { format: String(options.format), file, links };
}
