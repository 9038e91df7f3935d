import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** The share of the time limit after which the next look finds a response that waits. */
const LOOK_EVERY = 1 / 6;

/**
 * Closes a connection on which no byte moves for `stalledMs` while a response waits to be read. `server.timeout` does the
 * same with a timer that Node sets again for each request; this looks at all connections now and then, and sets one only
 * for those that do not read. Node sets it back when the responses are read.
 */
export function closeUnread(server: Server, stalledMs: number): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const look = () => {
    for (const socket of sockets) {
      if (socket.writableLength > 0 && socket.timeout !== stalledMs) socket.setTimeout(stalledMs);
    }
  };
  const timer = setInterval(look, stalledMs * LOOK_EVERY).unref();
  server.once('close', () => clearInterval(timer));
}
