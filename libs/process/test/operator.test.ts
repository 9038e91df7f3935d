import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import type { RequestListener } from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, jest, test } from '@jest/globals';
import { running, type Sent } from '@waypost/operator';
import { operatorClient, sendBy } from '@waypost/operator/client';
import { runInContainer } from '@waypost/operator/program';
import { isAnswered } from '@waypost/operator/socket';
import type { Environment } from '@waypost/settings';
import { newFolder } from '@waypost/test-support/afterwards';
import { listenForOperator, socketPathIn } from '../src/index.ts';
import { greetings } from './greet.ts';

const folder = newFolder();
const socket = path.join(folder, 'operator.sock');
const seen: unknown[] = [];

const commands = running(greetings, undefined);
const api: RequestListener = (request, response) =>
  void response.end(JSON.stringify({ method: request.method, url: request.url, told: request.headers.authorization }));
const serve = () => listenForOperator(socket, { commands, api }, (error) => void seen.push(error));
const ask = (file: string, name: string, sent: Sent) => sendBy(operatorClient(() => file))(name, sent);
const listening = await serve();
afterAll(() => listening.stop());

describe('the socket', () => {
  test('is accessible to its user only', () => {
    expect(fs.statSync(socket).mode & 0o777).toBe(0o600);
  });

  test('answers commands, and explains why it refuses one', async () => {
    expect(await ask(socket, 'greet', { name: 'you' })).toEqual({ greeting: 'you' });
    for (const name of ['nothing', '__proto__'])
      await expect(ask(socket, name, {})).rejects.toThrow(`There is no command ${name}.`);
    const details = { name: 'is \u202e wrong' };
    await expect(ask(socket, 'refuse', {})).rejects.toMatchObject({ message: 'no', status: 422, details });
  });

  test('answers all else as the API does, if the process has one', async () => {
    const client = operatorClient(() => socket);
    const url = '/api/v1/admin/audit?limit=1&actor=a%40b.c';
    expect(await client.request('GET', url)).toMatchObject({ method: 'GET', url });
    const file = path.join(folder, 'no-api.sock');
    const { stop } = await listenForOperator(file, { commands }, () => undefined);
    await expect(operatorClient(() => file).admin.audit()).rejects.toMatchObject({ status: 404 });
    await stop();
  });

  test.each([
    [{ name: true }, /--name must be a string/],
    [{ name: 'you', loud: 'yes' }, /--loud must be a boolean/],
    [{}, /--name is missing/],
    [{ name: 'you', tone: 'odd' }, /--tone must be one of warm, cold/],
  ])('refuses the options %j', async (options, words) => {
    await expect(ask(socket, 'greet', options as Sent)).rejects.toThrow(words);
  });

  test('reports an error of the process, but no mistake of a person', async () => {
    seen.length = 0;
    for (const name of ['greet', 'refuse', 'fail']) await expect(ask(socket, name, {})).rejects.toThrow();
    expect(seen).toEqual([new Error('broken')]);
  });

  test('accepts a file of 64 MB', async () => {
    const content = Buffer.alloc(64_000_000, 'a').toString('base64');
    expect(await ask(socket, 'import-feed', { name: 'x', content })).toEqual({ characters: 64_000_000 });
  });

  test('of a running process is not replaced, but that of a dead process is', async () => {
    await expect(serve()).rejects.toThrow('another process already answers operator commands');
    const stale = path.join(folder, 'left.sock');
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(stale)}, () => console.log('there'))`,
    ]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(fs.existsSync(stale)).toBe(true);
    expect(await isAnswered(stale)).toBe(false);
    const again = await listenForOperator(stale, { commands }, () => undefined);
    expect(await ask(stale, 'greet', { name: 'x' })).toEqual({ greeting: 'x' });
    await again.stop();
    expect(fs.existsSync(stale)).toBe(false);
    await expect(ask(stale, 'greet', { name: 'x' })).rejects.toThrow(`no process answers on the socket ${stale}`);
  });

  test('is in a temporary folder if its path would be too long', () => {
    expect(socketPathIn('/var/lib/waypost', 'o.sock')).toBe('/var/lib/waypost/o.sock');
    const elsewhere = socketPathIn(`/${'long/'.repeat(30)}`, 'o.sock');
    expect(Buffer.byteLength(elsewhere)).toBeLessThanOrEqual(100);
    expect(fs.statSync(path.dirname(elsewhere)).mode & 0o777).toBe(0o700);
    fs.rmdirSync(path.dirname(elsewhere));
  });

  test('fails with an error if the connection breaks', async () => {
    const file = path.join(folder, 'breaks.sock');
    const server = net.createServer((each) => each.once('data', () => each.destroy())).listen(file);
    await expect(ask(file, 'greet', {})).rejects.toThrow('did not respond');
    server.close();
  });
});

describe('waypost in a container', () => {
  const run = async (args: readonly string[], environment: Environment = { OPERATOR_SOCKET: socket }) => {
    const writes = [process.stdout, process.stderr].map((stream) => jest.spyOn(stream, 'write').mockReturnValue(true));
    try {
      const code = await runInContainer(greetings, args, environment);
      const [out, err] = writes.map(({ mock }) => mock.calls.map(([text]) => text).join(''));
      return { code, out, err };
    } finally {
      for (const write of writes) write.mockRestore();
    }
  };

  test.each([
    [['greet', '--name', 'you'], 'you'],
    [['greet', '--name=a=b', '--loud'], 'a=b!'],
    [['greet', '--loud', '--name', '@laptop'], '@laptop!'],
  ])('reads %j', async (args, greeting) => {
    expect(await run(['admin', ...args, '--json'])).toEqual({
      code: 0,
      out: `${JSON.stringify({ greeting })}\n`,
      err: '',
    });
    expect(await run(['admin', ...args])).toEqual({ code: 0, out: `It said ${greeting}.\n`, err: '' });
  });

  test('sends a file or stdin, and exits with the exit code', async () => {
    const program = fileURLToPath(new URL('./waypost-in-container.ts', import.meta.url));
    const runProgram = async (args: readonly string[], input = '') => {
      const node = ['--disable-warning=ExperimentalWarning', program, 'admin', ...args];
      const child = spawn(process.execPath, node, { env: { OPERATOR_SOCKET: socket } });
      child.stdin.on('error', () => {}).end(input);
      const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
      return { code, out };
    };
    const feed = (file: string, input?: string) => runProgram(['import-feed', file, '--name', 'x', '--json'], input);
    expect(await feed('-', 'four')).toEqual({ code: 0, out: '{"characters":4}\n' });
    expect(JSON.parse((await feed(program)).out).characters).toBe(fs.readFileSync(program, 'utf8').length);
    expect((await runProgram([])).code).toBe(2);
  });

  test('shows the usage of each command', async () => {
    const { code, out, err } = await run(['admin', '--help']);
    expect([code, err]).toEqual([0, '']);
    for (const line of [
      'Usage: waypost admin [options] [command]',
      '  greet [options]               Greet somebody.',
      '  import-feed [options] <FILE>  Count',
    ])
      expect(out).toContain(line);
    const one = (await run(['admin', 'greet', '--help'])).out;
    for (const line of ['  --name <N>          whom', '  --tone <warm|cold>  how', '  --json '])
      expect(one).toContain(line);
    for (const args of [[], ['greet'], ['admin'], ['admin', 'nothing']])
      expect(await run(args)).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringMatching(/admin \[options\]|nothing/),
      });
  });

  test.each([
    [2, ['greet', '--nam', 'you']],
    [2, ['greet', '--name']],
    [2, ['greet', '--name', 'you', '--loud', 'yes']],
    [2, ['greet', '--name', 'you', '--loud=yes']],
    [2, ['greet', '--name', 'you', '--tone', 'odd']],
    [1, ['refuse']],
    [1, ['import-feed', 'missing', '--name', 'x']],
    [2, ['import-feed', '--name', 'x']],
    [2, ['greet', 'name=you']],
    [2, ['greet', '--name', 'you', 'too']],
    [2, ['greet', '--name', 'you', '--name', 'me']],
    [2, []],
  ])('exits with %i for %j, with a message on stderr only', async (code, args) => {
    const ran = await run(['admin', ...args]);
    expect([ran.code, ran.out]).toEqual([code, '']);
    expect(ran.err).toMatch(/\S/);
    expect(ran.err).not.toMatch(/\u202e|^\s+at /m);
  });

  test('reports that no process answers', async () => {
    const nowhere = (environment: Environment) => run(['admin', 'greet', '--name', 'x'], environment);
    expect((await nowhere({})).err).toMatch(/OPERATOR_SOCKET is none/);
    expect((await nowhere({ OPERATOR_SOCKET: '/nowhere/o.sock' })).code).toBe(1);
  });
});
