/** A local server that answers under any host name and records all connections. */
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll, beforeEach } from '@jest/globals';
import type { Resolve } from '@waypost/public-request';
import { listening } from '@waypost/test-support';

export type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;

export interface HostileServer {
  readonly port: number;
  /** Returns the URL of a path on this server, under the given host name. */
  at(host: string, path?: string): string;
  /** Sets the answer to requests for `host/path`. */
  answer(hostAndPath: string, answer: Answer): void;
  redirect(hostAndPath: string, to: string): void;
  page(hostAndPath: string, html: string, headers?: http.OutgoingHttpHeaders): void;
  /** `host/path` of each request of the current test. */
  readonly requests: string[];
  /** By host, the highest number of requests that ran at the same time. */
  readonly atOnce: Map<string, number>;
  /** The connections to addresses that the inspector must never reach. */
  readonly forbidden: string[];
  /** Resolves every name to 127.0.0.1, except those in `names`. */
  readonly resolve: Resolve;
  readonly names: Map<string, () => readonly string[]>;
}

/** In these tests, 127.0.0.1 counts as a public address. These addresses do not. */
const NOT_PUBLIC = ['127.0.0.2', '127.1.2.3', '::1'];

/** Starts one server for all tests of a file. */
export async function hostileServer(): Promise<HostileServer> {
  const answers = new Map<string, Answer>();
  const requests: string[] = [];
  const forbidden: string[] = [];
  const names: HostileServer['names'] = new Map();
  const atOnce = new Map<string, number>();
  const open = new Map<string, number>();
  const server = http.createServer((request, response) => {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '');
    requests.push(`${host}${request.url}`);
    open.set(host, (open.get(host) ?? 0) + 1);
    atOnce.set(host, Math.max(atOnce.get(host) ?? 0, open.get(host)!));
    response.on('close', () => open.set(host, open.get(host)! - 1));
    const answer = answers.get(`${host}${request.url}`) ?? answers.get(`${host}/*`);
    if (answer === undefined) response.writeHead(404).end('nothing');
    else answer(request, response);
  });
  const port = await listening(server);
  const guards = await Promise.all(
    NOT_PUBLIC.map(async (address) => {
      const guard = net.createServer((socket) => {
        forbidden.push(address);
        socket.destroy();
      });
      guard.listen(port, address);
      await Promise.race([once(guard, 'listening'), once(guard, 'error')]);
      return guard;
    }),
  );
  beforeEach(() => {
    requests.length = 0;
    forbidden.length = 0;
  });
  afterAll(() => {
    for (const guard of guards) guard.close();
    server.close().closeAllConnections();
  });
  const answer = (hostAndPath: string, how: Answer) => void answers.set(hostAndPath, how);
  return {
    port,
    at: (host, path = '/') => `http://${host}:${port}${path}`,
    answer,
    redirect: (hostAndPath, to) =>
      answer(hostAndPath, (_, response) => void response.writeHead(302, { Location: to }).end()),
    page: (hostAndPath, html, headers = { 'Content-Type': 'text/html' }) =>
      answer(hostAndPath, (_, response) => void response.writeHead(200, headers).end(html)),
    requests,
    atOnce,
    forbidden,
    names,
    resolve: (host, _options, done) => {
      const addresses = names.get(host)?.() ?? ['127.0.0.1'];
      done(
        null,
        addresses.map((address) => ({ address, family: net.isIP(address) })),
      );
    },
  };
}
