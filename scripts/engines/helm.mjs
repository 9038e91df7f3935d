/** Finds `helm`, or installs its pinned version by Go on first use. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { TOOLS } from './promtool.mjs';

const VERSION = 'v3.18.6';

/** Returns the path of helm, or throws. */
export function helm() {
  const bin = path.join(TOOLS, 'bin');
  const file = path.join(bin, 'helm');
  if (!fs.existsSync(file))
    execFileSync('go', ['install', `helm.sh/helm/v3/cmd/helm@${VERSION}`], {
      stdio: 'pipe',
      env: { ...process.env, GOBIN: bin },
    });
  return file;
}
