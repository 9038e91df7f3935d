/** The client of the API and of commands over the socket of a process on this machine. */
import http, { type OutgoingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { Waypost } from '@waypost/sdk';
import type { Sent } from './command.ts';
import { isNobody } from './socket.ts';

export type Send = (name: string, sent: Sent) => Promise<unknown>;

/**
 * The longest time that a timer takes. An import takes long to upload and to run, and engines may have to start first.
 */
const NO_LIMIT_MS = 2 ** 31 - 1;

/** `socket` is asked for each request, because the process may restart during a command. */
export const operatorClient = (socket: () => string | Promise<string>): Waypost =>
  new Waypost({
    url: 'http://operator',
    // The mode of the socket decides who may use it.
    apiKey: '',
    retries: 0,
    timeoutMs: NO_LIMIT_MS,
    userAgent: 'waypost-operator',
    fetch: async (input, init) => fetchOver(await socket(), String(input), init),
  });

export const sendBy =
  (client: Waypost): Send =>
  (name, sent) =>
    client.request('POST', `/commands/${name}`, { body: sent });

function fetchOver(socketPath: string, url: string, { method, headers, body, signal }: RequestInit = {}) {
  const { pathname, search } = new URL(url);
  return new Promise<Response>((resolve, reject) => {
    const options = { socketPath, method, path: pathname + search, headers: headers as OutgoingHttpHeaders };
    http
      .request({ ...options, agent: false, ...(signal && { signal }) }, (response) => {
        const { statusCode: status = 0, headers } = response;
        const lines = Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]);
        text(response).then((answer) => resolve(new Response(answer, { status, headers: lines })), reject);
      })
      .once('error', (error) =>
        reject(isNobody(error) ? new Error(`no process answers on the socket ${socketPath}`) : error),
      )
      .end(body);
  });
}
