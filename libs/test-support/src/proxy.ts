import net from 'node:net';
import path from 'node:path';

/**
 * Forwards connections to PostgreSQL's socket. `between` holds the client's sockets: a paused one delays what the
 * client sends.
 */
export async function proxyTo({ host }: { readonly host: string }) {
  const between = new Set<net.Socket>();
  const proxy = net.createServer((client) => {
    const server = net.connect(path.join(host, '.s.PGSQL.5432'));
    between.add(client);
    client.on('error', () => server.destroy());
    server.on('error', () => client.destroy());
    client.on('close', () => server.destroy());
    client.pipe(server).pipe(client);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return { proxy, port: (proxy.address() as net.AddressInfo).port, between };
}
