import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** The part of Node's HTTP parser that is used here. */
interface Parser {
  onIncoming?: (request: IncomingMessage, shouldKeepAlive: boolean) => number;
}

/** Tells the parser that the rest is not HTTP. */
const NO_MORE = 2;

/**
 * Stops parsing a connection right after a request for which `isRefused` returns true. Node would parse the rest of
 * what it has read, up to 64 kB of requests or chunks, while visitors wait, and it has no public API to stop that. If a
 * later parser has no `onIncoming`, a refusal only costs more. Remove this when Node can pause a parser in a request
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
