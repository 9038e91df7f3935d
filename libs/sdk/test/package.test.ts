/** What is published works in an empty project, without a network: for the Node of who installs it, and for their compiler. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-sdk-'));
const project = path.join(folder, 'project');
const run = async (command: string, args: readonly string[], cwd = project) =>
  (await promisify(execFile)(command, args, { cwd })).stdout;

const LINK = { slug: 'aB3dE6g', destination_url: 'https://www.wikipedia.org/', status: 'active' };
let busy = 0;
const api = http.createServer((request, response) => {
  const isBusy = request.method === 'POST' && busy++ === 0;
  response.writeHead(isBusy ? 503 : 200, isBusy ? { 'Retry-After': '0' } : {});
  const page = { data: [LINK], total: 1, page: 1, limit: 100, total_pages: 1 };
  response.end(JSON.stringify(request.method === 'POST' ? { link: LINK, short_url: 'http://s/aB3dE6g' } : page));
});

const CONSUMER = `
import { verifyWebhook, Waypost, WaypostError, type Link } from '@waypost/sdk';
const waypost = new Waypost({ url: 'URL', apiKey: 'wp_key' });
const slugs: string[] = [(await waypost.create({ destination_url: 'https://www.wikipedia.org/' })).link.slug];
for await (const link of waypost.listAll({ status: 'active' })) slugs.push((link satisfies Link).slug);
const wrong: unknown = await verifyWebhook({ body: '{}', headers: {}, secret: 'whsec_AAAA' }).catch((error) => error);
console.log(slugs.join(), (wrong as Error).name, typeof WaypostError);
`;

beforeAll(async () => {
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, 'package.json'), '{ "name": "project", "type": "module" }');
  await run(path.join(root, 'scripts/node.sh'), [path.join(root, 'scripts/build-packages.ts'), folder]);
  const [{ filename }] = JSON.parse(await run('npm', ['pack', '--json', path.join(folder, 'sdk')]));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', path.join(project, filename)]);
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const url = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  fs.writeFileSync(path.join(project, 'consumer.ts'), CONSUMER.replace('URL', url));
}, 120_000);
afterAll(() => {
  api.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

test('it holds code, types, source maps, README and licence, and nothing else', () => {
  const files = fs.readdirSync(path.join(project, 'node_modules/@waypost/sdk')).sort();
  const modules = files.filter((file) => file.endsWith('.js')).map((file) => file.slice(0, -3));
  expect(modules).toContain('index');
  const expected = modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`, `${name}.js.map`]);
  expect(files).toEqual([...expected, 'LICENSE', 'README.md', 'package.json'].sort());
});

test('a strict compiler that knows only the web platform takes its types', async () => {
  const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: [] };
  fs.writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  await run(path.join(root, 'node_modules/.bin/tsc'), []);
  expect(await run('node', ['consumer.js'])).toBe('aB3dE6g,aB3dE6g WebhookError function\n');
}, 60_000);
