/**
 * Checks the tool server of a temporary Waypost with the command line of the official inspector. npx downloads 110 MB.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { startTestWaypost } from '../services/all-in-one/test/waypost-process.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const SLUG = 'by-inspector';

const waypost = await startTestWaypost();
try {
  const { key } = await waypost.newKey();
  const inspect = async (...words: string[]) => {
    const server = [`${waypost.api}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`];
    const { stdout } = await promisify(execFile)('npx', ['--yes', INSPECTOR, '--cli', ...server, ...words], {
      env: { ...process.env, PATH: `${path.dirname(process.execPath)}:${process.env.PATH}` },
    });
    return stdout;
  };
  const call = (name: string, ...args: string[]) =>
    inspect('--method', 'tools/call', '--tool-name', name, ...args.flatMap((pair) => ['--tool-arg', pair]));

  const checks: [what: string, run: () => Promise<string>, wanted: RegExp][] = [
    ['tools whose schemas any model can take', () => inspect('--method', 'tools/list', '--strict'), /"generate_qr"/],
    [
      'a creation',
      () => call('create_short_link', 'destination_url=https://example.org/', `custom_slug=${SLUG}`),
      /"active"/,
    ],
    ['a check', () => call('check_url', 'url=https://example.org/'), /"clean"/],
    ['a list', () => call('list_links', 'limit=5'), /"total": 1/],
    ['the clicks of all links', () => call('get_analytics'), /"top_links"/],
    ['a resource', () => inspect('--method', 'resources/read', '--uri', `waypost://links/${SLUG}`), /example\.org/],
    ['a QR code', () => call('generate_qr', `slug=${SLUG}`), /"image\/png"/],
    ['a prompt', () => inspect('--method', 'prompts/list'), /"report_on_link"/],
    ['a revoke', () => call('revoke_link', `slug=${SLUG}`), /"revoked"/],
  ];
  for (const [what, run, expected] of checks) {
    assert.match(await run(), expected, what);
    console.log(`passed: ${what}`);
  }
} finally {
  await waypost.remove();
}
