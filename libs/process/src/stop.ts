import type { Server } from 'node:http';
import net from 'node:net';

/** A process exits within this time after SIGINT or SIGTERM; docs/operator-interface.md promises 10 s in all. */
export const STOP_DEADLINE_MS = 8_000;

/**
 * Calls `stop` once on SIGINT or SIGTERM and exits: 0 after a clean stop, 1 if it failed, killed if it took too long.
 * Ignores further signals while stopping (a terminal signals the whole group, and npm passes the signal on again).
 * Returns a function that tells whether the stop has begun.
 */
export function stopOnSignal(
  stop: () => Promise<void>,
  onError: (error: unknown) => void,
  withinMs: number = STOP_DEADLINE_MS,
): () => boolean {
  let stopping = false;
  const begin = () => {
    if (stopping) return;
    stopping = true;
    killAfter(withinMs, onError);
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
  return () => stopping;
}

/** Kills the process unless it has ended by then: `process.exit` would wait for a stuck thread. */
export function killAfter(ms: number, onError: (error: unknown) => void): void {
  setTimeout(() => {
    onError(new Error(`not stopped after ${ms} ms`));
    process.kill(process.pid, 'SIGKILL');
  }, ms).unref();
}

/**
 * Stops a server without failing a request: it accepts no new connection, answers pending requests, and sends
 * `Connection: close` with the next response on each keep-alive connection; whatever is left after `graceMs` is cut.
 * (`http.Server.close()` cuts a keep-alive connection whose next request is still unread.) `listening` hand it connections.
 */
export async function drainServer(
  server: Server,
  listening: readonly net.Server[] = [server],
  graceMs = 2_000,
): Promise<void> {
  const open = listening.filter((one) => one.listening);
  if (open.length === 0) return;
  server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
  const closed = open.map((one) => new Promise((resolve) => net.Server.prototype.close.call(one, resolve)));
  const idle = setTimeout(() => server.closeIdleConnections(), Math.min(500, graceMs));
  const all = setTimeout(() => server.closeAllConnections(), graceMs);
  await Promise.all(closed);
  clearTimeout(idle);
  clearTimeout(all);
}
