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
import { clickAt } from './some-clicks.ts';

const RANGE = { from: '2026-01-01', to: '2026-01-07' };

/** A server that listens, but is no working ClickHouse. */
async function listenWith(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createServer(onConnection);
  afterwards(() => server.close());
  return `http://127.0.0.1:${await listening(server)}`;
}

describe('a ClickHouse that is away', () => {
  const unavailable = {
    name: 'DomainError',
    code: 'unavailable',
    cause: expect.objectContaining({ message: expect.any(String) }),
  };
  const expectAway = async (url: string) => {
    const client = connectClickHouse({ url, requestTimeoutMs: 300 });
    for (const ask of [
      () => clickhouseClickSink(client, 'waypost').store([clickAt('x', Date.now())]),
      () => clickhouseClickStats(client, 'waypost').figures('x', RANGE, 'include'),
      () => clickhouseClickPurge(client, 'waypost', () => undefined).purge(['abc']),
    ])
      await expect(ask()).rejects.toMatchObject(unavailable);
    expect(await clickHouseHealth(client)).toMatchObject({ ok: false, detail: expect.any(String) });
    await client.close();
  };

  test('does not listen: `unavailable`', async () => {
    await expectAway('http://127.0.0.1:1');
  });

  test('hangs up: `unavailable`', async () => {
    await expectAway(await listenWith((socket) => socket.destroy()));
  });

  test('is frozen: `unavailable` after the time limit', async () => {
    const sockets = new Set<Socket>();
    await expectAway(await listenWith((socket) => sockets.add(socket.on('error', () => {}))));
    for (const socket of sockets) socket.destroy();
  });

  test('fails by itself: `unavailable`, because no row is to blame', async () => {
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
