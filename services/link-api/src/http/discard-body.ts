import type { IncomingMessage, ServerResponse } from 'node:http';

/** Uploads within this get to read their answer. Parsing a chunk costs the same, whatever its size. */
const DISCARDED = { bytes: 64 * 1024 ** 2, chunks: 10_000 };

/**
 * For a request that is answered before its body was read: discards the rest up to a bound, and then ends the connection,
 * so that a stranger's body costs little.
 */
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
