import type { Server } from 'node:http';
import net from 'node:net';

/** A process ends within this time after SIGINT or SIGTERM; docs/operator-interface.md promises 10 s in all. */
export const STOP_DEADLINE_MS = 8_000;

/**
 * Calls `stop` once on SIGINT or SIGTERM and exits: 0 after a clean stop, 1 if it failed or took too long. A second
 * signal while stopping changes nothing (a terminal sends one to the whole group, npm passes it on again).
 */
export function stopOnSignal(
  stop: () => Promise<void>,
  onError: (error: unknown) => void,
  withinMs: number = STOP_DEADLINE_MS,
): void {
  let stopping = false;
  const begin = () => {
    if (stopping) return;
    stopping = true;
    exitAfter(withinMs, onError);
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        onError(error);
        process.exit(1);
      },
    );
  };
  process.on('SIGINT', begin);
  process.on('SIGTERM', begin);
}

/** Ends the process with 1 unless it has ended by then. */
export function exitAfter(ms: number, onError: (error: unknown) => void): void {
  setTimeout(() => {
    onError(new Error(`not stopped after ${ms} ms`));
    process.exit(1);
  }, ms).unref();
}

/**
 * Stops a server without failing a request: it takes no new connection, answers what is under way, and tells
 * keep-alive clients to go by `Connection: close` on their next answer; what is left after `graceMs` is cut.
 * (`http.Server.close()` cuts a keep-alive connection whose next request is still unread.)
 */
export async function drainServer(server: Server, graceMs = 2_000): Promise<void> {
  if (!server.listening) return;
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const closed = new Promise<void>((resolve) => net.Server.prototype.close.call(server, () => resolve()));
  const idle = setTimeout(() => server.closeIdleConnections(), Math.min(500, graceMs));
  const all = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(idle);
  clearTimeout(all);
}
