/** The proxy of the fault suites really breaks connections: a fault without an effect would prove nothing. */
import net from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { listening, pause } from '@waypost/test-support';
import { startTcpProxy, type TcpProxy } from '../../../../../scripts/tcp-proxy.ts';

let echo: net.Server;
let proxy: TcpProxy;
beforeEach(async () => {
  echo = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.pipe(socket);
  });
  proxy = await startTcpProxy(await listening(echo));
});
afterEach(async () => {
  await proxy.close();
  await new Promise((resolve) => echo.close(resolve));
});

function client() {
  const socket = net.connect(proxy.port, '127.0.0.1');
  let received = '';
  let error: string | undefined;
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket.on('error', ({ code }: NodeJS.ErrnoException) => {
    error = code;
  });
  const until = async (isTrue: () => boolean, withinMs = 2_000) => {
    const end = performance.now() + withinMs;
    while (!isTrue() && performance.now() < end) await pause(5);
    return isTrue();
  };
  return {
    say: (text: string) => void socket.write(text),
    hears: (text: string, withinMs?: number) => until(() => received === text, withinMs),
    isReset: () => until(() => error === 'ECONNRESET'),
  };
}

test('passes bytes on in both directions', async () => {
  const one = client();
  one.say('hello');
  expect(await one.hears('hello')).toBe(true);
});

test('delays bytes, and keeps their order when the delay ends', async () => {
  const one = client();
  proxy.delay(150);
  const start = performance.now();
  one.say('a');
  await pause(30);
  proxy.pass();
  one.say('b');
  expect(await one.hears('ab')).toBe(true);
  expect(performance.now() - start).toBeGreaterThan(145);
});

test('a cut resets old and new connections, until it ends', async () => {
  const one = client();
  one.say('a');
  expect(await one.hears('a')).toBe(true);
  proxy.cut();
  expect(await one.isReset()).toBe(true);
  expect(await client().isReset()).toBe(true);
  proxy.pass();
  const other = client();
  other.say('b');
  expect(await other.hears('b')).toBe(true);
});

test('a black hole accepts old and new connections and never answers; then it resets them', async () => {
  const one = client();
  one.say('a');
  expect(await one.hears('a')).toBe(true);
  proxy.blackHole();
  const other = client();
  one.say('b');
  other.say('c');
  expect(await one.hears('ab', 300)).toBe(false);
  expect(await other.hears('c', 100)).toBe(false);
  proxy.pass();
  expect(await one.isReset()).toBe(true);
  expect(await other.isReset()).toBe(true);
});

test('one reset, and the next connection works', async () => {
  const one = client();
  one.say('a');
  expect(await one.hears('a')).toBe(true);
  proxy.resetAll();
  expect(await one.isReset()).toBe(true);
  const other = client();
  other.say('b');
  expect(await other.hears('b')).toBe(true);
});
