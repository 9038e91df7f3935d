import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { expect, test } from '@jest/globals';
import { listening, until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { closeQuiet, type QuietLimits } from './close-quiet.ts';

/** More than the kernel takes for a connection that nobody reads. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;

/** In the order in which they came. */
let accepted: net.Socket[];

/** Connections that do not read until they are asked to; each has sent a request for the path. */
async function serve(limits: QuietLimits) {
  accepted = [];
  const server = http.createServer({ keepAliveTimeout: 0 }, (request, response) =>
    response.end(request.url === '/large' ? LARGE : 'small'),
  );
  server.on('connection', (socket: net.Socket) => accepted.push(socket));
  closeQuiet(server, limits);
  afterwards(() => server.close().closeAllConnections());
  const port = await listening(server);
  return async (...paths: string[]) => {
    const socket = net.connect(port, '127.0.0.1').pause();
    await once(socket, 'connect');
    for (const path of paths) socket.write(request(path));
    return socket;
  };
}

const IDLE_MS = 60_000;

test('closes a connection that does not read its response, with another one queued behind it', async () => {
  const connect = await serve({ unreadMs: 200, idleMs: IDLE_MS });
  const idle = await connect('/small');
  await until(() => (accepted[0]?.bytesWritten ?? 0) > 0);
  const unread = await connect('/large', '/small');
  await until(() => accepted[1]?.destroyed === true);
  unread.destroy();
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  idle.destroy();
});

test('gives a connection that has read its response the time of an idle one again', async () => {
  const unreadMs = 3_000;
  const connect = await serve({ unreadMs, idleMs: IDLE_MS });
  const late = await connect('/large');
  await until(() => accepted[0]?.timeout === unreadMs);
  late.resume();
  await until(() => accepted[0]!.timeout === 0);
  expect(accepted[0]!.destroyed).toBe(false);
  late.destroy();
});

test('closes a connection that sends nothing any more, and none that sends', async () => {
  const connect = await serve({ unreadMs: 30_000, idleMs: 1_500 });
  const idle = await connect('/small');
  const busy = await connect('/small');
  const timer = setInterval(() => busy.write(request('/small')), 50);
  await until(() => accepted.length === 2 && accepted.some(({ destroyed }) => destroyed));
  clearInterval(timer);
  const [closed, open] = accepted;
  expect([closed!.destroyed, closed!.bytesRead, open!.destroyed]).toEqual([true, request('/small').length, false]);
  expect(open!.bytesRead).toBeGreaterThan(request('/small').length);
  idle.destroy();
  busy.destroy();
});
