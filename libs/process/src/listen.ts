import http, { type RequestListener, type Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import os from 'node:os';
import { isIn } from '@waypost/domain';
import { countsByKey } from '@waypost/resilience';
import { ConfigError } from '@waypost/settings';
import { mayBeProxy, networkOf, peerOf, type TrustedProxies } from './client-address.ts';
import { drainServer } from './stop.ts';

const NO_OWN_ADDRESS: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'ENOTFOUND']);

/** Resolves to the port of the server. Rejects with an error that tells the operator what to do. */
export function listen(
  server: net.Server,
  port: number,
  host: string,
  options: { readonly reusePort?: boolean } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      const problem =
        error.code === 'EADDRINUSE'
          ? `Port ${port} on ${host} is in use by another program.`
          : NO_OWN_ADDRESS.has(error.code) && `HOST must be an address of this machine; ${host} is not.`;
      reject(problem ? new ConfigError(problem) : error);
    };
    server.once('error', failed);
    server.listen({ ...options, port, host }, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Throws if another program uses the port. Sockets that share a port would not notice this themselves. */
export async function assertPortIsFree(port: number, host: string): Promise<void> {
  for (const address of addressesOf(host)) {
    const probe = net.createServer();
    await listen(probe, port, address);
    await new Promise((resolve) => probe.close(resolve));
  }
}

/** The name `localhost` has two addresses, and programs differ in which they ask first. Not every machine has IPv6. */
export function addressesOf(host: string): readonly string[] {
  if (host !== 'localhost') return [host];
  const addresses = Object.values(os.networkInterfaces()).flat();
  return ['127.0.0.1', ...(addresses.some((one) => one?.address === '::1') ? ['::1'] : [])];
}

/** These limits keep a slow client from blocking the server. Node answers 431 or 408 when a client exceeds them. */
export const SERVER_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
} as const;

/** The connections of all clients, of one client (IPv6: of one /64), and of one client while half of all are in use. */
const CONNECTIONS = { most: 4_000, each: 256, eachOfMany: 16 };
/** Above this share of the limit, idle connections are closed to make room for new ones. */
const CROWDED = 0.9;
/** A client may leave this many responses of a connection unread. Each needs about ten kilobytes. */
export const MAX_PIPELINED = 64;
/** A connection is closed if no byte moves for this time while a response waits to be read. */
const STALLED_MS = 30_000;

/**
 * Returns a server that no single client can block. It limits the connections of a client, how many requests it may
 * send before it reads the responses, and for how long responses may stay unread. `many` tells which peers speak for
 * many clients.
 */
export function boundedServer(
  app: RequestListener,
  { most, each, eachOfMany } = CONNECTIONS,
  many: (peer: string) => boolean = () => true,
): Server {
  const unanswered = new WeakMap<Socket, number>();
  /** They wait for another request. To Node, a new connection whose request it has not read would be idle, too. */
  const idle = new Set<Socket>();
  const server = http.createServer(SERVER_LIMITS, (request, response) => {
    const { socket } = request;
    // This request came in the same chunk as the request that exceeded the limit.
    if (socket.destroyed) return;
    const ahead = (unanswered.get(socket) ?? 0) + 1;
    if (ahead > MAX_PIPELINED) {
      socket.destroy();
      return;
    }
    unanswered.set(socket, ahead);
    idle.delete(socket);
    response.once('close', () => {
      const remaining = unanswered.get(socket)! - 1;
      unanswered.set(socket, remaining);
      if (remaining === 0 && !socket.destroyed) idle.add(socket);
    });
    app(request, response);
  });
  server.timeout = STALLED_MS;
  let connections = 0;
  const byNetwork = countsByKey();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    const network = many(peer) ? undefined : networkOf(peer, 64);
    const own = network === undefined ? 0 : byNetwork.of(network);
    connections += 1;
    const release = network === undefined ? undefined : byNetwork.add(network);
    socket.once('close', () => {
      connections -= 1;
      idle.delete(socket);
      release?.();
    });
    if (connections > most || own >= (connections > most / 2 ? eachOfMany : each)) socket.destroy();
    if (connections > CROWDED * most) for (const one of idle) one.destroy();
  });
  return server;
}

export type Serving = Awaited<ReturnType<typeof listenOn>>;

/**
 * In each turn of its event loop, Node accepts one connection per listening socket. Beside 500 busy connections, new
 * clients of one socket got no answer for 12 s; with 16, all got one (decision 0012). Sockets that share a port do not
 * notice another program on it, so call `assertPortIsFree` first.
 */
export async function listenOn(server: Server, port: number, host: string, sockets = 1) {
  const listeners: net.Server[] = [];
  const stop = (): Promise<void> => drainServer(server, listeners);
  let bound = port;
  try {
    for (const address of addressesOf(host)) {
      for (let i = 0; i < sockets; i++) {
        const listener = listeners.length === 0 ? server : listenerFor(server);
        listeners.push(listener);
        bound = await listen(listener, bound, address, { reusePort: sockets > 1 });
      }
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { port: bound, stop };
}

/** Passes its connections to `server`. These are the options that `http.createServer` uses for its own socket. */
function listenerFor(server: Server): net.Server {
  return net.createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit('connection', socket));
}

/** Only Linux spreads connections over sockets that share a port. */
export const PUBLIC_SOCKETS = process.platform === 'linux' ? 16 : 1;

/**
 * A port with `proxies` is a public one. These proxies, and any peer that may be one, may have all its connections, and
 * it has several sockets.
 */
export async function serve(
  app: RequestListener,
  port: number,
  host: string,
  proxies?: TrustedProxies,
): Promise<Serving> {
  const many = (peer: string) => mayBeProxy(peer) || (proxies !== undefined && isIn(proxies, peer));
  const server = boundedServer(app, CONNECTIONS, many);
  if (proxies === undefined) return listenOn(server, port, host);
  await assertPortIsFree(port, host);
  return listenOn(server, port, host, PUBLIC_SOCKETS);
}
