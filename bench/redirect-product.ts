/**
 * How fast a visitor is redirected while the rest of the product runs in the same process: link-api, scanner, click
 * log, shipper, ingest, both databases. Takes the options of `redirect`. Needs `wrk`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeLinks, scratchFile, startProduct } from './lib/product.ts';

const product = await startProduct();
try {
  const file = scratchFile('slugs.txt', (await makeLinks(product.call, 10_000)).join('\n'));
  const bench = fileURLToPath(new URL('./redirect.ts', import.meta.url));
  const target = ['--url', product.redirect, '--slugs', file, '--pid', String(product.pid)];
  const command = ['--disable-warning=ExperimentalWarning', bench, ...target, ...process.argv.slice(2)];
  process.exitCode = spawnSync(process.execPath, command, { stdio: 'inherit' }).status ?? 1;
} finally {
  await product.remove();
}
