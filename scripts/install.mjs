/**
 * Installs on first use, and again when the lockfile changes. Runs on any Node.js >= 18 with npm: it may use nothing
 * that an old Node does not have. The pinned pnpm comes from the registry, and with it the pinned Node.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = `${root}node_modules/.waypost-installed`;
const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const stamp = createHash('sha256')
  .update(readFileSync(`${root}pnpm-lock.yaml`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

const installed =
  existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp && existsSync(`${root}node_modules/node/bin/node`);
if (!installed) {
  process.stderr.write(
    'Installing (first use, or the lockfile changed): about 1 GB, most of it the ClickHouse engine.\n',
  );
  const result = spawnSync('npx', ['--yes', packageManager, 'install', '--frozen-lockfile', '--reporter=append-only'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, CI: 'true' },
    shell: process.platform === 'win32',
  });
  if (result.status !== 0) {
    process.stderr.write('The installation failed; the lines above say why. Run the same command again to retry.\n');
    process.exit(result.status ?? 1);
  }
  writeFileSync(stampFile, stamp);
}
