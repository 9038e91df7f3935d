import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface QuietLimits {
  /** No byte moves while a response waits to be read. */
  readonly unreadMs: number;
  /** All responses have been read, and no byte has come since. */
  readonly idleMs: number;
}

/** Looks in the shorter of the two times: a limit is kept a sixth of it too long at most. */
const LOOKS = 6;

/**
 * Closes connections on which nothing moves. `server.timeout` and `server.keepAliveTimeout` do the same with timers that
 * Node makes anew for each request; this looks at all connections now and then, and sets a timer for those that do not
 * read. Both have to be 0 at the server.
 */
export function closeQuiet(server: Server, { unreadMs, idleMs }: QuietLimits): void {
  const everyMs = Math.min(unreadMs, idleMs) / LOOKS;
  /** What each had sent at the last look at which it did not rest, and how many looks it has rested. */
  const connections = new Map<Socket, { bytes: number; rests: number }>();
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { bytes: 0, rests: 0 });
    socket.once('close', () => connections.delete(socket));
  });
  const look = () => {
    for (const [socket, state] of connections) {
      const isUnread = socket.writableLength > 0;
      if (isUnread !== (socket.timeout === unreadMs)) socket.setTimeout(isUnread ? unreadMs : 0);
      const { bytesRead } = socket;
      state.rests = isUnread || bytesRead !== state.bytes ? 0 : state.rests + 1;
      state.bytes = bytesRead;
      if (state.rests * everyMs >= idleMs) socket.destroy();
    }
  };
  const timer = setInterval(look, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}
