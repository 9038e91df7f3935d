/**
 * Installs the packages on first use, and again when the lockfile changes. It runs on any Node.js >= 18 with npm, so it
 * must not use newer features. The registry supplies the pinned pnpm, and pnpm the pinned Node. package.json and
 * pnpm-lock.yaml have the hashes of both.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPnpm } from './fetch-pnpm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = `${root}node_modules/.waypost-installed`;
const { packageManager, optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const stamp = createHash('sha256')
  .update(readFileSync(`${root}pnpm-lock.yaml`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');

const isInstalled = () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
try {
  if (!isInstalled()) {
    process.stderr.write(
      'Installing (first use, or the lockfile changed): about 1 GB, most of it the ClickHouse engine.\n',
    );
    install();
    linkNode();
    writeFileSync(stampFile, stamp);
  } else if (!existsSync(`${root}node_modules/node/bin/node`)) linkNode();
} catch (error) {
  process.stderr.write(
    `${error.message}\nThe installation failed; the lines above say why. Run the same command again to retry.\n`,
  );
  process.exit(1);
}

function install() {
  // An interrupted installation is a mixture of versions, so it must not count as installed.
  rmSync(stampFile, { force: true });
  const folder = mkdtempSync(join(tmpdir(), 'waypost-pnpm-'));
  try {
    const pnpm = fetchPnpm(packageManager, folder);
    const { status } = spawnSync(process.execPath, [pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, CI: 'true' },
    });
    if (status !== 0) throw new Error(`pnpm ended with ${status}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Creates `node_modules/node/bin/node`, so that Node has the same path on all platforms. */
function linkNode() {
  const names = Object.keys(optionalDependencies).filter((name) =>
    new RegExp(`^node-(bin-)?${process.platform}-${process.arch}$`).test(name),
  );
  const [binary] = names.filter((name) => existsSync(`${root}node_modules/${name}/bin/node`));
  if (binary === undefined) throw new Error(`there is no pinned Node.js for ${process.platform} on ${process.arch}`);
  rmSync(`${root}node_modules/node`, { recursive: true, force: true });
  mkdirSync(`${root}node_modules/node/bin`, { recursive: true });
  symlinkSync(`../../${binary}/bin/node`, `${root}node_modules/node/bin/node`);
}
