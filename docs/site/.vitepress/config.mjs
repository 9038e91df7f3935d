import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** In the repository, the page of a folder is README.md; here it is index.md. */
const asIndex = (file) => file.replace(/README\.md(?=$|#)/, 'index.md');

const read = (file) => fs.readFileSync(path.join(root, file), 'utf8');
const asItem = (file) => ({
  text: /^# (.*)$/m.exec(read(file))[1].replaceAll('`', ''),
  link: `/${asIndex(file).replace(/(index)?\.md$/, '')}`,
});
const filesOf = (...patterns) =>
  fs.globSync(patterns, { cwd: root, exclude: (name) => name.includes('node_modules') }).sort();

/** In the order of docs/README.md, which must name each. */
const documents = ['docs/README.md', ...read('docs/README.md').matchAll(/(?<=`)docs\/[\w-]+\.md(?=`)/g)].map(String);
const missing = filesOf('docs/*.md').filter((file) => !documents.includes(file));
if (missing.length > 0) throw new Error(`docs/README.md does not name ${missing}`);

/** The documents name each other in code font. Here such a name is a link, and its text the title of the page. */
function linkNames(md) {
  md.core.ruler.push('document-names', ({ tokens, env, Token }) => {
    for (const token of tokens.filter(({ type }) => type === 'inline')) {
      let isLink = false;
      token.children = token.children.flatMap((child) => {
        if (child.type === 'link_open') child.attrSet('href', targetOf(child.attrGet('href'), env.path));
        if (child.type.startsWith('link_')) isLink = child.type === 'link_open';
        const page = child.type === 'code_inline' ? pageNamed(child.content, env.path) : undefined;
        if (page === undefined) return [child];
        const text = Object.assign(new Token('text', '', 0), { content: asItem(page).text });
        const open = new Token('link_open', 'a', 1);
        open.attrSet('href', `/${asIndex(page)}`);
        return isLink ? [text] : [open, text, new Token('link_close', 'a', -1)];
      });
    }
  });
}
/** A file that is no page is a link into the repository, where the workflow that publishes the site knows one. */
const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = process.env;
function targetOf(href, page) {
  if (/^(?:[a-z]+:|#)/.test(href) || /\.md(?:#|$)/.test(href)) return asIndex(href);
  const file = path.relative(root, path.resolve(path.dirname(page), href));
  if (!fs.existsSync(path.join(root, file))) throw new Error(`${page} links to ${href}, which does not exist`);
  return GITHUB_REPOSITORY === undefined ? href : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/blob/main/${file}`;
}
/** A name is a path from the root, or from the folder of the page that names it. */
function pageNamed(name, page) {
  if (!/^[\w./-]+\.md$/.test(name)) return undefined;
  const places = [name, path.relative(root, path.resolve(path.dirname(page), name))];
  return places.find((place) => fs.existsSync(path.join(root, place)));
}

export default defineConfig({
  title: 'Waypost',
  description: 'A link shortening service that keeps its promises',
  // The folder below the domain, if the site has one: /waypost/
  base: process.env.SITE_BASE ?? '/',
  srcDir: root,
  // The pages lie outside of the folder that has Vue.
  vite: { resolve: { alias: { vue: path.join(root, 'docs/site/node_modules/vue') } } },
  outDir: path.join(root, 'docs/site/dist'),
  cacheDir: path.join(root, 'docs/site/node_modules/.cache'),
  srcExclude: ['.github/**', 'data/**', 'dist/**'],
  rewrites: asIndex,
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  markdown: { config: linkNames },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Documents', link: '/docs/' },
      { text: 'Run it', link: '/docs/self-hosting' },
      { text: 'API', link: '/docs/contract' },
      { text: 'Changes', link: '/CHANGELOG' },
    ],
    sidebar: [
      { text: 'Documents', items: documents.map(asItem) },
      { text: 'Separate processes', items: filesOf('deploy/**/*.md').map(asItem) },
      { text: 'Decisions', collapsed: true, items: filesOf('libs/domain/decisions/*.md').map(asItem) },
    ],
  },
});
