import http from 'node:http';
import { text } from 'node:stream/consumers';
import { onLoopback } from './support.ts';
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
  return {
    url: `${await onLoopback(server)}/hook`,
    received,
    answer: (next: typeof answer) => {
      answer = next;
    },
  };
}
