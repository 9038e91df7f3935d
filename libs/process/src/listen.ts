import http, { type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { promisify } from 'node:util';
import { ConfigError } from '@waypost/settings';
import { drainServer } from './stop.ts';

/** Resolves to the port that the server listens on; if it cannot, rejects with an error that tells what to do. */
export function listen(
  server: net.Server,
  port: number,
  host: string,
  options: { readonly reusePort?: boolean } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      reject(isTaken ? new ConfigError(`Port ${port} on ${host} is in use by another program.`) : error);
    };
    server.once('error', failed);
    server.listen({ ...options, port, host }, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Throws if another program has the port: sockets that share it would not notice. */
export async function assertPortIsFree(port: number, host: string): Promise<void> {
  const probe = net.createServer();
  await listen(probe, port, host);
  await new Promise((resolve) => probe.close(resolve));
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
const STALLED_MS = 30_000;

/**
 * A server that no single client can exhaust: it limits how many requests a client may send ahead without reading the
 * responses, and for how long it may leave them unread.
 */
export function boundedServer(app: RequestListener, maxConnections = MAX_CONNECTIONS): Server {
  const unanswered = new WeakMap<Socket, number>();
  const server = http.createServer(SERVER_LIMITS, (request, response) => {
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

/**
 * Node accepts one connection of each listening socket in a turn of its event loop, so of thousands that come at once the
 * last would wait for thousands of turns. The kernel spreads connections over sockets that share a port; elsewhere than on
 * Linux, it does not.
 */
const LISTENING_SOCKETS = process.platform === 'linux' ? 16 : 1;

/** A server with several listening sockets on one port, so that thousands of connections at once are accepted soon. */
export interface ShardedServer {
  /** Resolves to the port. `sharesPort`: other threads have it, too. */
  listen(port: number, host: string, sharesPort?: boolean): Promise<number>;
  openConnections(): Promise<number>;
  /** As `drainServer`. */
  stop(): Promise<void>;
}

/** The other sockets hand their connections to `server`; its greatest number of connections is that of all together. */
export function shardedServer(server: Server): ShardedServer {
  const listeners = [server, ...Array.from({ length: LISTENING_SOCKETS - 1 }, () => listenerFor(server))];
  const most = server.maxConnections;
  const accept = (upTo: number) => {
    for (const listener of listeners) listener.maxConnections = upTo;
  };
  accept(most);
  let connections = 0;
  // Each socket counts its own alone. With none of them full, all together may be.
  server.prependListener('connection', (socket: Socket) => {
    connections += 1;
    if (connections === most) accept(0);
    socket.once('close', () => {
      if (connections === most) accept(most);
      connections -= 1;
    });
  });
  const stop = () => drainServer(server, listeners);
  return {
    async listen(port, host, sharesPort = false) {
      const reusePort = sharesPort || listeners.length > 1;
      let bound = port;
      try {
        for (const listener of listeners) bound = await listen(listener, bound, host, { reusePort });
      } catch (error) {
        await stop();
        throw error;
      }
      return bound;
    },
    async openConnections() {
      const counts = listeners.map((listener) => promisify(listener.getConnections.bind(listener))());
      return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
    },
    stop,
  };
}

/** With the options that `http.createServer` sets for its own. */
function listenerFor(server: Server): net.Server {
  return net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
}

export interface Serving {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves `app`, as `boundedServer` does, until it is stopped. */
export async function serve(app: RequestListener, port: number, host: string): Promise<Serving> {
  await assertPortIsFree(port, host);
  const server = shardedServer(boundedServer(app));
  return { port: await server.listen(port, host), stop: server.stop };
}
