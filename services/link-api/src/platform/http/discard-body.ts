import type { IncomingMessage, ServerResponse } from 'node:http';

/** A client that uploads less than this can read the answer. The chunks are limited too, because each costs time. */
const DISCARDED = { bytes: 64 * 1024 ** 2, chunks: 10_000 };

/** Reads and ignores the rest of a body up to a limit, then closes the connection. A large body thus costs little. */
export function discardBody(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete) return;
  let { bytes, chunks } = DISCARDED;
  request.on('data', function count(chunk: Buffer) {
    bytes -= chunk.length;
    chunks -= 1;
    if (bytes >= 0 && chunks >= 0) return;
    request.off('data', count).pause();
    if (response.writableFinished) request.socket.destroy();
    else response.once('finish', () => request.socket.destroy());
  });
}
