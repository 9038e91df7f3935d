/** A bare `node:http` server that answers a fixed redirect, as the reference of a benchmark. Prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_request, response) => {
  response.writeHead(302, {
    Location: 'https://example.org/a/page/of/usual/length?campaign=autumn',
    'Cache-Control': 'no-store',
    'X-Robots-Tag': 'noindex',
    'Content-Length': '0',
  });
  response.end();
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
