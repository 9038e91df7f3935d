/**
 * A small TCP proxy between a service and an engine. It breaks connections as networks do. `npm run stack` uses it for
 * services if `STACK_TEST_LINKS` says so.
 */
import net from 'node:net';

/**
 * `cut` resets all connections, and every new connection. `blackHole` accepts connections and bytes but forwards
 * nothing. `resetAll` resets once; later connections work.
 */
export interface TcpProxy {
  readonly port: number;
  /** Ends the fault. New connections work; connections from a black hole are reset. */
  pass(): void;
  cut(): void;
  blackHole(): void;
  /** Delays each chunk by `ms` milliseconds, in both directions. */
  delay(ms: number): void;
  resetAll(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: net.Socket;
  readonly server: net.Socket;
}

export async function startTcpProxy(targetPort: number, port = 0): Promise<TcpProxy> {
  let state: 'pass' | 'cut' | 'black hole' = 'pass';
  let delayMs = 0;
  const pairs = new Set<Pair>();

  const front = net.createServer({ allowHalfOpen: false, noDelay: true }, (client) => {
    client.on('error', () => undefined);
    if (state === 'cut') return void client.resetAndDestroy();
    const server = net.connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    server.on('error', () => undefined);
    const pair = { client, server };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    client.once('close', end);
    server.once('close', end);
    forward(client, server);
    forward(server, client);
    if (state === 'black hole') freeze(pair);
  });

  function forward(from: net.Socket, to: net.Socket): void {
    const waiting: { readonly bytes: Buffer; readonly due: number }[] = [];
    let isWaiting = false;
    const send = (bytes: Buffer) => {
      if (to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once('drain', () => {
        if (state !== 'black hole') from.resume();
      });
    };
    // Chunks keep their order even if the delay changes.
    const pump = () => {
      while (waiting.length > 0 && waiting[0]!.due <= performance.now()) send(waiting.shift()!.bytes);
      isWaiting = waiting.length > 0;
      if (isWaiting) setTimeout(pump, waiting[0]!.due - performance.now());
    };
    from.on('data', (bytes) => {
      if (delayMs === 0 && waiting.length === 0) return send(bytes);
      waiting.push({ bytes, due: performance.now() + delayMs });
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(pump, delayMs);
    });
  }

  function freeze({ client, server }: Pair): void {
    client.pause();
    server.pause();
  }

  function resetAll(): void {
    for (const { client, server } of pairs) {
      client.resetAndDestroy();
      server.resetAndDestroy();
    }
    pairs.clear();
  }

  await new Promise<void>((resolve, reject) => {
    front.once('error', reject);
    front.listen(port, '127.0.0.1', resolve);
  });

  return {
    port: (front.address() as net.AddressInfo).port,
    pass() {
      const wasBlackHole = state === 'black hole';
      state = 'pass';
      delayMs = 0;
      if (wasBlackHole) resetAll();
    },
    cut() {
      state = 'cut';
      resetAll();
    },
    blackHole() {
      state = 'black hole';
      for (const pair of pairs) freeze(pair);
    },
    delay(ms) {
      delayMs = ms;
    },
    resetAll,
    async close() {
      resetAll();
      await new Promise((resolve) => front.close(resolve));
    },
  };
}
