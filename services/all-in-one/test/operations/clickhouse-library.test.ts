import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { newFolder, serve } from '@waypost/test-support/afterwards';

const ROOT = path.resolve(import.meta.dirname, '../../../..');
const CHDB = fs.realpathSync(path.join(ROOT, 'libs/adapter-embedded/node_modules/chdb'));
const VERSION = JSON.parse(fs.readFileSync(path.join(CHDB, 'package.json'), 'utf8')).optionalDependencies[
  '@chdb/lib-linux-x64-gnu'
];
const gnu = process.platform === 'linux' ? '-gnu' : '';
/** The library of this machine, which every platform is given here. */
const OURS = createRequire(path.join(CHDB, 'package.json')).resolve(
  `@chdb/lib-${process.platform}-${process.arch}${gnu}`,
);

/** A registry on loopback with one package, whose code is `code`. */
async function registry(name: string, version: string, code: string): Promise<string> {
  const folder = newFolder();
  fs.mkdirSync(path.join(folder, 'package'));
  fs.writeFileSync(path.join(folder, 'package/package.json'), JSON.stringify({ name, version, main: 'index.js' }));
  fs.writeFileSync(path.join(folder, 'package/index.js'), code);
  const archive = execFileSync('tar', ['-cz', '-C', folder, 'package']);
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`;
  const address = await serve(({ url, headers }, response) => {
    const requested = decodeURIComponent(url ?? '');
    if (requested === '/archive.tgz') response.end(archive);
    else if (requested !== `/${name}`) response.writeHead(404).end('{}');
    else {
      const dist = { tarball: `http://${headers.host}/archive.tgz`, integrity };
      const versions = { [version]: { name, version, dist } };
      response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
    }
  });
  return `${address}/`;
}

/** A workspace whose lockfile had no library, on a machine that says it is `platform`. */
async function fetchOn(platform: string, registryUrl: string): Promise<{ log: string; code: number; folder: string }> {
  const folder = newFolder();
  const chdb = path.join(folder, 'node_modules/.pnpm/chdb/node_modules/chdb');
  fs.cpSync(CHDB, chdb, { recursive: true });
  for (const name of fs.readdirSync(path.dirname(CHDB)).filter((each) => !['chdb', '@chdb'].includes(each)))
    fs.symlinkSync(path.join(path.dirname(CHDB), name), path.join(path.dirname(chdb), name));
  fs.mkdirSync(path.join(folder, 'libs/adapter-embedded/node_modules'), { recursive: true });
  fs.symlinkSync(chdb, path.join(folder, 'libs/adapter-embedded/node_modules/chdb'));
  const [system, arch] = platform.split('-');
  const machine = path.join(folder, 'machine.cjs');
  fs.writeFileSync(
    machine,
    `for (const [name, value] of Object.entries(${JSON.stringify({ platform: system, arch })}))
       Object.defineProperty(process, name, { value });`,
  );
  // Inside `npm test`, npm reads no registry of a scope from the environment.
  const npmrc = path.join(folder, 'npmrc');
  fs.writeFileSync(npmrc, `@chdb:registry=${registryUrl}\nfetch-retries=0\n`);
  const env = {
    ...process.env,
    NODE_OPTIONS: `--require ${machine}`,
    npm_config_userconfig: npmrc,
    npm_config_cache: path.join(folder, 'npm'),
  };
  const args = [path.join(ROOT, 'scripts/fetch-chdb.mjs'), folder];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { env }, (error, _, log) =>
      resolve({ log, code: error === null ? 0 : 1, folder }),
    );
  });
}

test.each([
  ['linux-x64', '@chdb/lib-linux-x64-gnu'],
  ['linux-arm64', '@chdb/lib-linux-arm64-gnu'],
  ['darwin-x64', '@chdb/lib-darwin-x64'],
  ['darwin-arm64', '@chdb/lib-darwin-arm64'],
])(
  'on %s, a library that the lockfile lacks is fetched by name and version, and answers a query',
  async (platform, name) => {
    const url = await registry(name, VERSION, `module.exports = require(${JSON.stringify(OURS)})`);
    const { log, code, folder } = await fetchOn(platform, url);
    expect(log).toBe(`pnpm-lock.yaml has no ${name}: npm fetches its version ${VERSION}, about 150 MB.\n`);
    expect(code).toBe(0);
    expect(JSON.parse(fs.readFileSync(path.join(folder, 'node_modules', name, 'package.json'), 'utf8'))).toMatchObject({
      name,
      version: VERSION,
    });
    expect(fs.readdirSync(path.join(folder, 'node_modules')).toSorted()).toEqual(['.pnpm', '@chdb']);
  },
);

const NAME = '@chdb/lib-darwin-arm64';

test.each([
  ['without that version', '1.0.0', '', `the npm registry gives no ${NAME}@${VERSION}`],
  ['with a library that cannot be loaded', VERSION, 'throw new Error("bad image")', 'bad image'],
  [
    'with a library of another engine',
    VERSION,
    `module.exports = { ...require(${JSON.stringify(OURS)}), Query: () => '1.2.3.4' }`,
    'SELECT version() gives 1.2.3.4',
  ],
])('a registry %s is refused with the reason, and nothing stays', async (_, version, code, problem) => {
  const { log, code: exit, folder } = await fetchOn('darwin-arm64', await registry(NAME, version, code));
  expect(log).toContain(problem);
  expect(exit).toBe(1);
  expect(fs.existsSync(path.join(folder, 'node_modules', NAME))).toBe(false);
});

test('a platform without a library is named', async () => {
  expect(await fetchOn('win32-x64', 'http://127.0.0.1:9/')).toMatchObject({
    log: 'chDB has no library for win32-x64\n',
    code: 1,
  });
});
