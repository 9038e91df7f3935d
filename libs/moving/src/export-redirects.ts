/** `waypost admin export-redirects`: active links as a file for another server, or for none. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Given, writeWhole } from '@waypost/command-line';
import type { RedirectFormat } from './names.ts';

export interface Redirect {
  readonly slug: string;
  /** As in `Location`: ASCII, without white space, control characters and quotation marks. */
  readonly location: string;
}

type Pages = () => AsyncIterable<readonly Redirect[]>;
type Format = { readonly name: string; readonly text: (pages: Pages) => AsyncIterable<string> };

/** Netlify, Cloudflare Pages and others. */
const netlify: Format = {
  name: '_redirects',
  text: async function* (pages) {
    for await (const page of pages()) yield page.map(({ slug, location }) => `/${slug} ${location} 302\n`).join('');
  },
};

/**
 * nginx compares the strings of a map without case, and expressions with it. So slugs that differ by case alone are
 * expressions, which it tries after all strings, one by one.
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
    // A dollar begins a variable wherever it stands, and nothing escapes it; in a geo block it does not.
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
const form = document.querySelector('form'), found = document.querySelector('output');
const show = (asked) => {
  const location = links.get(asked.trim().split(/[?#]/)[0].replace(/^.*\\//, ''));
  found.textContent = asked === '' ? '' : location === undefined ? 'There is no such link.' : '';
  if (location === undefined) return;
  const anchor = document.createElement('a');
  anchor.href = anchor.textContent = location;
  anchor.rel = 'noreferrer';
  found.append(anchor);
};
form.addEventListener('submit', (event) => { event.preventDefault(); show(form.elements.asked.value); });
show(decodeURIComponent(document.location.hash.slice(1)));
`;

/** One file that resolves links in a browser, without a server and without any request. */
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
<form><label>Short link or slug <input name="asked" autofocus></label> <button>Look up</button></form>
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

/** JSON that cannot end the script element. */
const inScript = (text: string) => JSON.stringify(text).replaceAll('<', '\\u003c');

const formats: Readonly<Record<RedirectFormat, Format>> = { netlify, nginx, html: resolver };

/** Answers the links whose slugs come after one, by slug; none after the last. */
type Send = (sent: { readonly after: string }) => Promise<readonly Redirect[]>;

export async function exportRedirects({ argument, options }: Given, send: Send) {
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
