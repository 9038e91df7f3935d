import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { afterwards, newFolder } from '@waypost/test-support/afterwards';
import { boundedServer, listen, SERVER_LIMITS } from '../src/listen.ts';
import { drainServer } from '../src/stop.ts';

async function serve(answer: http.RequestListener, server = http.createServer(SERVER_LIMITS, answer)) {
  afterwards(() => server.close().closeAllConnections());
  return { server, port: await listen(server, 0, '127.0.0.1') };
}

/**
 * Sends one request and resolves to its status. A refused connection does not count as a failure, because no server has
 * accepted it.
 */
function get(port: number, agent?: http.Agent): Promise<number | 'refused'> {
  return new Promise((resolve, reject) => {
    const request = http.get(
      { port, host: '127.0.0.1', path: '/', ...(agent === undefined ? {} : { agent }) },
      (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode!));
        response.once('error', reject);
      },
    );
    request.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' ? resolve('refused') : reject(error),
    );
  });
}

describe('draining a server', () => {
  test('fails no request of keep-alive clients that send one after another', async () => {
    for (let round = 0; round < 3; round++) {
      let answered = 0;
      const { server, port } = await serve((_request, response) => {
        answered++;
        setImmediate(() => response.end('ok'));
      });
      const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
      const failures: unknown[] = [];
      let succeeded = 0;
      const clients = Array.from({ length: 16 }, async () => {
        for (;;) {
          try {
            if ((await get(port, agent)) === 'refused') return;
            succeeded++;
          } catch (error) {
            failures.push(error);
            return;
          }
        }
      });
      while (answered < 500) await pause(5);
      await drainServer(server);
      await Promise.all(clients);
      agent.destroy();
      expect(failures).toEqual([]);
      expect(succeeded).toBe(answered);
    }
  });

  test('finishes a pending response, and accepts no new connection during that time', async () => {
    let finish = () => {};
    const { server, port } = await serve((_request, response) => {
      finish = () => response.end('late');
    });
    const slow = get(port);
    await once(server, 'request');
    let isDrained = false;
    const draining = drainServer(server).then(() => {
      isDrained = true;
    });
    expect(await get(port)).toBe('refused');
    await pause(50);
    expect(isDrained).toBe(false);
    finish();
    expect(await slow).toBe(200);
    await draining;
  });

  test('answers a request on an open connection while it drains, and asks the client to close it', async () => {
    const { server, port } = await serve((_request, response) => response.end('ok'));
    const socket = net.connect(port, '127.0.0.1');
    const ask = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
    socket.write(ask);
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/Connection: keep-alive/i);
    const draining = drainServer(server);
    socket.write(ask);
    const [second] = await once(socket, 'data');
    expect(String(second)).toMatch(/^HTTP\/1.1 200/);
    expect(String(second)).toMatch(/Connection: close/i);
    await draining;
    socket.destroy();
  });

  test('does not wait for idle connections, and cuts responses that do not end', async () => {
    const { server, port } = await serve(() => undefined);
    const idle = net.connect(port, '127.0.0.1');
    const stuck = net.connect(port, '127.0.0.1');
    stuck.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(server, 'request');
    const closed = Promise.all([once(idle, 'close'), once(stuck, 'close')]);
    for (const socket of [idle, stuck]) socket.on('error', () => undefined).resume();
    const started = performance.now();
    await drainServer(server, [server], 300);
    expect(performance.now() - started).toBeLessThan(3_000);
    await closed;
  });

  test('does nothing for a server that does not listen', async () => {
    await expect(drainServer(http.createServer())).resolves.toBeUndefined();
  });
});

describe('a connection', () => {
  const ask = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  const bounded = (answer: http.RequestListener, most = 100) =>
    serve(answer, boundedServer(answer, { most, each: most, eachOfMany: most }));

  test('may send 64 requests ahead and gets each response, repeatedly', async () => {
    const { port } = await bounded((_request, response) => void setImmediate(() => response.end('ok')));
    const socket = net.connect(port, '127.0.0.1');
    for (let round = 0; round < 5; round++) {
      let answers = 0;
      socket.write(ask.repeat(64));
      while (answers < 64) answers += String((await once(socket, 'data'))[0]).split('HTTP/1.1 200').length - 1;
    }
    socket.destroy();
  });

  test('is closed if the client keeps sending and never reads, and few of its requests are handled', async () => {
    let sent = 0;
    const answer = Buffer.alloc(200_000, 'x');
    const { server, port } = await bounded((_request, response) => {
      sent++;
      response.end(answer);
    });
    const sockets = Array.from({ length: 5 }, () => {
      const socket = net.connect(port, '127.0.0.1').pause();
      socket.on('error', () => undefined).write(ask.repeat(20_000));
      return socket;
    });
    while (sent < 5) await pause(20);
    while ((await promisify(server.getConnections.bind(server))()) > 0) await pause(20);
    for (const socket of sockets) socket.destroy();
    expect(sent).toBeLessThanOrEqual(5 * 64);
  });

  test('is closed between two requests if there are too many, to make room for a new one', async () => {
    const { port } = await bounded((_request, response) => void response.end('ok'), 20);
    const agent = new http.Agent({ keepAlive: true, maxSockets: 18 });
    await Promise.all(Array.from({ length: 18 }, () => get(port, agent)));
    // Each agent keeps its connection open.
    for (let i = 0; i < 20; i++) {
      const more = new http.Agent({ keepAlive: true });
      expect(await get(port, more)).toBe(200);
    }
    agent.destroy();
  });
});

/** Runs a service whose start is this code. Resolves when it has written to stdout. */
async function startingService(start: string) {
  const program = `
    import fs from 'node:fs';
    import { setTimeout as pause } from 'node:timers/promises';
    import { runService } from ${JSON.stringify(new URL('../src/service.ts', import.meta.url).href)};
    const config = { HOST: '127.0.0.1', LOG_LEVEL: 'error', OTEL_TRACES_SAMPLER_ARG: 0 };
    await runService('test', () => config, async ({ stack, fatal }) => {${start}});`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await once(child.stdout, 'data');
  return { child, ended, printed: () => printed };
}

test('a fatal error ends a process even if its stop and a thread are stuck', async () => {
  const pipe = path.join(newFolder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const { ended } = await startingService(`
    const { setTimeout: later } = globalThis;
    globalThis.setTimeout = (act, ms) => later(act, ms / 20); // a clock that runs faster
    setInterval(() => undefined, 1000);
    fs.open(${JSON.stringify(pipe)}, () => undefined); // waits for a writer
    stack.defer(() => new Promise(() => undefined));
    fs.writeSync(1, 'now');
    fatal(new Error('nothing goes on'));`);
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s ends a process cleanly', async (signal) => {
  const { child, ended, printed } = await startingService(`
    setInterval(() => undefined, 1000);
    stack.defer(async () => void fs.writeSync(1, 'stopped'));
    fs.writeSync(1, 'started ');`);
  child.kill(signal);
  expect(await ended).toEqual([0, null]);
  expect(printed()).toMatch(/stopped$/);
});

test('a signal during the start ends a process cleanly, although it makes the start fail', async () => {
  const { child, ended, printed } = await startingService(`
    setInterval(() => undefined, 1000);
    const { promise, reject } = Promise.withResolvers();
    stack.defer(async () => {
      reject(new Error('what the start needs was closed'));
      await pause(200);
      fs.writeSync(1, 'stopped');
    });
    fs.writeSync(1, 'now ');
    await promise;`);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  expect(printed()).toBe('now stopped');
});
