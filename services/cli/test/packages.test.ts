import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { CREATED, KEY, LINK, listening, startProxy } from './fake-api.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-packages-'));
const project = path.join(folder, 'project');
/** `WAYPOST_TEST_NODES=/a/bin/node:/b/bin/node` runs the tests with other versions of Node. */
const nodes = (process.env.WAYPOST_TEST_NODES ?? process.execPath).split(':');
const run = async (command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) =>
  (await promisify(execFile)(command, args, { cwd: project, env: { ...process.env, ...environment } })).stdout;

let posts = 0;
let url: string;
const TOOLS = { jsonrpc: '2.0', id: 1, result: { tools: [] } };
/** The first creation gets a 503, so the client has to retry. */
const api = http.createServer((request, response) => {
  if (request.url === '/mcp') {
    response.writeHead(200, { 'Content-Type': 'application/json' });
    return void response.end(JSON.stringify(TOOLS));
  }
  const isBusy = request.method === 'POST' && posts++ === 0;
  response.writeHead(isBusy ? 503 : 200, isBusy ? { 'Retry-After': '0' } : {});
  const page = { data: [LINK], total: 1, page: 1, limit: 100, total_pages: 1 };
  response.end(JSON.stringify(request.method === 'POST' ? CREATED : page));
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
  const packed = JSON.parse(
    await run('npm', ['pack', '--json', path.join(folder, 'sdk'), path.join(folder, 'waypost')]),
  );
  const files = packed.map(({ filename }: { filename: string }) => path.join(project, filename));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files]);
  url = await listening(api);
  fs.writeFileSync(path.join(project, 'consumer.ts'), CONSUMER.replace('URL', url));
}, 120_000);
afterAll(() => {
  api.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

/** Returns paths inside the package, with forward slashes. */
const filesOf = (name: string) =>
  fs
    .readdirSync(path.join(project, 'node_modules', name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(path.join(project, 'node_modules', name), path.join(entry.parentPath, entry.name)))
    .sort();
const isCode = (file: string) => /^dist\/[\w-]+\.js$/.test(file);

describe('@waypost/sdk', () => {
  test('contains code, types, source maps, README and licence, and nothing else', () => {
    const modules = filesOf('@waypost/sdk')
      .filter((file) => file.endsWith('.js'))
      .map((file) => file.slice(0, -3));
    expect(modules).toContain('index');
    const expected = modules.flatMap((name) => [`${name}.d.ts`, `${name}.js`, `${name}.js.map`]);
    expect(filesOf('@waypost/sdk')).toEqual([...expected, 'LICENSE', 'README.md', 'package.json'].sort());
  });

  test('has types that a strict compiler accepts without the types of Node', async () => {
    const compilerOptions = { strict: true, target: 'es2022', module: 'nodenext', lib: ['es2022', 'dom'], types: [] };
    fs.writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    await run(path.join(root, 'node_modules/.bin/tsc'), []);
    for (const node of nodes) {
      posts = 0;
      expect(await run(node, ['consumer.js'])).toBe('aB3dE6g,aB3dE6g WebhookError function\n');
    }
  }, 60_000);
});

describe('waypost', () => {
  const waypost = (node: string, ...args: string[]) =>
    run(node, ['node_modules/.bin/waypost', ...args], { WAYPOST_API_KEY: KEY, WAYPOST_URL: url });

  const LIST_TOOLS = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
  const startMcp = (node: string, environment: NodeJS.ProcessEnv) =>
    spawn(node, ['node_modules/.bin/waypost', 'mcp'], {
      cwd: project,
      env: { ...process.env, ...environment },
      stdio: ['pipe', 'pipe', 'inherit'],
    });

  test('contains code, README and licences, and needs no other package', () => {
    const [code, about] = [filesOf('waypost').filter(isCode), filesOf('waypost').filter((file) => !isCode(file))];
    expect(code).toContain('dist/waypost.js');
    expect(about).toEqual(['LICENSE', 'README.md', 'THIRD-PARTY-LICENSES', 'package.json']);
    expect(fs.readdirSync(path.join(project, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@waypost',
      'waypost',
    ]);
  });

  test.each(nodes)('calls the API and shows its version: %s', async (node) => {
    expect(JSON.parse(await waypost(node, 'create', 'https://www.wikipedia.org/', '--json'))).toEqual(CREATED);
    expect(JSON.parse(await waypost(node, 'list', '--json')).data).toEqual([LINK]);
    expect(await waypost(node, '--version')).toMatch(/^waypost \d+\.\d+\.\d+\n$/);
  });

  test.each(nodes)('uses a proxy: %s', async (node) => {
    const proxy = await startProxy();
    const environment = { WAYPOST_API_KEY: KEY, WAYPOST_URL: url, http_proxy: proxy.url, no_proxy: '' };
    const result = await run(node, ['node_modules/.bin/waypost', 'list', '--json'], environment);
    proxy.stop();
    expect(JSON.parse(result).data).toEqual([LINK]);
    expect(proxy.tunnels).toEqual([new URL(url).host]);
  });

  test('does not try a proxy that closes connections without end', async () => {
    const ends = nodes.map(async (node) => {
      let tries = 0;
      const proxy = http.createServer().on('connect', (_request, socket) => {
        tries++;
        socket.destroy();
      });
      const environment = { WAYPOST_API_KEY: KEY, WAYPOST_URL: url, http_proxy: await listening(proxy), no_proxy: '' };
      const list = await run(node, ['node_modules/.bin/waypost', 'list'], environment).catch(({ code }) => code);
      const triesOfList = tries;
      const child = startMcp(node, environment);
      child.stdin.write(`${JSON.stringify(LIST_TOOLS)}\n`);
      const [line] = await once(child.stdout, 'data');
      child.stdin.end();
      const [exitCode] = await once(child, 'exit');
      proxy.close();
      return [list, triesOfList, JSON.parse(line).error.data.error, exitCode, tries];
    });
    expect(await Promise.all(ends)).toEqual(nodes.map(() => [6, 3, 'no_answer', 0, 4]));
  });

  test.each(nodes)('forwards messages to the tool server: %s', async (node) => {
    const child = startMcp(node, { WAYPOST_API_KEY: KEY, WAYPOST_URL: url });
    child.stdin.write(`${JSON.stringify(LIST_TOOLS)}\n`);
    const [line] = await once(child.stdout, 'data');
    expect(JSON.parse(line)).toEqual(TOOLS);
    child.stdin.end();
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('needs less than 150 ms more CPU time to start than Node alone', async () => {
    const report = 'process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log(user+system)})';
    const best = async (...args: string[]) => {
      const usedMs: number[] = [];
      for (let i = 0; i < 5; i++) {
        const output = await run('node', ['--import', `data:text/javascript,${report}`, ...args]);
        usedMs.push(Number(output.trimEnd().split('\n').at(-1)) / 1000);
      }
      return Math.min(...usedMs);
    };
    expect((await best('node_modules/.bin/waypost', 'help')) - (await best('-e', '0'))).toBeLessThan(150);
  });
});
