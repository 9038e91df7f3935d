/**
 * Fetches the pnpm that package.json pins, and verifies its hash before any of it runs. It needs only npm, on Node.js
 * >= 18.
 *
 *   node scripts/fetch-pnpm.mjs FOLDER
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Unpacking takes a second or two. npm 11 has been seen to hang in it. */
const UNPACK_WITHIN_MS = 60_000;

/**
 * Returns the path of the program for node. `packageManager` is the field of package.json: `pnpm@version+sha512.hex`.
 */
export function fetchPnpm(packageManager, folder) {
  const [, packageSpec, sha512] = /^(pnpm@\d+\.\d+\.\d+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? [];
  if (packageSpec === undefined) throw new Error(`packageManager has no hash: ${packageManager}`);
  mkdirSync(folder, { recursive: true });
  const packed = npm(['pack', packageSpec, '--json', '--prefer-offline', '--pack-destination', folder]);
  const [{ filename }] = JSON.parse(packed);
  const archive = join(folder, filename);
  const digest = createHash('sha512').update(readFileSync(archive)).digest('hex');
  if (digest !== sha512) throw new Error(`${packageSpec} is not what package.json pins: its SHA-512 is ${digest}`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--offline'];
  const unpack = () => npm(['install', '--prefix', folder, ...options, archive], UNPACK_WITHIN_MS);
  try {
    unpack();
  } catch (error) {
    if (error.code !== 'ETIMEDOUT') throw error;
    unpack();
  }
  return join(folder, 'node_modules/pnpm/bin/pnpm.cjs');
}

function npm(args, timeout) {
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGKILL',
    env: { ...process.env, npm_config_loglevel: 'warn' }, // `npm run -s` would hide the output that we read
    shell: process.platform === 'win32',
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`npm ${args[0]} says: ${stderr.trim()}`);
  return stdout;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'));
  process.stdout.write(`${fetchPnpm(packageManager, resolve(process.argv[2] ?? 'pnpm'))}\n`);
}
