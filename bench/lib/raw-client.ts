/** Requests as raw bytes, such as no HTTP client would send, and the status of the response. */
import net from 'node:net';

const ANSWER_WITHIN_MS = 15_000;

/**
 * Sends `request` on a new connection and reads the whole response. Resolves to its status; 0 if the connection was closed
 * without one.
 */
export function rawRequest(url: string, request: Iterable<Buffer | string>): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname);
    let head = '';
    let bytes = 0;
    const done = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0));
    };
    const late = setTimeout(done, ANSWER_WITHIN_MS);
    socket.on('error', () => undefined);
    socket.on('close', done);
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      if (head.length < 8_192) head += chunk.toString('latin1');
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1];
      const isLastChunk = length === undefined && chunk.subarray(-5).toString('latin1') === '0\r\n\r\n';
      if (isLastChunk || (length !== undefined && bytes >= end + 4 + Number(length))) done();
    });
    void send(socket, request);
  });
}

async function send(socket: net.Socket, request: Iterable<Buffer | string>): Promise<void> {
  for (const part of request) {
    if (socket.destroyed) return;
    if (!socket.write(part)) await new Promise<void>((go) => socket.once('drain', go).once('close', () => go()));
  }
}
