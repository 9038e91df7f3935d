/**
 * Checks the API of a temporary Waypost with Schemathesis: `check-schemathesis.ts SECONDS`. It generates thousands of
 * requests from the API's document, valid and invalid, single and in sequences. SCHEMATHESIS_SEED makes a run repeat
 * the same requests.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { apiClient, startTestWaypost } from '../services/all-in-one/test/waypost-process.ts';

const VERSION = '4.32.5';
const seconds = Number(process.argv[2] ?? 90);
const seed = process.env.SCHEMATHESIS_SEED ?? '1';

function schemathesis(): string {
  const folder = path.join(os.homedir(), '.cache', `waypost-schemathesis-${VERSION}`);
  const program = path.join(folder, 'bin/schemathesis');
  if (!fs.existsSync(program)) {
    execFileSync('python3', ['-m', 'venv', folder]);
    execFileSync(path.join(folder, 'bin/pip'), ['install', '--quiet', `schemathesis==${VERSION}`]);
  }
  return program;
}

const program = schemathesis();
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-schemathesis-'));
const waypost = await startTestWaypost();
try {
  const { key } = await waypost.newKey('admin', { admin: true, email: 'ada@example.org' });
  const link = { destination_url: 'https://www.wikipedia.org/', custom_slug: 'aB3dE6g' };
  assert.equal((await apiClient(waypost.api, key)('POST', '/api/v1/links', link)).status, 201);

  const limits = ['--max-time', String(seconds), '--seed', seed, '--generation-database', 'none'];
  const options = [
    ...limits,
    '--exclude-checks',
    'positive_data_acceptance,negative_data_rejection,ignored_auth,ensure_resource_availability',
    '--max-response-time',
    '5',
  ];
  const child = spawn(
    program,
    ['--no-color', 'run', `${waypost.api}/openapi.json`, '--header', `Authorization: Bearer ${key}`, ...options],
    {
      cwd: folder,
      env: {
        ...process.env,
        PYTHONPATH: path.dirname(fileURLToPath(import.meta.url)),
        PYTHONDONTWRITEBYTECODE: '1',
        SCHEMATHESIS_HOOKS: 'schemathesis_checks',
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  const requests = Number(/(\d+) generated/.exec(output)?.[1] ?? 0);
  const operations = /Tested: (\d+)/.exec(output)?.[1];
  if (code !== 0 || requests < 2_000) process.stdout.write(output);
  process.exitCode = code === 0 && requests >= 2_000 ? 0 : 1;
  console.log(
    `Schemathesis ${VERSION}: ${requests} requests to ${operations} operations in ${seconds} s, seed ${seed}: ${process.exitCode === 0 ? 'no failure' : 'FAILED'}`,
  );
} finally {
  await waypost.remove();
  fs.rmSync(folder, { recursive: true, force: true });
}
