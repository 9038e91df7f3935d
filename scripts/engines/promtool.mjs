/**
 * Finds `promtool`, the checker of Prometheus: on PATH, or in Debian's package, which it unpacks on first use. It does
 * not install the package, because that would start a server.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

export const TOOLS = process.env.WAYPOST_TOOLS_CACHE ?? path.join(os.homedir(), '.cache', 'waypost-deploy-tools');

/** Returns the path of promtool, or throws. */
export function promtool() {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    if (fs.existsSync(path.join(folder, 'promtool'))) return path.join(folder, 'promtool');
  }
  const folder = path.join(TOOLS, 'prometheus');
  const file = path.join(folder, 'usr', 'bin', 'promtool');
  if (fs.existsSync(file)) return file;
  fs.mkdirSync(folder, { recursive: true });
  const run = (command, ...args) => execFileSync(command, args, { cwd: folder, stdio: 'pipe' });
  try {
    run('apt-get', 'download', 'prometheus');
  } catch {
    run('apt-get', 'update'); // A new machine has no lists of packages.
    run('apt-get', 'download', 'prometheus');
  }
  const [archive] = fs.readdirSync(folder).filter((name) => name.endsWith('.deb'));
  run('dpkg-deb', '--extract', archive, '.');
  fs.rmSync(path.join(folder, archive));
  return file;
}
