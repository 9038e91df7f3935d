import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Resolves to the port that the server listens on; if it cannot, rejects with an error that tells what to do. */
export function listen(
  server: Server,
  port: number,
  host: string,
  options: { readonly reusePort?: boolean } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} on ${host} is in use by another program`) : error);
    };
    server.once('error', failed);
    server.listen({ ...options, port, host }, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Limits that keep a slow or greedy client from occupying a listener: Node itself answers 431 and 408. */
export const SERVER_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
} as const;

const MAX_CONNECTIONS = 4_000;
/** From this share of them on, connections that wait between two requests make room for new ones. */
const CROWDED = 0.9;
/** Unread responses per connection. Each takes some ten kilobytes. */
export const MAX_PIPELINED = 64;
/** A connection on which no byte moves for this time, while a response waits to be read, is closed. */
export const STALLED_MS = 30_000;

/**
 * A server that no single client can exhaust: it limits how many requests a client may send ahead without reading the
 * responses, and for how long it may leave them unread.
 */
export function boundedServer(
  app: RequestListener,
  options: ServerOptions = {},
  maxConnections = MAX_CONNECTIONS,
): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = http.createServer({ ...SERVER_LIMITS, ...options }, (request, response) => {
    const { socket } = request;
    // Requests from the same chunk as the one over the limit.
    if (socket.destroyed) return;
    const ahead = (unanswered.get(socket) ?? 0) + 1;
    if (ahead > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, ahead);
    response.once('close', () => unanswered.set(socket, unanswered.get(socket)! - 1));
    app(request, response);
  });
  server.maxConnections = maxConnections;
  server.timeout = STALLED_MS;
  let connections = 0;
  // Before Node's own listener: since Node 26 a connection without a request yet is idle, also the one that just came.
  server.prependListener('connection', (socket: Socket) => {
    connections += 1;
    socket.once('close', () => {
      connections -= 1;
    });
    if (connections > CROWDED * maxConnections) server.closeIdleConnections();
  });
  return server;
}
