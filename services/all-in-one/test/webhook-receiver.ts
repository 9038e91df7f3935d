/** A receiver of webhooks: a real HTTP server on loopback that keeps what it is sent, and answers as it is told. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Json } from './waypost-process.ts';

export interface Received {
  readonly id: string;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly message: Json;
}

export async function startReceiver() {
  const received: Received[] = [];
  let answer: (received: Received, response: http.ServerResponse) => void = (_received, response) => response.end();
  const server = http.createServer(async (request, response) => {
    const body = await text(request);
    const headers = request.headers as Record<string, string>;
    const one = { id: headers['webhook-id']!, headers, body, message: JSON.parse(body) };
    received.push(one);
    answer(one, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (next: typeof answer) => {
      answer = next;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
