/**
 * How fast a visitor is redirected while the rest of the product runs in the same process: link-api, scanner, click
 * log, shipper, ingest, both databases. Takes the options of `redirect`. Needs `wrk`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scratchFile, startProduct } from './lib/product.ts';

const product = await startProduct();
try {
  const slugs: string[] = [];
  while (slugs.length < 10_000) {
    const links = Array.from({ length: 500 }, (_, i) => ({
      destination_url: `https://www.wikipedia.org/wiki/${slugs.length + i}`,
    }));
    const { status, body } = await product.call('POST', '/api/v1/links/bulk', { links });
    if (status !== 201) throw new Error(JSON.stringify(body));
    slugs.push(...body.links.map(({ link }: { link: { slug: string } }) => link.slug));
  }
  const file = scratchFile('slugs.txt', slugs.join('\n'));
  const bench = fileURLToPath(new URL('./redirect.ts', import.meta.url));
  const target = ['--url', product.redirect, '--slugs', file, '--pid', String(product.pid)];
  spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', bench, ...target, ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
} finally {
  await product.remove();
}
