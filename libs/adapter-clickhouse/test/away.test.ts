import { createServer, type Socket } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { listening } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import {
  clickHouseHealth,
  clickhouseClickPurge,
  clickhouseClickSink,
  clickhouseClickStats,
  connectClickHouse,
} from '../src/index.ts';
import { ACCOUNT, clickAt, linkOf } from './some-clicks.ts';

const RANGE = { from: '2026-01-01', to: '2026-01-07' };

async function listenWith(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection);
  afterwards(() => server.close());
  return `http://127.0.0.1:${await listening(server)}`;
}

describe('a ClickHouse that cannot be reached', () => {
  const unavailable = {
    name: 'DomainError',
    code: 'unavailable',
    cause: expect.objectContaining({ message: expect.any(String) }),
  };
  const expectAway = async (url: string) => {
    const client = connectClickHouse({ url, requestTimeoutMs: 300 });
    for (const ask of [
      () => clickhouseClickSink(client, 'waypost').store([clickAt('x', Date.now())]),
      () => clickhouseClickStats(client, 'waypost').figures(linkOf('x'), RANGE, 'include'),
      () => clickhouseClickPurge(client, 'waypost', () => undefined).purge(ACCOUNT),
    ])
      await expect(ask()).rejects.toMatchObject(unavailable);
    expect(await clickHouseHealth(client)).toMatchObject({ ok: false, detail: expect.any(String) });
    await client.close();
  };

  test('is `unavailable` when it does not listen', async () => {
    await expectAway('http://127.0.0.1:1');
  });

  test('is `unavailable` when it closes the connection', async () => {
    await expectAway(await listenWith((socket) => socket.destroy()));
  });

  test('is `unavailable` after the time limit when it is frozen', async () => {
    const sockets = new Set<Socket>();
    await expectAway(await listenWith((socket) => sockets.add(socket.on('error', () => {}))));
    for (const socket of sockets) socket.destroy();
  });

  test('is `unavailable` when it fails for a reason other than a bad row', async () => {
    const body = 'Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)';
    const url = await listenWith((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.end(
          `HTTP/1.1 500 Error\r\nX-ClickHouse-Exception-Code: 241\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
      });
    });
    await expectAway(url);
  });
});
