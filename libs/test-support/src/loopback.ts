import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Resolves to the port. */
export async function listening(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
