import dgram from 'node:dgram';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { NO_ALLOWED_HOSTS, parseAllowed } from '@waypost/domain';
import { listening, within } from '@waypost/test-support';
import { byDns, NotPublic, publicRequest, type Resolve } from '../src/index.ts';

let requests = 0;
const server = http.createServer(async (request, response) => {
  requests += 1;
  response.end(`${request.method} ${request.headers.host} ${await text(request)}`);
});
const port = await listening(server);
afterAll(() => void server.close());
beforeEach(() => {
  requests = 0;
});

/** Returns a resolver with these addresses for any name. `lookups` counts its calls. */
function names(...addresses: string[]): { resolve: Resolve; lookups: () => number } {
  let count = 0;
  return {
    lookups: () => count,
    resolve: (_host, _options, done) => {
      count += 1;
      done(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      );
    },
  };
}

const ask = (url: string, resolve?: Resolve, allowed = NO_ALLOWED_HOSTS) =>
  publicRequest({
    url: new URL(url),
    method: 'POST',
    headers: {},
    body: 'hello',
    allowed,
    signal: AbortSignal.timeout(5_000),
    ...(resolve === undefined ? {} : { resolve }),
  });

describe('rejects a destination that is not public', () => {
  test.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '::1', '::ffff:127.0.0.1', 'fd00::1', '0.0.0.0'])(
    'a name that resolves to %s',
    async (address) => {
      await expect(ask(`http://hooks.example.org:${port}/`, names(address).resolve)).rejects.toThrow(NotPublic);
      expect(requests).toBe(0);
    },
  );

  test('a name with one public address and another that is not public', async () => {
    const { resolve } = names('93.184.215.14', '127.0.0.1');
    await expect(ask(`http://hooks.example.org:${port}/`, resolve)).rejects.toThrow(NotPublic);
  });

  test('a name without an address', async () => {
    await expect(ask('http://hooks.example.org/', names().resolve)).rejects.toThrow(NotPublic);
  });

  test.each(['127.0.0.1', '[::1]', '2130706433', '0x7f.1', '[::ffff:127.0.0.1]'])('the address %s', async (host) => {
    await expect(ask(`http://${host}:${port}/`)).rejects.toThrow(NotPublic);
    expect(requests).toBe(0);
  });
});

describe('connects to a destination that the operator allows', () => {
  test('a name, at the same address that was checked', async () => {
    const { resolve, lookups } = names('127.0.0.1');
    const allowed = parseAllowed(['hooks.example.org']);
    const response = await ask(`http://hooks.example.org:${port}/`, resolve, allowed);
    expect(await text(response)).toBe(`POST hooks.example.org:${port} hello`);
    expect(lookups()).toBe(1);
    await expect(ask(`http://other.example.org:${port}/`, resolve, allowed)).rejects.toThrow(NotPublic);
  });

  test('a network', async () => {
    const response = await ask(`http://127.0.0.1:${port}/`, undefined, parseAllowed(['127.0.0.0/8']));
    expect(response.statusCode).toBe(200);
    response.destroy();
  });
});

describe('names that anybody may have chosen', () => {
  /** Starts a name server. Without an address it never answers. */
  async function nameServer(address?: readonly number[]) {
    const socket = dgram.createSocket('udp4');
    socket.on('message', (query, { port: from }) => {
      if (address === undefined) return;
      const isA = query.readUInt16BE(query.indexOf(0, 12) + 1) === 1;
      const question = query.subarray(12, query.indexOf(0, 12) + 5);
      const head = Buffer.from([query[0]!, query[1]!, 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
      const answer = isA ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address]) : Buffer.alloc(0);
      socket.send(Buffer.concat([head, question, answer]), from, '127.0.0.1');
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    return { server: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
  }

  test('are looked up by DNS, and the addresses are checked', async () => {
    const { server, close } = await nameServer([127, 0, 0, 1]);
    const url = `http://hooks.example.org:${port}/`;
    await expect(ask(url, byDns(NO_ALLOWED_HOSTS, [server]))).rejects.toThrow(NotPublic);
    const loopback = parseAllowed(['127.0.0.0/8']);
    expect(await text(await ask(url, byDns(loopback, [server]), loopback))).toMatch(/^POST hooks/);
    close();
  });

  test('block no thread while their name server hangs', async () => {
    const { server, close } = await nameServer();
    const resolve = byDns(NO_ALLOWED_HOSTS, [server]);
    await within(1_000, async () => {
      const hanging = Array.from({ length: 16 }, (_, i) =>
        ask(`http://h${i}.example.org/`, resolve).catch(() => undefined),
      );
      const began = performance.now();
      await Promise.all(Array.from({ length: 16 }, () => fs.stat('.')));
      const ms = performance.now() - began;
      await Promise.all(hanging);
      return ms;
    });
    close();
  });
});

test('rejects if the server closes the connection without an answer, and resolves to an answer 101', async () => {
  const answering = async (response: string) => {
    const odd = net.createServer((socket) => socket.on('error', () => undefined).end(response));
    const at = await listening(odd);
    return ask(`http://127.0.0.1:${at}/`, undefined, parseAllowed(['127.0.0.1'])).finally(() => odd.close());
  };
  await within(2_000, async () => {
    await expect(answering('')).rejects.toThrow();
    const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
    expect(await answering(upgrade)).toMatchObject({ statusCode: 101 });
  });
});
