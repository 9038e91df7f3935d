/** Operator commands over a unix socket, and the program that sends them from inside a container. */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DomainError } from '@waypost/domain';
import { askOperator, flagOption, listenForOperator, socketPathIn, takes, textOption } from '../src/index.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'operator-'));
const socket = path.join(folder, 'operator.sock');
const seen: unknown[] = [];
let listening: { stop(): Promise<void> };

const commands = {
  greet: takes(['name', 'loud'], async (options) => ({
    said: `${textOption(options, 'name')}${flagOption(options, 'loud') ? '!' : ''}`,
  })),
  'import-feed': takes(['name', 'content'], async ({ content }) => ({
    bytes: Buffer.from(String(content), 'base64').length,
  })),
  refuse: takes([], async () => {
    throw new DomainError('validation_failed', 'no', { details: { name: 'is \u202e wrong' } });
  }),
};
const serve = () => listenForOperator(socket, commands, (error) => void seen.push(error));

beforeAll(async () => {
  listening = await serve();
});
afterAll(async () => {
  await listening.stop();
  fs.rmSync(folder, { recursive: true, force: true });
});

describe('the socket', () => {
  test("is its user's alone", () => {
    expect(fs.statSync(socket).mode & 0o777).toBe(0o600);
  });

  test('answers commands, and says what is wrong with one', async () => {
    expect(await askOperator(socket, 'greet', { name: 'you' })).toEqual({ result: { said: 'you' } });
    expect(await askOperator(socket, 'nothing', {})).toEqual({ failure: { message: 'there is no command nothing' } });
    expect(await askOperator(socket, '__proto__', {})).toMatchObject({ failure: {} });
    expect(await askOperator(socket, 'refuse', {})).toMatchObject({ failure: { message: 'no', details: {} } });
  });

  test.each([
    [{ name: 'you', colour: 'red' }, /no option --colour/],
    [{ name: true }, /--name needs a value/],
    [{ name: 'you', loud: 'yes' }, /--loud takes no value/],
    [{}, /--name is missing/],
  ])('refuses the options %j', async (options, words) => {
    const answer = await askOperator(socket, 'greet', options as Record<string, string>);
    expect(answer).toEqual({ failure: { message: expect.stringMatching(words) } });
  });

  test('takes a file of 64 MB', async () => {
    const content = Buffer.alloc(64_000_000, 'a').toString('base64');
    expect(await askOperator(socket, 'import-feed', { name: 'x', content })).toEqual({ result: { bytes: 64_000_000 } });
  });

  test('that a living process answers on is not taken from it; one that was left behind is', async () => {
    await expect(serve()).rejects.toThrow('another process answers operator commands');
    const left = path.join(folder, 'left.sock');
    const child = spawn(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(left)}, () => console.log('there'))`,
    ]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill('SIGKILL');
    await new Promise((resolve) => child.once('exit', resolve));
    expect(fs.existsSync(left)).toBe(true);
    expect(await askOperator(left, 'greet', { name: 'x' })).toBeUndefined();
    const again = await listenForOperator(left, commands, () => undefined);
    expect(await askOperator(left, 'greet', { name: 'x' })).toEqual({ result: { said: 'x' } });
    await again.stop();
    expect(fs.existsSync(left)).toBe(false);
    expect(await askOperator(left, 'greet', { name: 'x' })).toBeUndefined();
  });

  test('of a folder whose path is too long for one lies in a folder of its own', () => {
    expect(socketPathIn('/var/lib/waypost', 'o.sock')).toBe('/var/lib/waypost/o.sock');
    const elsewhere = socketPathIn(`/${'long/'.repeat(30)}`, 'o.sock');
    expect(Buffer.byteLength(elsewhere)).toBeLessThanOrEqual(100);
    expect(fs.statSync(path.dirname(elsewhere)).mode & 0o777).toBe(0o700);
    fs.rmdirSync(path.dirname(elsewhere));
  });

  test('breaks off with an error, not with a wrong answer', async () => {
    const file = path.join(folder, 'breaks.sock');
    const server = net.createServer((each) => each.once('data', () => each.destroy())).listen(file);
    await expect(askOperator(file, 'greet', {})).rejects.toThrow();
    server.close();
  });
});

describe('operator.mjs', () => {
  const program = fileURLToPath(new URL('../../../deploy/docker/operator.mjs', import.meta.url));
  const run = (args: readonly string[], input = '', environment: NodeJS.ProcessEnv = { OPERATOR_SOCKET: socket }) =>
    new Promise<{ code: number | null; out: string; err: string }>((resolve) => {
      const child = spawn(process.execPath, [program, ...args], { env: environment });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        err += chunk;
      });
      child.stdin.on('error', () => {});
      child.stdin.end(input);
      child.once('close', (code) => resolve({ code, out, err }));
    });

  test.each([
    [['greet', '--name', 'you'], 'you'],
    [['admin', 'greet', '--name=a=b', '--loud', '--json'], 'a=b!'],
    [['greet', '--loud', '--name', '@laptop'], '@laptop!'],
  ])('reads %j', async (args, said) => {
    expect(await run(args)).toEqual({ code: 0, out: `${JSON.stringify({ said })}\n`, err: '' });
  });

  test('sends a file, or what stands on stdin', async () => {
    expect(JSON.parse((await run(['import-feed', '-', '--name', 'x'], 'four')).out)).toEqual({ bytes: 4 });
    expect(JSON.parse((await run(['import-feed', program, '--name', 'x'])).out).bytes).toBe(fs.statSync(program).size);
  });

  test.each([
    [1, ['greet', '--nam', 'you']],
    [1, ['greet', '--name']],
    [1, ['greet', '--name', 'you', '--loud', 'yes']],
    [1, ['refuse']],
    [2, ['greet', 'name=you']],
    [2, ['greet', '--name', 'you', 'too']],
    [2, ['greet', '--name', 'you', '--name', 'me']],
    [2, []],
  ])('ends with %i at %j, with words on stderr alone', async (code, args) => {
    const ran = await run(args);
    expect([ran.code, ran.out]).toEqual([code, '']);
    expect(ran.err).toMatch(/\S/);
    expect(ran.err).not.toMatch(/\u202e|^\s+at /m);
  });

  test('says so where nobody answers', async () => {
    expect((await run(['greet', '--name', 'x'], '', {})).err).toMatch(/OPERATOR_SOCKET is none/);
    expect((await run(['greet', '--name', 'x'], '', { OPERATOR_SOCKET: '/nowhere/o.sock' })).code).toBe(1);
  });
});
