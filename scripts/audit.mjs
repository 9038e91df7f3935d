/** Lists known vulnerabilities of the packages in pnpm-lock.yaml (`npm run audit`). Exits with 1 if there are any. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchPnpm } from './fetch-pnpm.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'waypost-pnpm-'));
try {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const pnpm = fetchPnpm(packageManager, folder);
  const { status, stdout } = spawnSync(process.execPath, [pnpm, 'audit'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    env: { ...process.env, npm_config_loglevel: 'warn' }, // `npm run -s` would hide the output that we read
  });
  process.stdout.write(stdout);
  if (stdout.includes('ERR_PNPM_AUDIT_BAD_RESPONSE'))
    process.stderr.write('Nothing was audited: this registry has no audit endpoint. Ask one that has.\n');
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
