import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** Node's parser of a connection, as far as it is used here. */
interface Parser {
  onIncoming?: (request: IncomingMessage, shouldKeepAlive: boolean) => number;
}

/** Tells the parser that what follows is not HTTP. */
const NO_MORE = 2;

/**
 * Stops the parsing of a connection right after a request for which `isRefused` says so. Node would parse the rest of what
 * it has read, up to 64 kB of requests or chunks, while visitors wait; and it has no public way to stop. Should its
 * parser lose `onIncoming`, a refusal only costs more. May go when Node can pause a parser in a request listener.
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
