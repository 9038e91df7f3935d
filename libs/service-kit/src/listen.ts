import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Resolves to the port that the server listens on; rejects with what to do if it cannot. */
export function listen(
  server: Server,
  port: number,
  host: string,
  options: { readonly reusePort?: boolean } = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new Error(`port ${port} on ${host} is in use by another program`) : error);
    };
    server.once('error', failed);
    server.listen({ ...options, port, host }, () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Limits that keep a slow or greedy client from holding a listener: 431 and 408 are Node's own answers. */
export const SERVER_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
} as const;
