import http, { type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** Resolves to the port that the server listens on; rejects with what to do if it cannot. */
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

/** Limits that keep a slow or greedy client from holding a listener: 431 and 408 are Node's own answers. */
export const SERVER_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
} as const;

const MAX_CONNECTIONS = 4_000;
/** Requests on one connection whose answers are not read yet. Each holds some ten kilobytes. */
export const MAX_PIPELINED = 64;
/** A connection on which nothing moves for so long, though an answer waits to be read, is closed. */
export const STALLED_MS = 30_000;

/**
 * A server of which one client cannot take everything: what it sends ahead without reading the answers is bounded, and
 * so is how long it may not read them.
 */
export function boundedServer(app: RequestListener, options: ServerOptions = {}): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = http.createServer({ ...SERVER_LIMITS, ...options }, (request, response) => {
    const { socket } = request;
    // Those that came in one piece with the one too many.
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
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = STALLED_MS;
  return server;
}
