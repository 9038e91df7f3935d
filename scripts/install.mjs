/**
 * Installs the packages on first use, and again when the lockfile changes. It runs on any Node.js >= 18 with npm, so it
 * must not use newer features. The registry supplies the pinned pnpm, and pnpm the pinned Node. package.json and
 * pnpm-lock.yaml have the hashes of both.
 *
 *   node scripts/install.mjs            all packages
 *   node scripts/install.mjs --prod     what `npm start` runs
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchChdb } from './fetch-chdb.mjs';
import { fetchPnpm } from './fetch-pnpm.mjs';

/** Nothing reads these files, 70 MB with the headers of Node. */
const REFERENCE = 'services/dashboard/node_modules/@scalar/api-reference/dist';
const UNUSED = [
  ...['blocks', 'components', 'features', 'browser/chunks'].map((name) => `${REFERENCE}/${name}`),
  ...['js', 'js.map'].map((end) => `${REFERENCE}/browser/standalone.esm.${end}`),
  'libs/postgres/node_modules/typeorm/browser',
  'node_modules/.pnpm/node_modules/zod/src',
];

const root = fileURLToPath(new URL('..', import.meta.url));
const stampFile = `${root}node_modules/.waypost-installed`;
const { packageManager, optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
const hash = createHash('sha256')
  .update(readFileSync(`${root}pnpm-lock.yaml`))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');
const [installed, scope] = existsSync(stampFile) ? readFileSync(stampFile, 'utf8').split(' ') : [];
// The tools of the tests stay once they are installed.
const target = process.argv.includes('--prod') && scope !== 'all' ? 'prod' : 'all';

try {
  if (installed !== hash || scope !== target) {
    const node = nodePackage();
    const size =
      target === 'prod'
        ? 'about 0.9 GB, most of it the ClickHouse engine'
        : 'about 1.2 GB, with the tools of the tests';
    process.stderr.write(`Installing (first use, or the lockfile changed): ${size}.\n`);
    install();
    linkNode(node);
    for (const folder of [...UNUSED, `node_modules/${node}/include`])
      rmSync(`${root}${folder}`, { recursive: true, force: true });
    fetchChdb(root, `${root}node_modules/node/bin/node`);
    writeFileSync(stampFile, `${hash} ${target}`);
  } else if (!existsSync(`${root}node_modules/node/bin/node`)) linkNode(nodePackage());
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
    const options = ['--frozen-lockfile', '--reporter=append-only', ...(target === 'prod' ? ['--prod'] : [])];
    const { status } = spawnSync(process.execPath, [fetchPnpm(packageManager, folder), 'install', ...options], {
      cwd: root,
      stdio: ['ignore', 2, 2],
      env: { ...process.env, CI: 'true' },
    });
    if (status !== 0) throw new Error(`pnpm ended with ${status}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The package with the pinned Node.js of this platform. Its programs need glibc, as the embedded engines do. */
function nodePackage() {
  const { platform, arch } = process;
  const name = Object.keys(optionalDependencies).find(
    (each) => each.replace('bin-', '') === `node-${platform}-${arch}`,
  );
  const isMusl = platform === 'linux' && process.report.getReport().header.glibcVersionRuntime === undefined;
  if (name !== undefined && !isMusl) return name;
  throw new Error(
    `Waypost runs on Linux with glibc and on macOS, on x86-64 and arm64. This is ${platform}${isMusl ? ' without glibc' : ''} ` +
      `on ${arch}: use a container (docs/self-hosting.md).`,
  );
}

/** Creates `node_modules/node/bin/node`, so that Node has the same path on all platforms. It must start here. */
function linkNode(name) {
  if (!existsSync(`${root}node_modules/${name}/bin/node`)) throw new Error(`pnpm has not installed ${name}`);
  rmSync(`${root}node_modules/node`, { recursive: true, force: true });
  mkdirSync(`${root}node_modules/node/bin`, { recursive: true });
  symlinkSync(`../../${name}/bin/node`, `${root}node_modules/node/bin/node`);
  const { status, stderr } = spawnSync(`${root}node_modules/node/bin/node`, ['--version'], { encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`the pinned Node.js does not start here: ${stderr.trim()}`);
}
