import type { Server } from 'node:http';
import net from 'node:net';

/** A process exits within this time after a signal to stop. docs/operator-interface.md promises 10 s in total. */
export const STOP_DEADLINE_MS = 8_000;

/**
 * Calls `stop` once on SIGINT, SIGTERM or SIGHUP, as a closed terminal sends. The process exits with 0 after a clean
 * stop and with 1 if it failed; it is killed if the stop takes too long. Further signals are ignored, because a
 * terminal signals the whole group and npm passes the signal on. Returns a function that tells whether the stop has
 * begun.
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
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, begin);
  return () => stopping;
}

/** Kills the process if it has not ended after `ms`. `process.exit` would wait for a stuck thread. */
export function killAfter(ms: number, onError: (error: unknown) => void): void {
  setTimeout(() => {
    onError(new Error(`not stopped after ${ms} ms`));
    process.kill(process.pid, 'SIGKILL');
  }, ms).unref();
}

/**
 * Stops a server without failing a request. It accepts no new connection, answers pending requests, and sends
 * `Connection: close` with the next response on each keep-alive connection. After `graceMs` it cuts the other
 * connections. (`http.Server.close()` would cut a keep-alive connection whose next request is still unread.)
 * `listening` are the sockets that pass connections to the server.
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
