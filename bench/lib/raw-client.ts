import net from 'node:net';
import { Readable } from 'node:stream';

/**
 * Sends these bytes, which no HTTP client would send, on a new connection. Resolves to the status; 0 without a
 * response. It reads until the server closes the connection or sends the last chunk, since an event stream stays open.
 */
export function rawRequest(url: string, request: Iterable<Buffer | string>): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname);
    let head = '';
    const done = () => {
      clearTimeout(late);
      socket.destroy();
      resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0));
    };
    const late = setTimeout(done, 15_000);
    socket.on('error', () => undefined);
    socket.on('close', done);
    socket.on('data', (chunk) => {
      if (head.length < 12) head += chunk.toString('latin1');
      if (chunk.subarray(-5).toString('latin1') === '0\r\n\r\n') done();
    });
    Readable.from(request).pipe(socket, { end: false });
  });
}
