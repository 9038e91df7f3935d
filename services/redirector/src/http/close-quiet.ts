import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface QuietLimits {
  /** No byte moves while a response waits to be read. */
  readonly unreadMs: number;
  /** All responses have been read, and no byte has come since. */
  readonly idleMs: number;
}

/** In the shorter of the two times: a connection lasts a sixth of that longer than its limit, at most. */
const LOOKS = 6;

/**
 * Closes connections on which nothing moves. `server.timeout` and `server.keepAliveTimeout` do the same with timers that
 * Node makes anew for each request; this looks at all connections now and then, and sets a timer for those that do not
 * read. Both settings must be 0 at the server.
 */
export function closeQuiet(server: Server, { unreadMs, idleMs }: QuietLimits): void {
  const everyMs = Math.min(unreadMs, idleMs) / LOOKS;
  /** What each had sent at the last look, and how many looks in a row have found it idle. */
  const connections = new Map<Socket, { bytes: number; idleLooks: number }>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { bytes: 0, idleLooks: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  const look = () => {
    for (const [socket, state] of connections) {
      const isUnread = socket.writableLength > 0;
      if (isUnread !== (socket.timeout === unreadMs)) socket.setTimeout(isUnread ? unreadMs : 0);
      const { bytesRead } = socket;
      state.idleLooks = isUnread || bytesRead !== state.bytes ? 0 : state.idleLooks + 1;
      state.bytes = bytesRead;
      if (state.idleLooks * everyMs >= idleMs) socket.destroy();
    }
  };
  const timer = setInterval(look, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}
