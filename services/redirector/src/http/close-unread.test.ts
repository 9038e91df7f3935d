import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import net from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { closeUnread } from './close-unread.ts';

/** More than the kernel takes for a connection that nobody reads. */
const LARGE = Buffer.alloc(32 * 1024 * 1024);

let server: http.Server;
/** In the order in which they came. */
let accepted: net.Socket[];
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Connections that do not read until they are asked to; each has sent a request for the path. */
async function serve(stalledMs: number) {
  accepted = [];
  server = http.createServer((request, response) => response.end(request.url === '/large' ? LARGE : 'small'));
  server.on('connection', (socket: net.Socket) => accepted.push(socket));
  closeUnread(server, stalledMs);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return async (...paths: string[]) => {
    const socket = net.connect(port, '127.0.0.1').pause();
    await once(socket, 'connect');
    for (const path of paths) socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    return socket;
  };
}

test('closes a connection that does not read its response, with another one queued behind it', async () => {
  const connect = await serve(200);
  const idle = await connect('/small');
  await until(() => (accepted[0]?.bytesWritten ?? 0) > 0);
  const unread = await connect('/large', '/small');
  await until(() => accepted[1]?.destroyed === true);
  unread.destroy();
  expect(accepted.map(({ destroyed }) => destroyed)).toEqual([false, true]);
  idle.destroy();
});

test('gives a connection that has read its response the time of an idle one again', async () => {
  const stalledMs = 3_000;
  const connect = await serve(stalledMs);
  const late = await connect('/large');
  await until(() => accepted[0]?.timeout === stalledMs);
  late.resume();
  await until(() => accepted[0]!.timeout === server.keepAliveTimeout + 1_000);
  expect(accepted[0]!.destroyed).toBe(false);
  late.destroy();
});
