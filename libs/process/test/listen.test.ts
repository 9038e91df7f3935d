import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { until } from '@waypost/test-support';
import { afterwards } from '@waypost/test-support/afterwards';
import { assertPortIsFree, boundedServer, listen, listenOn, type Serving, serve } from '../src/listen.ts';
import { drainServer } from '../src/stop.ts';

const HOST = '127.0.0.1';
const ok: http.RequestListener = (_request, response) => void response.end('ok');

const serving = async (app: http.RequestListener = ok, port = 0): Promise<Serving> => {
  const one = await serve(app, port, HOST);
  afterwards(() => one.stop());
  return one;
};

/** Opens this many connections at once, and returns after how many turns of the event loop all are answered. */
async function turnsUntilAnswered(connections: number, port: number): Promise<number> {
  let answered = 0;
  // The kernel completes each connection on loopback before `connect` returns. So all of them wait in the first turn.
  const sockets = Array.from({ length: connections }, () => net.connect(port, HOST));
  for (const socket of sockets) {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.once('data', () => {
      answered += 1;
    });
  }
  let turns = 0;
  for (; answered < connections; turns++) await turn();
  for (const socket of sockets) socket.destroy();
  return turns;
}

describe('serving a port', () => {
  const onLinux = process.platform === 'linux' ? test : test.skip;

  onLinux('with several sockets, connections that come at the same time do not wait for one turn each', async () => {
    const turnsWith = async (sockets: number) => {
      const { port, stop } = await listenOn(boundedServer(ok), 0, HOST, sockets);
      return turnsUntilAnswered(320, port).finally(stop);
    };
    expect(await turnsWith(16)).toBeLessThan((await turnsWith(1)) / 3);
  });

  test.each(process.platform === 'linux' ? [1, 16] : [1])(
    'accepts connections on %i sockets up to the common limit, and more after some have closed',
    async (count) => {
      const most = 40;
      const server = boundedServer(ok, { most, each: 2 * most, eachOfMany: 2 * most });
      const { port, stop } = await listenOn(server, 0, HOST, count);
      afterwards(stop);
      let accepted = 0;
      server.on('connection', (socket) => {
        accepted += socket.destroyed ? 0 : 1;
      });
      const connect = () => {
        const socket = net.connect(port, HOST).on('error', () => undefined);
        socket.write('GET / HTTP/1.1\r\n'); // the request stays incomplete
        return socket;
      };
      const sockets = Array.from({ length: most }, connect);
      await until(async () => accepted === most);
      const refused = connect();
      await once(refused, 'close');
      expect(sockets.filter(({ destroyed }) => destroyed)).toEqual([]);
      sockets[0]!.destroy();
      await until(async () => (await fetch(`http://${HOST}:${port}/`).catch(() => undefined))?.ok === true);
      for (const socket of sockets) socket.destroy();
    },
  );

  test('closes connections that wait for another request, and no new one, when there is room for few more', async () => {
    const server = boundedServer(ok, { most: 10, each: 20, eachOfMany: 20 });
    const port = await listen(server, 0, HOST);
    afterwards(() => drainServer(server));
    const connect = () => {
      const socket = net.connect(port, HOST).on('error', () => undefined);
      afterwards(() => socket.destroy());
      return socket;
    };
    const answer = async (socket: net.Socket) => {
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return String((await once(socket, 'data'))[0]);
    };
    const idle = Array.from({ length: 9 }, connect);
    await Promise.all(idle.map(answer));
    const closed = Promise.all(idle.map((socket) => once(socket, 'close')));
    const added = Array.from({ length: 10 }, connect);
    await closed;
    const answers = await Promise.all(added.map(answer));
    expect(answers.filter((text) => text.endsWith('ok'))).toHaveLength(added.length);
  });

  // Elsewhere loopback has one address.
  onLinux(
    'gives a client its share of the connections, fewer while many are in use, and a proxy all of them',
    async () => {
      const server = boundedServer(ok, { most: 20, each: 6, eachOfMany: 2 }, (peer) => peer === '127.0.0.9');
      const port = await listen(server, 0, HOST);
      afterwards(() => drainServer(server));
      const sockets: net.Socket[] = [];
      afterwards(async () => {
        for (const socket of sockets) socket.destroy();
      });
      /** Opens connections from this address. Resolves to the number of those that get an answer. */
      const open = async (count: number, localAddress: string) => {
        const opened = Array.from({ length: count }, () =>
          net.connect({ port, host: HOST, localAddress }).on('error', () => undefined),
        );
        sockets.push(...opened);
        const answers = opened.map(async (socket) => {
          socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
          return new Promise<number>((resolve) =>
            socket.once('data', () => resolve(1)).once('close', () => resolve(0)),
          );
        });
        return (await Promise.all(answers)).reduce<number>((sum, one) => sum + one, 0);
      };
      expect(await open(8, '127.0.0.1')).toBe(6);
      expect(await open(3, '127.0.0.2')).toBe(3);
      expect(await open(5, '127.0.0.9')).toBe(5);
      expect(await open(4, '127.0.0.3')).toBe(2);
      expect(await open(1, '127.0.0.1')).toBe(0);
      for (const socket of sockets.slice(0, 8)) socket.destroy();
      await until(async () => (await open(1, '127.0.0.1')) === 1);
    },
  );

  test('answers on the requested port until it is stopped', async () => {
    const free = await serve(ok, 0, HOST);
    await free.stop();
    const { port, stop } = await serving(ok, free.port);
    expect(port).toBe(free.port);
    const url = `http://${HOST}:${port}/`;
    expect(await Promise.all(Array.from({ length: 50 }, async () => (await fetch(url)).status))).toEqual(
      Array(50).fill(200),
    );
    await stop();
    await expect(fetch(url)).rejects.toThrow();
    await expect(assertPortIsFree(port, HOST)).resolves.toBeUndefined();
  });

  test('answers running requests before it stops', async () => {
    let running = 0;
    const { port, stop } = await serving(async (_request, response) => {
      running += 1;
      await pause(200);
      response.end('ok');
    });
    const answers = Array.from({ length: 40 }, async () => (await fetch(`http://${HOST}:${port}/`)).status);
    await until(() => running === 40);
    await stop();
    expect(await Promise.all(answers)).toEqual(Array(40).fill(200));
  });

  test('names the port in the error if another program uses it, even if that program shares it', async () => {
    const { port, stop } = await serve(ok, 0, HOST, new net.BlockList());
    afterwards(stop);
    expect(port).toBeGreaterThan(0);
    const message = `Port ${port} on ${HOST} is in use by another program.`;
    await expect(serve(ok, port, HOST)).rejects.toThrow(message);
    await expect(serve(ok, port, HOST, new net.BlockList())).rejects.toThrow(message);
    await expect(assertPortIsFree(port, HOST)).rejects.toThrow(message);
    await expect(listen(http.createServer(), port, HOST)).rejects.toThrow(message);
  });

  // The second is an address for documents (RFC 5737), which no machine has.
  test.each(['no.such.host.invalid', '192.0.2.1'])(
    'names HOST in the error if it is no own address: %s',
    async (host) => {
      const message = `HOST must be an address of this machine; ${host} is not.`;
      await expect(assertPortIsFree(0, host)).rejects.toMatchObject({ name: 'ConfigError', message });
    },
  );

  const hasIpv6 = Object.values(os.networkInterfaces()).some((all) => all?.some(({ address }) => address === '::1'));
  const withIpv6 = hasIpv6 ? test : test.skip;

  withIpv6('answers on both addresses of localhost until it is stopped', async () => {
    const { port, stop } = await serve(ok, 0, 'localhost');
    const visits = () => Promise.allSettled(['127.0.0.1', '[::1]'].map((host) => fetch(`http://${host}:${port}/`)));
    expect((await visits()).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    await stop();
    expect((await visits()).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });

  withIpv6('names the address of localhost whose port another program uses', async () => {
    const other = net.createServer();
    const port = await listen(other, 0, '::1');
    afterwards(() => other.close());
    await expect(serve(ok, port, 'localhost')).rejects.toThrow(`Port ${port} on ::1 is in use by another program.`);
    await expect(assertPortIsFree(port, HOST)).resolves.toBeUndefined();
  });
});
