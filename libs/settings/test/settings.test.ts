import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { ConfigError, type Environment, parseHosts, readSettings, setting } from '../src/settings.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waypost-settings-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
const SETTINGS = {
  KEY: setting.rotatingSecret('a key'),
  STORE_URL: setting.address('a store', (text) => {
    if (!text.startsWith('store://')) throw new Error('must begin with store://');
    return text;
  }),
  TOKEN: setting.secretText('a token').optional(),
  PLAIN: setting.text('a text').optional(),
};
const read = (environment: Environment) => readSettings(SETTINGS, environment);
const faults = (environment: Environment): string => {
  try {
    read(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('no fault was found');
};
const file = (name: string, text: string): string => {
  fs.writeFileSync(path.join(folder, name), text);
  return path.join(folder, name);
};
const KEY = 'ab'.repeat(32);

test('each secret may come from a file, without its trailing newline', () => {
  const values = read({
    KEY_FILE: file('key', `${KEY}\n`),
    STORE_URL_FILE: file('url', 'store://u:p@host\r\n'),
    TOKEN_FILE: file('token', ' two\nlines \n'),
  });
  expect(values).toMatchObject({
    key: { current: Buffer.from(KEY, 'hex') },
    storeUrl: 'store://u:p@host',
    token: ' two\nlines ',
  });
});

test('during a rotation, a secret has a new and a previous value', () => {
  const OTHER = 'cd'.repeat(32);
  const { key } = read({ KEY: `${KEY},${OTHER}`, STORE_URL: 'store://x' });
  expect(key).toEqual({ current: Buffer.from(KEY, 'hex'), previous: Buffer.from(OTHER, 'hex') });
  expect(read({ KEY, STORE_URL: 'store://x' }).key.previous).toBeUndefined();
  for (const wrong of [`${KEY},`, `,${KEY}`, `${KEY}, ${OTHER}`, `${KEY},${OTHER},${KEY}`, KEY.slice(1), `${KEY}a`])
    expect(faults({ KEY: wrong, STORE_URL: 'store://x' })).toContain('KEY must be 64 hexadecimal digits, or the new');
  expect(faults({ KEY: `${KEY},${KEY.toUpperCase()}`, STORE_URL: 'store://x' })).toContain('the same secret twice');
});

test('"none" adds nothing to a list', () => {
  const LIST = setting.list('words', (entries) => entries);
  const parsed = (text: string) => readSettings({ LIST }, { LIST: text }).list;
  expect([parsed('none'), parsed('a,none'), parsed('none, b')]).toEqual([[], ['a'], ['b']]);
});

test('only a secret may come from a file', () => {
  expect(read({ KEY, STORE_URL: 'store://x', PLAIN_FILE: file('plain', 'text') }).plain).toBeUndefined();
});

test('an empty variable of OpenTelemetry counts as missing, as its specification demands', () => {
  const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: setting.url('a collector').optional() };
  expect(readSettings(ENDPOINT, { OTEL_EXPORTER_OTLP_ENDPOINT: '' })).toEqual({});
  const fromFile = { OTEL_EXPORTER_OTLP_ENDPOINT_FILE: file('endpoint', 'http://collector:4318\n') };
  const expected = { otelExporterOtlpEndpoint: 'http://collector:4318' };
  expect(readSettings(ENDPOINT, { OTEL_EXPORTER_OTLP_ENDPOINT: '', ...fromFile })).toEqual(expected);
  expect(() => readSettings({ OTHER: setting.text('x').optional() }, { OTHER: '' })).toThrow('must not be empty');
});

test('a value has the type of its setting and its name in camel case, and its default is parsed like any text', () => {
  const ONE = { LISTEN_PORT: setting.port('a port').default(8080), KAFKA_TLS: setting.oneOf('TLS', 'on', 'off') };
  const { listenPort, kafkaTls, ...rest } = readSettings(ONE, { KAFKA_TLS: 'on' });
  const typed: [number, 'on' | 'off', Record<never, never>] = [listenPort, kafkaTls, rest];
  expect(typed).toEqual([8080, 'on', {}]);
  // @ts-expect-error No setting has this name.
  expect(readSettings(ONE, { KAFKA_TLS: 'on' }).listenProt).toBeUndefined();
  expect(() => readSettings({ PORT: ONE.LISTEN_PORT.default('http') }, {})).toThrow(
    'PORT must be a port from 1 to 65535',
  );
});

test('if a secret is set twice, the fault names both variables', () => {
  const problems = faults({ KEY, KEY_FILE: file('key', KEY), STORE_URL: 'store://x' });
  expect(problems).toContain('KEY and KEY_FILE are both set');
  expect(problems).not.toContain(KEY);
});

test.each([
  ['is not there', () => path.join(folder, 'none'), 'KEY_FILE points to a file that cannot be read (ENOENT)'],
  ['is a folder', () => folder, 'KEY_FILE must be the path to a file'],
  ['is empty', () => file('empty', '\n'), 'KEY_FILE points to an empty file'],
  ['is too long', () => file('long', 'a'.repeat(70_000)), 'KEY_FILE points to a file larger than 64 KB'],
])('a file that %s is the only fault of its setting', (_, name, words) => {
  const problems = faults({ KEY_FILE: name(), STORE_URL: 'store://x' });
  expect(problems).toContain(words);
  expect(problems).toContain('a fault:');
});

test('no fault contains a secret, from a variable or from a file', () => {
  const problems = faults({ KEY: 'hunter2', STORE_URL_FILE: file('url', 'hunter3'), TOKEN: '', PLAIN: '' });
  expect(problems).toContain('KEY must be 64 hexadecimal digits');
  expect(problems).toContain('STORE_URL must begin with store://');
  expect(problems).not.toMatch(/hunter/);
});

test.each(['a', 'go.example.org', 'xn--a.example', '_dmarc.example', 'a-b.c'])('%s is a host name', (name) => {
  expect(parseHosts([`${name}.`])).toEqual([name]);
});
test.each(['', '.', 'a..b', '-a', 'a-', 'a b', 'ä', `${'a.'.repeat(50_000)}-`])('%.20s is not a host name', (name) => {
  expect(() => parseHosts([name])).toThrow('are not host names');
});

describe('a folder', () => {
  const read = (dir: string) => readSettings({ DIR: setting.folder('a folder') }, { DIR: dir }).dir;
  const root = path.join(folder, 'folders');
  fs.mkdirSync(root);
  const file = path.join(root, 'file');
  fs.writeFileSync(file, '');

  test('may exist, or be made below one that exists', () => {
    for (const dir of [root, path.join(root, 'a', 'b'), './data']) expect(read(dir)).toBe(dir);
    expect(fs.existsSync(path.join(root, 'a'))).toBe(false);
  });

  test('must not be a file, or below one', () => {
    expect(() => read(file)).toThrow('DIR is a file, not a folder');
    expect(() => read(path.join(file, 'a', 'b'))).toThrow(`DIR is below ${file}, which is a file, not a folder`);
  });

  const asRoot = process.getuid?.() === 0 ? test : test.skip;
  asRoot('must not be closed to this user', () => {
    process.seteuid!(65_534);
    try {
      expect(() => read(path.join(root, 'a'))).toThrow('DIR cannot be written by user 65534');
    } finally {
      process.seteuid!(0);
    }
  });
});
