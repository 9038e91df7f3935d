/**
 * Tests that other servers can use the files of `waypost admin export-redirects`. moving.long.ts runs the command line
 * itself.
 */
import fs from 'node:fs';
import path from 'node:path';
import vm from 'node:vm';
import { expect, test } from '@jest/globals';
import { linkApiCommands } from '@waypost/link-api/operator-commands';
import { newFolder } from '@waypost/test-support/afterwards';
import { product } from '../product.ts';
import { DESTINATION, freshSlug, listedUrl, newLink, newSlug } from '../support.ts';

const folder = newFolder();
const { waypost, api } = product();

const HOSTILE = [
  'https://www.wikipedia.org/a b?c="d"&e=\'f\'&g=$uri#$http_cookie',
  'https://www.wikipedia.org/?$' + '{dollar}=\\n\\"; return 200 "x"; #',
  'https://www.wikipedia.org/</script><script>alert(1)</script>?</script>#</script>',
  'https://www.wikipedia.org/:splat/*?a=:b # 301!',
  'https://www.wikipedia.org/ü|{}^`?ü|{}^`#ü|{}^`',
];

async function exported(format: string): Promise<string> {
  const { local } = linkApiCommands['export-redirects']!;
  const file = path.join(folder, format);
  await local!.run({ argument: file, options: { format } }, (sent) => waypost.admin('export-redirects', sent));
  expect(fs.readdirSync(folder).filter((name) => name.endsWith('.partial'))).toEqual([]);
  return fs.readFileSync(file, 'utf8');
}

test('each file has exactly the active links, with their redirects, however hostile', async () => {
  const slug = freshSlug('Twin');
  const examples: [string, string][] = [
    [slug, DESTINATION],
    [slug.toLowerCase(), `${DESTINATION}?lower`],
    ['constructor', DESTINATION],
    ...HOSTILE.map((url): [string, string] => [freshSlug(), url]),
  ];
  for (const [custom_slug, destination_url] of examples) await newLink(api, { custom_slug, destination_url });
  const flagged = await newSlug(api, { destination_url: await listedUrl(waypost) });
  const revoked = await newSlug(api);
  await api('POST', `/api/v1/links/${revoked}/revoke`);
  const expected = await Promise.all(
    examples.map(async ([slug]) => {
      const { headers } = await fetch(`${waypost.redirect}/${slug}`, { redirect: 'manual' });
      return [slug, headers.get('location')];
    }),
  );
  expected.sort(([a], [b]) => (a! < b! ? -1 : 1));

  // Other tests create links at the same time.
  const own = new Set([...examples.map(([slug]) => slug), flagged, revoked]);
  const netlify = (await exported('netlify')).trimEnd().split('\n');
  expect(netlify.map((line) => line.split(/\s+/)).filter(([slug]) => own.has(slug!.slice(1)))).toEqual(
    expected.map(([slug, url]) => [`/${slug}`, url, '302']),
  );

  // nginx reads a quoted text with backslashes as escapes, and then replaces variables.
  const nginx = await exported('nginx');
  const lines = [...nginx.matchAll(/^ {2}"(~\^)?\/([\w-]+)\$?" "((?:[^"\\]|\\.)*)";$/gm)];
  const ours = lines.filter(([, , slug]) => own.has(slug!));
  const read = ours.map(([, , slug, value]) => [
    slug,
    value!.replace(/\\(.)/g, '$1').replace(/\$(\{waypost_dollar\})?/g, (_, isOurs) => (isOurs ? '$' : 'a variable')),
  ]);
  expect(read).toEqual(expected);
  expect(ours.filter(([, expression]) => expression).map(([, , each]) => each)).toEqual([slug, slug.toLowerCase()]);
  expect(nginx.split('\n')).toHaveLength(lines.length + 7);

  const html = await exported('html');
  const [, json, script] =
    /<script type="application\/json" id="links">([^<]*)<\/script>\n<script>([^<]*)<\/script>/.exec(html)!;
  expect(Object.entries(JSON.parse(json!)).filter(([each]) => own.has(each))).toEqual(expected);
  expect(html.match(/<script/g)).toHaveLength(2);
  expect(html).not.toMatch(/\ssrc=|<link|url\(/);
  // The script runs in a page that has only the parts that it needs.
  const resolved = (hash: string) => {
    const anchor = { href: '' };
    const output = { textContent: '', append: () => undefined };
    const parts = { form: { addEventListener: () => undefined }, output };
    const document = {
      location: { hash },
      getElementById: () => ({ textContent: json }),
      querySelector: (name: keyof typeof parts) => parts[name],
      createElement: () => anchor,
    };
    vm.runInNewContext(script!, { document });
    return anchor.href || output.textContent;
  };
  for (const [each, url] of expected) expect(resolved(`#${each}`)).toBe(url);
  expect([resolved('#'), resolved('#toString'), resolved('#nothing')]).toEqual([
    '',
    'There is no link with this slug.',
    'There is no link with this slug.',
  ]);
});
