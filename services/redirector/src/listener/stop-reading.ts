import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

interface Parser {
  onIncoming?: (request: IncomingMessage, shouldKeepAlive: boolean) => number;
}

/** This tells the parser that what follows is not HTTP. */
const NO_MORE = 2;

/**
 * Stops parsing a connection right after a request for which `isRefused` returns true. Otherwise Node parses up to 64
 * kB of requests that it has read while visitors wait. Node has no public API for it. If a later parser has no
 * `onIncoming`, the only effect is that a refusal takes longer. Remove this when Node can pause a parser in a request
 * listener.
 */
export function stopReading(server: Server, isRefused: (socket: Socket) => boolean): void {
  server.on('connection', (socket: Socket & { parser?: Parser | null }) => {
    const { parser } = socket;
    const take = parser?.onIncoming;
    if (parser == null || typeof take !== 'function') return;
    parser.onIncoming = (request, shouldKeepAlive) => {
      const answer = take(request, shouldKeepAlive);
      return isRefused(socket) ? NO_MORE : answer;
    };
  });
}
